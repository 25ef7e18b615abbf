/** How often something may be tried, and by what it is counted. Pure. */
import type { Settings } from '../../kernel/config.ts';

/** What is counted: passwords, requests for a mail with a key, registrations. */
export type AttemptKind = 'password' | 'reset' | 'registration';

/** What attempts are counted by: an account as the caller calls it, an address, or a known account at a known address. */
export type Counted = readonly [by: 'account' | 'address' | 'place', ...what: string[]];

/** Mails that anybody can have sent to somebody, in one period. */
const MAX_MAILS = 3;

/** Attempts in one period. */
export const mostAttempts = (kind: AttemptKind, [by]: Counted, settings: Settings): number =>
  kind === 'reset' && by === 'account' ? MAX_MAILS : settings['catalog.auth.login_attempts'];

/** The words for somebody who tried too often; they are the same whether or not there is such an account. */
export function tooOften(seconds: number): string {
  const [many, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `Too many attempts. Try again in ${many} ${unit}${many === 1 ? '' : 's'} (catalog.auth.login_attempts).`;
}

/** Spellings of one account are one account. */
export const accountKey = (login: string): string => login.trim().toLowerCase().normalize('NFKC').slice(0, 300);
