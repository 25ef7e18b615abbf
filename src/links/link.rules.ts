/** Verdicts of link checks, and pauses until the next check. Pure. docs/links.md publishes these rules. */
import type { Verdict } from './link.store.ts';

/** Why a verdict is not `ok`; `wrong_type` is a remark about a link that works. */
export type Reason =
  | 'not_found'
  | 'gone'
  | 'http_error'
  | 'server_error'
  | 'rate_limited'
  | 'denied'
  | 'robots'
  | 'robots_unavailable'
  | 'private_address'
  | 'timeout'
  | 'dns'
  | 'network'
  | 'certificate'
  | 'certificate_chain'
  | 'redirect_loop'
  | 'bad_redirect'
  | 'invalid_url'
  | 'moved'
  | 'wrong_type';

/** Result of the requests for one link. */
export interface Probe {
  /** HTTP status of the last response; null without one. */
  readonly status: number | null;
  /** Why there is no usable response; null if there is one. */
  readonly failure: Reason | null;
  /** Followed redirects, in order. */
  readonly hops: readonly { readonly isPermanent: boolean; readonly to: string }[];
  readonly size: number | null;
  readonly mediaType: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** `Retry-After` in ms; null without one. */
  readonly retryAfter: number | null;
}

/** The result of the checks before. */
export interface Before {
  readonly verdict: string | null;
  /** Failed checks in a row. */
  readonly failures: number;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: Reason | null;
  /** The new address if moved, else where the redirects led to; null without redirects. */
  readonly finalUrl: string | null;
  /** Failed checks in a row, with this one. */
  readonly failures: number;
}

/** Failures with a fixed verdict. */
const VERDICT_OF: Partial<Record<Reason, Verdict>> = {
  not_found: 'broken',
  gone: 'broken',
  certificate: 'broken',
  redirect_loop: 'broken',
  bad_redirect: 'broken',
  invalid_url: 'broken',
  denied: 'forbidden',
  robots: 'forbidden',
  private_address: 'forbidden',
  rate_limited: 'unknown',
  robots_unavailable: 'unknown',
  certificate_chain: 'unknown',
};

const DENIED = new Set([401, 403, 407, 451]);

/** The reason that an HTTP status is; null for success. */
export function reasonOf(status: number): Reason | null {
  if (status < 300 || status === 304 || status === 416) return null; // 416: an empty file has no first byte
  if (DENIED.has(status)) return 'denied';
  if (status === 404) return 'not_found';
  if (status === 410) return 'gone';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 425 || status === 429) return 'rate_limited';
  if (status < 400) return 'bad_redirect';
  return status < 500 ? 'http_error' : 'server_error';
}

/**
 * The verdict about a link. Failures that may pass (timeouts, DNS, connections, errors of the server) make it `unknown`,
 * and `broken` when `maxFailures` checks in a row failed. A broken link stays broken until it answers.
 */
export function judge(probe: Probe, before: Before, format: string, maxFailures: number): Judgement {
  const { hops } = probe;
  const reason = probe.failure ?? reasonOf(probe.status!);
  const last = hops.at(-1)?.to ?? null;
  if (reason === null) {
    const isMoved = hops[0]?.isPermanent === true;
    if (isMoved) return { verdict: 'moved', reason: 'moved', finalUrl: newAddress(hops), failures: 0 };
    return {
      verdict: 'ok',
      reason: isWrongType(probe.mediaType, format) ? 'wrong_type' : null,
      finalUrl: last,
      failures: 0,
    };
  }
  const known = VERDICT_OF[reason];
  const failures = known === 'forbidden' ? 0 : reason === 'rate_limited' ? before.failures : before.failures + 1;
  const passing = before.verdict === 'broken' || failures >= maxFailures ? 'broken' : 'unknown';
  return { verdict: known ?? passing, reason, finalUrl: last, failures };
}

/** The target of the permanent redirects at the start. Later temporary redirects do not count. */
function newAddress(hops: Probe['hops']): string {
  const end = hops.findIndex(({ isPermanent }) => !isPermanent);
  return (end < 0 ? hops.at(-1)! : hops[end - 1]!).to;
}

const WEB_PAGE = new Set(['text/html', 'application/xhtml+xml']);
/** Formats whose data may be a web page. Sites write others too, such as `Web service`: only known data formats count. */
const DATA_FORMATS =
  /^(csv|tsv|xlsx?|ods|json|jsonl|ndjson|geojson|xml|gml|kml|kmz|gpkg|parquet|zip|pdf|docx?|odt|shp|rdf|ttl|txt)$/i;

/** Whether a link to a data file answers with a web page: often an error page or a form to sign in. */
const isWrongType = (mediaType: string | null, format: string): boolean =>
  mediaType !== null && WEB_PAGE.has(mediaType) && DATA_FORMATS.test(format.trim());

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Pauses in ms after 1, 2 and more failures in a row that may pass. */
const UNKNOWN_PAUSES = [HOUR, 6 * HOUR, DAY];
/** Longest `Retry-After` that is respected. */
export const MAX_RETRY_AFTER = 7 * DAY;

/** ms until the next check. `brokenFor`: ms since the link is broken. `random`: from 0 to 1, spreads checks of the same time. */
export function pauseAfter(
  { verdict, failures }: Pick<Judgement, 'verdict' | 'failures'>,
  retryAfter: number | null,
  brokenFor: number,
  interval: number,
  random: number,
): number {
  const requested = Math.min(retryAfter ?? 0, MAX_RETRY_AFTER);
  const spread = 0.9 + random / 5;
  if (verdict === 'unknown')
    return Math.max(requested, spread * UNKNOWN_PAUSES[Math.min(Math.max(failures, 1), UNKNOWN_PAUSES.length) - 1]!);
  if (verdict === 'broken') return Math.max(requested, spread * Math.min(interval, brokenPause(brokenFor)));
  return spread * interval;
}

/** 1, 2, 4, 7 days, and then 7 again. */
function brokenPause(brokenFor: number): number {
  const days = (brokenFor + HOUR * 12) / DAY; // the pauses before are spread
  return DAY * (days < 1 ? 1 : days < 3 ? 2 : days < 7 ? 4 : 7);
}

/** Maximum characters of a URL that is requested, and of its host name (RFC 1035), which is a key of indexes. */
const [MAX_URL, MAX_HOST] = [2_000, 253];

/** An http or https URL without credentials, fragment and the dot of a full host name. Null for any other text. */
export function addressOf(text: string, base?: URL): URL | null {
  if (!URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  url.username = url.password = url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href.length > MAX_URL || url.hostname.length > MAX_HOST ? null : url;
}

/** Host name of a link, in lower case; empty for a URL that is not requested. */
export const hostOf = (url: string): string => addressOf(url)?.hostname ?? '';
