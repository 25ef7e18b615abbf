/** Sends one request in the turn of its host, and reads a bounded part of the body. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { PrivateAddress, request } from '../infra/http/client.ts';
import { MAX_RETRY_AFTER, type Reason } from './link.rules.ts';
import type { Turns } from './turns.ts';

export interface VisitOptions {
  readonly turns: Turns;
  readonly userAgent: string;
  /** Allowed hosts in private networks (a name or address, or one with `:port`). */
  readonly allowedHosts: readonly string[];
  /** Maximum ms of a request. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

export interface VisitRequest {
  readonly method: 'HEAD' | 'GET';
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of the body to read at most; 0 closes the connection after the headers. */
  readonly maxBytes?: number;
  /** ms that the host wants between requests. */
  readonly pause?: number;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Failure {
  readonly failure: Reason;
  /** The server closed the connection or broke the protocol, perhaps because of the method. */
  readonly isRefusal: boolean;
}

export type Visit = (url: URL, requested: VisitRequest) => Promise<Response | Failure>;

/** The host of a request without a response rests this many times as long as the request took. */
const REST = 10;

/** @throws HostPaused, and the reason of the signal */
export const createVisit =
  (options: VisitOptions): Visit =>
  (url, requested) =>
    options.turns.inTurn(url.hostname, async () => {
      const start = performance.now();
      const value = await send(url, requested, options);
      const rest = 'failure' in value ? REST * (performance.now() - start) : waitOf(value);
      return { value, pause: Math.max(requested.pause ?? 0, rest) };
    });

/** The same for `ms`; later requests are not sent and fail as `timeout`. A check may follow redirects of many slow servers. */
export function visitFor(visit: Visit, ms: number): Visit {
  const end = performance.now() + ms;
  return async (url, requested) =>
    performance.now() < end ? visit(url, requested) : { failure: 'timeout', isRefusal: false };
}

const WAITS = new Set([429, 503]);

/** ms for which a busy server wants no request. */
const waitOf = ({ status, headers }: Response): number =>
  WAITS.has(status) ? Math.min(retryAfterOf(headers) ?? 0, MAX_RETRY_AFTER) : 0;

/** `Retry-After` in ms: seconds, or a time. Null without one. */
export function retryAfterOf({ 'retry-after': text }: IncomingHttpHeaders): number | null {
  if (text === undefined) return null;
  const wait = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

async function send(url: URL, requested: VisitRequest, options: VisitOptions): Promise<Response | Failure> {
  const { allowedHosts, timeout, signal, userAgent } = options;
  const time = AbortSignal.timeout(timeout);
  const mayReachPrivate = [url.host, url.hostname].some((name) => allowedHosts.includes(name.toLowerCase()));
  try {
    const { status, headers, body } = await request(url, {
      method: requested.method,
      headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity', ...requested.headers },
      signal: AbortSignal.any([signal, time]),
      mayReachPrivate,
      timeout,
    });
    return { status, headers, text: await beginning(body, requested.maxBytes ?? 0) };
  } catch (thrown) {
    signal.throwIfAborted();
    if (time.aborted) return { failure: 'timeout', isRefusal: false };
    return failureOf(thrown);
  }
}

/** The beginning of a body as text. Closes the connection. */
async function beginning(body: Readable, max: number): Promise<string> {
  body.on('error', () => {}); // a body that is not read may still fail
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (max > 0)
      for await (const chunk of body as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        size += chunk.byteLength;
        if (size >= max) break;
      }
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, max).toString('utf8');
}

const DNS = /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EBADNAME|EBADRESP|ETIMEOUT|EAI_\w+)$/;
const CERTIFICATE =
  /^(CERT_\w+|ERR_TLS_CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH)$/;
/** The server omits a certificate of the issuer, which browsers may know. */
const CHAIN = /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)$/;
const UNREACHABLE = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/;

function failureOf(thrown: unknown): Failure {
  if (thrown instanceof PrivateAddress) return { failure: 'private_address', isRefusal: false };
  const { code = '', message = '' } = thrown as NodeJS.ErrnoException;
  const failure = code === 'ETIMEDOUT' || message.startsWith('no data for') ? 'timeout' : codeReason(code);
  return { failure, isRefusal: failure === 'network' && !UNREACHABLE.test(code) };
}

function codeReason(code: string): Reason {
  if (DNS.test(code)) return 'dns';
  if (CHAIN.test(code)) return 'certificate_chain';
  return CERTIFICATE.test(code) ? 'certificate' : 'network';
}
