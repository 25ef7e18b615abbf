/** Rules of webhooks: validation, and retries of messages. Pure; reports all problems at once. */

import { isPublicAddress } from '../infra/http/client.ts';
import type { Problem } from '../kernel/errors.ts';

interface WebhookInput {
  readonly name: string;
  /** Null: unchanged, and may have become forbidden since. */
  readonly url: string | null;
  readonly types: readonly unknown[] | null;
  readonly batchSize: number;
}

/** Changes per message, unless a webhook sets it. */
export const USUAL_BATCH = 100;
const MAX_BATCH = 100;
const MAX_URL_LENGTH = 2_000;
const MAX_NAME_LENGTH = 100;
/** In hours: a month. */
const MAX_OVERLAP = 720;

export function checkWebhook(
  { name, url, types, batchSize }: WebhookInput,
  allowedHosts: readonly string[],
): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, message: string) => problems.push({ path: [field], message });
  if (name.length > MAX_NAME_LENGTH) add('name', `Must be at most ${MAX_NAME_LENGTH} characters long`);
  const fault = url === null ? null : addressFault(url, allowedHosts);
  if (fault) add('url', fault);
  if (types?.length === 0) add('types', 'Must contain at least one kind; omit it for all kinds');
  if (!(batchSize >= 1 && batchSize <= MAX_BATCH)) add('batchSize', `Must be between 1 and ${MAX_BATCH}`);
  return problems;
}

/** Why a URL is not allowed; null for an allowed one. */
export function addressFault(text: string, allowedHosts: readonly string[]): string | null {
  if (text.length > MAX_URL_LENGTH) return `Must be at most ${MAX_URL_LENGTH} characters long`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'Must be an https URL';
  if (url.username || url.password) return 'Must not contain a user name or password';
  if (isAllowedHost(url, allowedHosts)) return null;
  if (url.protocol !== 'https:') return 'Must be an https URL, because messages can contain non-public data';
  return isPrivateHost(url.hostname) ? 'Private addresses are blocked (catalog.webhooks.allowed_hosts)' : null;
}

/** Checks only the URL itself. The addresses of a name are checked on each delivery. */
function isPrivateHost(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (/^[\d.]+$/.test(plain) || plain.includes(':')) return !isPublicAddress(plain);
  return plain === 'localhost' || plain.endsWith('.localhost');
}

/** Whether the operator allows this host, even in a private network. */
export const isAllowedHost = (url: URL, allowedHosts: readonly string[]): boolean =>
  [url.host, url.hostname].some((name) => allowedHosts.some((host) => host.toLowerCase() === name));

export function checkOverlap(hours: number): Problem[] {
  return hours >= 0 && hours <= MAX_OVERLAP
    ? []
    : [{ path: ['overlap'], message: `Must be between 0 and ${MAX_OVERLAP} hours` }];
}

/** Messages of one webhook in a row, and ms, before its turn is over. */
const TURN = { messages: 20, time: 2_000 };

/** Whether a turn is over. A slow receiver gets one message per turn, or it would block a worker for minutes. */
export const isTurnOver = (messages: number, milliseconds: number): boolean =>
  messages >= TURN.messages || milliseconds >= TURN.time;

/** Factor between two pauses. */
const GROWTH = 4;
/** Seconds. */
const MAX_PAUSE = 6 * 3_600;

/**
 * Seconds until the next attempt, after so many. `first` is the pause after the first one; `wished` is the receiver's
 * Retry-After. `random`, from 0 to 1, adds jitter of a fifth of the pause.
 */
export function pauseAfter(attempts: number, first: number, wished: number, random: number): number {
  const usual = Math.min(first * GROWTH ** (Math.max(attempts, 1) - 1), MAX_PAUSE);
  return Math.max(usual * (0.9 + random * 0.2), Math.min(wished, MAX_PAUSE));
}
