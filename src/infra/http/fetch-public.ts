/** Fetches a URL from outside, following redirects. Every address on the way must be public or explicitly allowed. */
import type { Readable } from 'node:stream';
import { CatalogError } from '../../kernel/errors.ts';
import { type HttpResponse, PrivateAddress, request } from './client.ts';

export interface PublicRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Allowed hosts in private networks (a name or address, or one with `:port`). */
  readonly allowedHosts: readonly string[];
  /** Aborts the request, also while the body is read. */
  readonly signal: AbortSignal;
  readonly redirects?: number;
}

export interface PublicResponse {
  /** 200, or 304 if the headers requested it. */
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  /** Decompressed. Read it to its end, or destroy it. */
  readonly body: Readable;
}

const REDIRECTS = 5;
const MOVED = new Set([301, 302, 303, 307, 308]);
/** Idle timeout in ms. */
const TIMEOUT = 60_000;

const refused = (message: string) => new CatalogError('VALIDATION', message);

/** Sends a GET. @throws CatalogError VALIDATION (a blocked or invalid URL, or a permanent failure), UNAVAILABLE */
export async function fetchPublic(requested: PublicRequest): Promise<PublicResponse> {
  const { redirects = REDIRECTS } = requested;
  const url = addressOf(requested.url);
  const { status, headers, body } = await send(url, requested);
  if (status === 304 || (status >= 200 && status < 300 && status !== 206)) return { status, headers, body };
  body.destroy();
  if (MOVED.has(status) && headers.location !== undefined) {
    if (redirects === 0) throw refused(`The URL redirects more than ${REDIRECTS} times`);
    const next = URL.canParse(headers.location, url) ? new URL(headers.location, url).href : headers.location;
    return fetchPublic({ ...requested, url: next, redirects: redirects - 1 });
  }
  if (status >= 500 || status === 429 || status === 408)
    throw new CatalogError('UNAVAILABLE', `The server ${url.host} responded with ${status}`);
  throw refused(`The server ${url.host} responded with ${status}`);
}

function addressOf(text: string): URL {
  if (!URL.canParse(text)) throw refused('Not a valid URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('Must be an http or https URL');
  url.username = url.password = '';
  return url;
}

async function send(url: URL, { headers, allowedHosts, signal }: PublicRequest): Promise<HttpResponse> {
  const mayReachPrivate = [url.host, url.hostname].some((name) => allowedHosts.includes(name.toLowerCase()));
  try {
    return await request(url, { ...(headers && { headers }), signal, mayReachPrivate, timeout: TIMEOUT });
  } catch (thrown) {
    if (thrown instanceof PrivateAddress) throw refused(`${thrown.message} (catalog.loading.allowed_hosts)`);
    if (signal.aborted) throw thrown;
    const { code, message } = thrown as NodeJS.ErrnoException;
    throw new CatalogError('UNAVAILABLE', `${url.host} cannot be reached (${code ?? message})`);
  }
}
