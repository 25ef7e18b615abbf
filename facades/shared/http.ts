/** HTTP helpers of all facades: common headers, sending text, query strings, entity tags. */
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Body } from '../../src/kernel/json.ts';

const READ_HEADERS = [
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'X-CATALOG-API-Key',
  'X-CKAN-API-Key',
] as const;

/** CORS headers that browsers read from responses. The API is public. Cross-site requests send credentials in headers, never in cookies. */
const READABLE: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Deprecation, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, GraphQL-Cost',
};

/** CORS headers of every response of the REST contracts. */
export const CORS: Readonly<Record<string, string>> = {
  ...READABLE,
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': READ_HEADERS.join(', '),
};

/**
 * Headers of the response to a CORS preflight request. `*` allows every request header, as Apollo Client, Sentry and OpenTelemetry add
 * their own. This is safe because browsers never send cookies with these requests: that would need `Access-Control-Allow-Credentials`.
 * `*` does not cover Authorization. The other names are for browsers without `*`. `keyHeader`: the site's additional header for API keys
 * (apikey_header_name).
 */
export const preflight = (keyHeader: string): Readonly<Record<string, string>> => ({
  ...CORS,
  'access-control-allow-headers': [...new Set([...READ_HEADERS, 'X-Request-Id', keyHeader, '*'])].join(', '),
  'access-control-max-age': '7200',
});

export const JSON_TYPE = 'application/json;charset=utf-8';

/** As a flat list, which Node writes fastest. */
const flat = (headers: Readonly<Record<string, string>>): readonly string[] => Object.entries(headers).flat();
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

/** Headers of every text that is sent. */
const ALWAYS = flat({ ...CORS, ...NO_SNIFFING });

/** Headers of results of the graph. Browsers read the allowed methods and headers from preflight responses. */
export const GRAPH_ALWAYS = flat({ ...READABLE, ...NO_SNIFFING });

/** Scratch buffer for longer texts: writing returns the length in bytes, so that the text is read only once. */
const WORKBENCH = Buffer.allocUnsafeSlow(1024 * 1024);
/** Maximum characters of a text whose bytes are from Node's pool: short bytes that stay would hold more memory than they take. */
export const SHORT = 4_096;

/** Encodes a text as UTF-8. */
export function bytesOf(text: string): Buffer {
  if (text.length <= SHORT || text.length * 3 > WORKBENCH.length) return Buffer.from(text);
  return Buffer.from(WORKBENCH.subarray(0, WORKBENCH.write(text)));
}

/** The whole body as bytes. */
export const wholeOf = (body: Body): Buffer =>
  typeof body === 'string' ? bytesOf(body) : Buffer.isBuffer(body) ? body : Buffer.concat(body as Buffer[]);

/** The whole text of a body. */
export const textOf = (body: Body): string => (typeof body === 'string' ? body : wholeOf(body).toString());

/** Ends the response with a body. `headers` are added to type, length and CORS. */
export function sendText(
  res: ServerResponse,
  status: number,
  type: string,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    sendPieces(res, status, type, body, headers);
    return;
  }
  const bytes = typeof body === 'string' ? bytesOf(body) : body;
  writeHead(res, status, type, bytes.length, headers);
  res.end(bytes);
}

function writeHead(
  res: ServerResponse,
  status: number,
  type: string,
  length: number,
  headers: Readonly<Record<string, string>>,
): void {
  const list = [...ALWAYS, 'content-type', type, 'content-length', String(length)];
  for (const name in headers) list.push(name, headers[name] as string);
  res.writeHead(status, list);
}

/** Sends the head and all pieces by one system call. */
function sendPieces(
  res: ServerResponse,
  status: number,
  type: string,
  pieces: readonly Buffer[],
  headers: Readonly<Record<string, string>>,
): void {
  writeHead(
    res,
    status,
    type,
    pieces.reduce((sum, { length }) => sum + length, 0),
    headers,
  );
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.end();
}

/** Retry-After, in seconds, for 429 and 503. Empty for other statuses, or if the response already has the header. */
export const retryHeader = (res: ServerResponse, status: number): Readonly<Record<string, string>> =>
  (status === 429 || status === 503) && !res.hasHeader('retry-after') ? { 'retry-after': '10' } : {};

/** `?name=value` without escapes: the query of most requests for one object. */
const PLAIN_PAIR = /^\?([\w.-]+)=([\w.-]*)$/;

/** Query parameters of a URL. A repeated name gives a list, in order. Escapes of invalid UTF-8 become replacement characters. */
export function queryOf(url: string): Record<string, string | string[]> {
  const at = url.indexOf('?');
  const query: Record<string, string | string[]> = Object.create(null);
  if (at < 0) return query;
  const plain = PLAIN_PAIR.exec(url.slice(at));
  if (plain) {
    query[plain[1] as string] = plain[2] as string;
    return query;
  }
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    const before = query[name];
    if (Array.isArray(before)) before.push(value);
    else query[name] = before === undefined ? value : [before, value];
  }
  return query;
}

/**
 * The entity tag of a response: the object's version, for If-Match, and a hash of the body, or of a text that identifies it. The version
 * does not cover embedded members, counts and datasets. `mediaType` distinguishes formats with equal bodies.
 */
export const entityTag = (version: number, body: string | Buffer, mediaType = ''): string =>
  `"${version}-${hash('sha1', body, 'base64url').slice(0, 16)}${mediaType.replace(/\W/g, '-')}"`;

/** The version in If-Match (`"7-…"`, `"7"` or `7`). Null without the header or for `*`. NaN for any other value. */
export function ifMatch(req: IncomingMessage): number | null {
  const header = req.headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  return Number(/^\s*(?:W\/)?"?(\d+)(?:-[\w-]+)?"?\s*$/.exec(header)?.[1] ?? Number.NaN);
}
