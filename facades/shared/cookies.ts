/** Reads and sets cookies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';

/** Format of our cookies; other values count as missing. */
const VALUE = /^[\w.-]{1,200}$/;
/** Our values are never percent-encoded: an encoded one is not ours. */
const raw = (value: string): string => value;

/** Value of one of our cookies; undefined when missing or malformed. The first of several counts. */
export function cookieOf(req: IncomingMessage, name: string): string | undefined {
  const value = parseCookie(req.headers.cookie ?? '', { decode: raw })[name];
  return value !== undefined && VALUE.test(value) ? value : undefined;
}

/** Adds a cookie. Its response belongs to one browser, so it disables shared caching. */
export function addCookie(res: ServerResponse, cookie: string): void {
  const before = res.getHeader('set-cookie');
  res.setHeader('set-cookie', [...(Array.isArray(before) ? before : []), cookie]);
  res.setHeader('cache-control', 'no-store');
}
