/** Rules of robots.txt (RFC 9309), read once a day for each origin. */
import type { Call } from '../kernel/call.ts';
import { addressOf, type Reason } from './link.rules.ts';
import { nameOf, relevantLines, ruling } from './robots.rules.ts';
import { findRobots, saveRobots } from './robots.store.ts';
import type { Failure, Response, Visit } from './visit.ts';

/** `refusal`: why a request is not allowed, or not possible; null if it is. `pause`: ms that the host wants between requests. */
export interface Permission {
  readonly refusal: Reason | null;
  readonly pause: number;
}

/** ms for which rules are cached, and stored. */
export const MAX_AGE = 24 * 3_600_000;
/** Maximum bytes of a robots.txt; the rest is ignored, as in RFC 9309. */
const MAX_BYTES = 500 * 1024;
const MAX_REDIRECTS = 5;

/** @throws HostPaused */
export async function permission(call: Call, visit: Visit, userAgent: string, url: URL): Promise<Permission> {
  const stored = await findRobots(call.db, url.origin);
  const isFresh = stored !== null && Date.now() - stored.fetchedAt.getTime() < MAX_AGE;
  const name = nameOf(userAgent);
  const lines = isFresh ? stored.rules : await fetchRules(visit, url.origin, name);
  if (typeof lines !== 'string') return { refusal: lines.failure, pause: 0 };
  if (!isFresh) await saveRobots(call.db, url.origin, lines);
  const { isAllowed, pause } = ruling(lines, name, url);
  return { refusal: isAllowed ? null : 'robots', pause };
}

/** The lines for this checker; empty if there are none, which allows everything. A server that fails allows nothing for now. */
async function fetchRules(visit: Visit, origin: string, name: string): Promise<string | { failure: Reason }> {
  let at: URL = new URL('/robots.txt', origin);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer: Response | Failure = await visit(at, { method: 'GET', maxBytes: MAX_BYTES });
    if ('failure' in answer) return { failure: answer.failure };
    const { status, headers, text } = answer;
    if (status >= 500 || status === 429) return { failure: 'robots_unavailable' };
    if (status < 300) return relevantLines(text, name);
    const target = headers.location;
    const next = status < 400 && target !== undefined ? addressOf(target, at) : null;
    if (!next) return '';
    at = next;
  }
  return '';
}
