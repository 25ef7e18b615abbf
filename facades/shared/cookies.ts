/** Cookies of requests and answers. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What one of our cookies can hold; others are as good as none. */
const VALUE = /^[\w.-]{1,200}$/;

/** The value of a cookie of ours; undefined without one, or when it holds what ours never hold. The first of several counts. */
export function cookieOf(req: IncomingMessage, name: string): string | undefined {
  for (const pair of req.headers.cookie?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    return VALUE.test(value) ? value : undefined;
  }
  return undefined;
}

/** Sets one cookie more. What belongs to one browser is not for caches. */
export function addCookie(res: ServerResponse, cookie: string): void {
  const before = res.getHeader('set-cookie');
  res.setHeader('set-cookie', [...(Array.isArray(before) ? before : []), cookie]);
  res.setHeader('cache-control', 'no-store');
}
