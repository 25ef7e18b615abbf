/** Sends a page: whole HTML documents under a strict policy, nothing of which is kept by caches that others share. */
import type { ServerResponse } from 'node:http';
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** No script at all; styles, pictures and forms of our own. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-store',
  vary: 'Cookie',
};

/** Ends the response with a page. Texts in it are escaped by the renderer. A HEAD request gets the headers alone. */
export function sendPage(
  res: ServerResponse,
  status: number,
  page: JSX.Element,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = Buffer.from(`<!doctype html>\n${renderToString(page)}`);
  res.writeHead(status, { ...HEADERS, 'content-length': String(body.length), ...headers });
  res.end(res.req.method === 'HEAD' ? undefined : body);
}
