/** Small things every facade needs of HTTP: headers of every answer, sending text, query strings. */
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const READ_HEADERS = [
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'X-CATALOG-API-Key',
  'X-CKAN-API-Key',
] as const;

/** CORS on every route: the API is public, credentials travel in headers, never in cookies of another site. */
export const CORS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': READ_HEADERS.join(', '),
  'access-control-expose-headers':
    'ETag, Deprecation, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, GraphQL-Cost',
};

/** What a browser is told that asks before it sends a request from a page of another site. `keyHeader`: where this site has API keys too (apikey_header_name). */
export const preflight = (keyHeader: string): Readonly<Record<string, string>> => ({
  ...CORS,
  'access-control-allow-headers': [...new Set([...READ_HEADERS, 'X-Request-Id', keyHeader])].join(', '),
  'access-control-max-age': '7200',
});

export const JSON_TYPE = 'application/json;charset=utf-8';

/** Headers of every answer, as the flat list that Node writes fastest. */
export const ALWAYS: readonly string[] = [...Object.entries(CORS).flat(), 'x-content-type-options', 'nosniff'];

/** Long texts are written here first: how long they are as bytes is then known without reading them twice. */
const WORKBENCH = Buffer.allocUnsafeSlow(1024 * 1024);
const SHORT = 4_096;

/** A text as bytes. */
export function bytesOf(text: string): Buffer {
  if (text.length <= SHORT || text.length * 3 > WORKBENCH.length) return Buffer.from(text);
  return Buffer.from(WORKBENCH.subarray(0, WORKBENCH.write(text)));
}

/** Ends the response with a text, or its bytes. `headers` come on top of type, length and CORS. */
export function sendText(
  res: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = typeof body === 'string' ? bytesOf(body) : body;
  const list = [...ALWAYS, 'content-type', type, 'content-length', String(bytes.length)];
  for (const name in headers) list.push(name, headers[name] as string);
  res.writeHead(status, list);
  res.end(bytes);
}

/** Of a refusal that passes by itself: in how many seconds to ask again, where nobody has said more about it. */
export const retryHeader = (res: ServerResponse, status: number): Readonly<Record<string, string>> =>
  (status === 429 || status === 503) && !res.hasHeader('retry-after') ? { 'retry-after': '10' } : {};

/** `?name=value` with nothing that is written in another way than it is meant: most requests for one thing. */
const PLAIN_PAIR = /^\?([\w.-]+)=([\w.-]*)$/;

/** Query parameters of a URL; a repeated name gives a list in order. Broken percent escapes are kept as replacement characters. */
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

/** The tag of an answer: its object's version, for If-Match, and a hash of what the version does not cover: members, counts and datasets of others that an answer embeds. */
export const entityTag = (version: number, body: string | Buffer): string =>
  `"${version}-${hash('sha1', body, 'base64url').slice(0, 16)}"`;

/** Version asked for by If-Match (`"7-…"`, `"7"` or `7`); null without the header or for `*`. NaN when it cannot be one of ours. */
export function ifMatch(req: IncomingMessage): number | null {
  const header = req.headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  return Number(/^\s*(?:W\/)?"?(\d+)(?:-[\w-]+)?"?\s*$/.exec(header)?.[1] ?? Number.NaN);
}
