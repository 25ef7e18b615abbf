/**
 * HTTP client for other servers. If only public servers are allowed, the check applies to the address that is connected
 * to, so DNS rebinding cannot bypass it.
 */
import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';
import { answer as answerLookup, boundedLookup, servedLookup } from './dns.ts';

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal: AbortSignal;
  /** Whether private networks and this machine are allowed. */
  readonly mayReachPrivate: boolean;
  /** Idle timeout in ms. */
  readonly timeout: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Decompressed. Must be read to its end, or destroyed. */
  readonly body: Readable;
}

/** The server's network is blocked. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
}

/** This machine, private networks and other special-purpose networks (IANA's special-purpose registries). */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
/** Global unicast addresses of IPv6. Ranges inside it that embed IPv4 addresses or are for documentation are blocked. */
const PUBLIC6 = new BlockList();
PUBLIC6.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address is public. */
export function isPublicAddress(address: string): boolean {
  const plain = address.split('%')[0]!;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return isPublicAddress(mapped);
  if (isIP(plain) === 4) return !PRIVATE.check(plain, 'ipv4');
  return isIP(plain) === 6 && PUBLIC6.check(plain, 'ipv6') && !PRIVATE.check(plain, 'ipv6');
}

/** Bound on libuv threads that look-ups of the operator's names may hold. */
const anyLookup = boundedLookup(2);
const served = servedLookup();

/** Looks up a name, and refuses it if any of its addresses is not public. */
const publicLookup: LookupFunction = (hostname, options, done) => {
  served(hostname, { ...options, all: true }, (failure, addresses) => {
    if (failure) return done(failure, []);
    const found = addresses as LookupAddress[];
    if (!found.every(({ address }) => isPublicAddress(address))) return done(refusal(hostname), []);
    answerLookup(hostname, found, options.all, done);
  });
};

const refusal = (host: string) => new PrivateAddress(`Private addresses are blocked: ${host}`);

/** Separate pools: callers limited to public addresses must not reuse a connection to a private network. */
const agents = {
  public: { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) },
  any: { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) },
} as const;

/** Sends one request without following redirects. @throws PrivateAddress, or Error without a response */
export function request(url: URL, options: HttpRequest): Promise<HttpResponse> {
  const { method = 'GET', headers, body, signal, mayReachPrivate, timeout } = options;
  return new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (!mayReachPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return reject(refusal(host));
    const secure = url.protocol === 'https:';
    const sent = (secure ? https : http).request(url, {
      method,
      agent: agents[mayReachPrivate ? 'any' : 'public'][secure ? 'https' : 'http'],
      headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
      signal,
      lookup: mayReachPrivate ? anyLookup : publicLookup,
    });
    sent.setTimeout(timeout, () => sent.destroy(new Error(`no data for ${timeout / 1_000} s`)));
    sent.on('error', reject);
    // Node only closes the connection if the server switches protocols (101).
    sent.on('close', () => reject(new Error('the connection was closed without a response')));
    sent.on('response', (answer) => {
      const { statusCode: status = 0, headers } = answer;
      resolve({ status, headers, body: unpacked(answer, headers['content-encoding']) });
    });
    sent.end(body);
  });
}

function unpacked(answer: http.IncomingMessage, encoding: string | undefined): Readable {
  const unpack = UNPACK.get(encoding?.trim().toLowerCase() ?? '')?.();
  if (!unpack) return answer;
  return pipeline(answer, unpack, () => {}); // the stream itself reports the error to its reader
}

/** A map: a plain object would also call inherited functions (`constructor`), which throw where nothing catches it. */
const UNPACK = new Map<string, () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
]);
