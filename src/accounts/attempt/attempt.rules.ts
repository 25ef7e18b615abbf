/** Limits of attempts, and the keys they are counted by. Pure. */
import type { Settings } from '../../kernel/settings.ts';

/** Counted attempts: passwords, requests for a mail with a key, registrations. */
export type AttemptKind = 'password' | 'reset' | 'registration';

/** Keys of counters: an account by its login, an address, or a known account at a known address. */
export type Counted = readonly [by: 'account' | 'address' | 'place', ...what: string[]];

/** Mails that anyone can request for an account in one period. */
const MAX_MAILS = 3;

/** Attempts in one period. */
export const maxAttempts = (kind: AttemptKind, [by]: Counted, settings: Settings): number =>
  kind === 'reset' && by === 'account' ? MAX_MAILS : settings['catalog.auth.login_attempts'];

/** The message after too many attempts; it is the same whether or not the account exists. */
export function tooOften(seconds: number): string {
  const [many, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `Too many attempts. Try again in ${many} ${unit}${many === 1 ? '' : 's'} (catalog.auth.login_attempts).`;
}

/** Normalizes spellings of one account. */
export const accountKey = (login: string): string => login.trim().toLowerCase().normalize('NFKC').slice(0, 300);
