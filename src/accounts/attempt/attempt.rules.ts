/** How often something may be tried, and by what it is counted. Pure. */
import type { Settings } from '../../kernel/config.ts';

/** What is counted: passwords, requests for a mail with a key, registrations. */
export type AttemptKind = 'password' | 'reset' | 'registration';

/** What attempts are counted by: an account as the caller calls it, an address, or a known account at a known address. */
export type Counted = readonly [by: 'account' | 'address' | 'place', ...what: string[]];

/** Mails that anybody can have sent to somebody, in one period. */
const MOST_MAILS = 3;

/** Attempts in one period. */
export const mostAttempts = (kind: AttemptKind, [by]: Counted, settings: Settings): number =>
  kind === 'reset' && by === 'account' ? MOST_MAILS : settings['catalog.auth.login_attempts'];

/** The words for somebody who tried too often; they are the same whether or not there is such an account. */
export function tooOften(seconds: number): string {
  const [many, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `Tried too often. Try again in ${many} ${unit}${many === 1 ? '' : 's'} (catalog.auth.login_attempts).`;
}

/** Spellings of one account are one account. */
export const accountKey = (login: string): string => login.trim().toLowerCase().normalize('NFKC').slice(0, 300);

/**
 * Who has one IPv6 address has at least all those that begin with the same 64 bits. IPv4 addresses count one by one, also
 * where they are written as IPv6.
 */
export function addressKey(address: string): string {
  const plain = address.toLowerCase().replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain);
  if (mapped) return mapped[1] as string;
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
