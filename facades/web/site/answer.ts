/** Sends HTML pages with a strict Content-Security-Policy and without shared caching. */
import type { ServerResponse } from 'node:http';
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** No scripts; styles, images and forms from the same origin. */
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
  // URLs can contain one-time keys, so other sites get no referrer. `no-referrer` would be too strict: browsers then send the page's own
  // forms with `Origin: null`, and they are refused as cross-site.
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-store',
  vary: 'Cookie',
};

/** Links and forms with a path of this site. Tags are complete, because the renderer escapes `<` in text and attributes. */
const OWN_PATHS = /(<(?:a|form|link)\b[^>]*? (?:href|action)=")(?=\/(?!\/))/g;

/**
 * Ends the response with a page; the renderer escapes its texts. HEAD gets the headers only. `root`, the path of the site behind a proxy,
 * is put before links and forms.
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
