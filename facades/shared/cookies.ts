/** Cookies of requests and responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';

/** Values of our cookies. Others are treated as missing. */
const VALUE = /^[\w.-]{1,200}$/;
/** Our values are never percent-encoded: an encoded one is not ours. */
const raw = (value: string): string => value;

/** The value of one of our cookies. If the name is repeated, the first one counts. */
export function cookieOf(req: IncomingMessage, name: string): string | undefined {
  const value = parseCookie(req.headers.cookie ?? '', { decode: raw })[name];
  return value !== undefined && VALUE.test(value) ? value : undefined;
}

/** Adds a cookie to a response. No cache may store the response then. */
export function addCookie(res: ServerResponse, cookie: SetCookie): void {
  res.appendHeader('set-cookie', stringifySetCookie(cookie)).setHeader('cache-control', 'no-store');
}
