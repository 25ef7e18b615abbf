/** Reads what somebody else's address leads to, over redirects; each of the addresses must be one of the public net, or be allowed. */
import type { Readable } from 'node:stream';
import { CatalogError } from '../../kernel/errors.ts';
import { type OutwardAnswer, PrivateAddress, request } from './client.ts';

export interface OutsideRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Hosts (a name or address, or one with `:port`) that may be asked although they are in private networks. */
  readonly allowedHosts: readonly string[];
  /** Ends it, also while the body is read. */
  readonly signal: AbortSignal;
  readonly redirects?: number;
}

export interface OutsideAnswer {
  /** 200, or 304 where the headers asked for it. */
  readonly status: number;
  readonly headers: OutwardAnswer['headers'];
  /** Unpacked. Whoever does not read it to the end destroys it. */
  readonly body: Readable;
}

const REDIRECTS = 5;
const MOVED = new Set([301, 302, 303, 307, 308]);
/** ms without a byte. */
const TIMEOUT = 60_000;

const refused = (message: string) => new CatalogError('VALIDATION', message);

/** A GET. @throws CatalogError VALIDATION (not an address that may be asked, or an answer that will be the same next time), UNAVAILABLE */
export async function fetchOutside(wanted: OutsideRequest): Promise<OutsideAnswer> {
  const { redirects = REDIRECTS } = wanted;
  const url = addressOf(wanted.url);
  const { status, headers, body } = await ask(url, wanted);
  if (status === 304 || (status >= 200 && status < 300 && status !== 206)) return { status, headers, body };
  body.destroy();
  if (MOVED.has(status) && headers.location !== undefined) {
    if (redirects === 0) throw refused(`The URL redirects more than ${REDIRECTS} times`);
    const next = URL.canParse(headers.location, url) ? new URL(headers.location, url).href : headers.location;
    return fetchOutside({ ...wanted, url: next, redirects: redirects - 1 });
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

async function ask(url: URL, { headers, allowedHosts, signal }: OutsideRequest): Promise<OutwardAnswer> {
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
