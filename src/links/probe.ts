/** Requests a link: HEAD, then a GET of one byte where HEAD is refused; redirects are followed one by one. */
import type { IncomingHttpHeaders } from 'node:http';
import { addressOf, type Probe, type Reason, reasonOf } from './link.rules.ts';
import type { Permission } from './robots.ts';
import { type Failure, type Response, retryAfterOf, type Visit } from './visit.ts';

export interface ProbeOptions {
  readonly visit: Visit;
  /** Whether robots.txt allows a request. */
  readonly permission: (url: URL) => Promise<Permission>;
  /** Validators of the last response, for the address that it came from. */
  readonly known: { readonly url: string; readonly etag: string | null; readonly lastModified: string | null };
}

type Hops = { isPermanent: boolean; to: string }[];

const MAX_REDIRECTS = 10;
const MOVED = new Set([301, 302, 303, 307, 308]);
const PERMANENT = new Set([301, 308]);
/** Maximum characters of headers that are stored. */
const MAX_HEADER = 500;

const EMPTY = { size: null, mediaType: null, etag: null, lastModified: null, retryAfter: null } as const;

/** @throws HostPaused, and the reason of an aborted signal */
export async function probe(start: string, options: ProbeOptions): Promise<Probe> {
  const hops: Hops = [];
  const failed = (failure: Reason, status: number | null = null): Probe => ({ ...EMPTY, status, failure, hops });
  let at = addressOf(start);
  if (!at) return failed('invalid_url');
  const seen = new Set<string>();
  for (;;) {
    seen.add(at.href);
    const permission = await options.permission(at);
    if (permission.refusal !== null) return failed(permission.refusal);
    const answer = await ask(at, permission.pause, options);
    if ('failure' in answer) return failed(answer.failure);
    const { status, headers } = answer;
    if (!MOVED.has(status) || headers.location === undefined)
      return { status, failure: null, hops, ...factsOf(headers, status) };
    const next = addressOf(headers.location, at);
    if (!next) return failed('bad_redirect', status);
    if (hops.length === MAX_REDIRECTS || seen.has(next.href)) return failed('redirect_loop', status);
    hops.push({ isPermanent: PERMANENT.has(status), to: next.href });
    at = next;
  }
}

async function ask(url: URL, pause: number, { visit, known }: ProbeOptions): Promise<Response | Failure> {
  const headers = known.url === url.href ? conditions(known) : {};
  const head = await visit(url, { method: 'HEAD', headers, pause });
  if (!isHeadRefused(head)) return head;
  return visit(url, { method: 'GET', headers: { ...headers, range: 'bytes=0-0' }, pause });
}

const conditions = ({ etag, lastModified }: ProbeOptions['known']): Record<string, string> => ({
  ...(etag !== null && { 'if-none-match': etag }),
  ...(lastModified !== null && { 'if-modified-since': lastModified }),
});

/** Some servers do not implement HEAD: any error but a request to wait is repeated by GET. */
function isHeadRefused(head: Response | Failure): boolean {
  if ('failure' in head) return head.isRefusal;
  const { status, headers } = head;
  return reasonOf(status) !== null && !MOVED.has(status) && status !== 429 && headers['retry-after'] === undefined;
}

function factsOf(headers: IncomingHttpHeaders, status: number): Omit<Probe, 'status' | 'failure' | 'hops'> {
  const short = (text: string | undefined) => (text === undefined || text.length > MAX_HEADER ? null : text);
  return {
    size: sizeOf(headers, status),
    mediaType: short(headers['content-type']?.split(';')[0]?.trim().toLowerCase() || undefined),
    etag: short(headers.etag),
    lastModified: short(headers['last-modified']),
    retryAfter: retryAfterOf(headers),
  };
}

/** Size of the whole: of a part, `Content-Range` says it. */
function sizeOf(headers: IncomingHttpHeaders, status: number): number | null {
  const whole = /\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1];
  if (status === 206 || status === 416) return whole === undefined ? null : Number(whole);
  const length = headers['content-length'];
  return status < 300 && length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null;
}
