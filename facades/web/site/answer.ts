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
  // Addresses can hold one-time keys, so other sites get no referrer. `no-referrer` would be too strict: the browser then
  // sends the page's own forms with `Origin: null`, and they are refused as another site's.
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-store',
  vary: 'Cookie',
};

/** Links and forms that lead to a path of this site. Tags are whole: the renderer escapes `<` in texts and attributes. */
const OWN_PATHS = /(<(?:a|form|link)\b[^>]*? (?:href|action)=")(?=\/(?!\/))/g;

/**
 * Ends the response with a page. Texts in it are escaped by the renderer. A HEAD request gets the headers alone.
 * `root` is put in front of the page's links and forms: the path that a proxy serves the site below.
 */
export function sendPage(
  res: ServerResponse,
  status: number,
  page: JSX.Element,
  headers: Readonly<Record<string, string>> = {},
  root = '',
): void {
  const html = renderToString(page);
  const body = Buffer.from(`<!doctype html>\n${root === '' ? html : html.replace(OWN_PATHS, (tag) => tag + root)}`);
  res.writeHead(status, { ...HEADERS, 'content-length': String(body.length), ...headers });
  res.end(res.req.method === 'HEAD' ? undefined : body);
}
