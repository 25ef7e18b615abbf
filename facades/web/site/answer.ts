/** Sends HTML pages with a strict Content-Security-Policy. Pages of visitors may be cached; others are for their reader only. */
import type { ServerResponse } from 'node:http';
import etag from 'etag';
import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { compress } from '../../shared/compress.ts';
import { isUnchanged } from '../../shared/conditions.ts';

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
};

/** Headers that can hold the reader's credentials. A page for one reader never answers a request of another. */
const READER_HEADERS = ['Cookie', 'Authorization', 'X-CKAN-API-Key'];

/** Links and forms with a path of this site. Tags are complete, because the renderer escapes `<` in text and attributes. */
const OWN_PATHS = /(<(?:a|form|link)\b[^>]*? (?:href|action)=")(?=\/(?!\/))/g;

export interface PageOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Further request headers on which the page depends. */
  readonly vary?: readonly string[];
  /** Path of the site behind a proxy. It is put before links and forms. */
  readonly root?: string;
  /** Cache-Control of a page that everyone may read; null if it is for this reader only. Called after the page is rendered. */
  readonly publicCache?: () => string | null;
}

/** Ends the response with a page; the renderer escapes its texts. HEAD gets the headers only. @throws Error of a component */
export function sendPage(
  res: ServerResponse,
  status: number,
  page: JSX.Element,
  { headers = {}, vary = [], root = '', publicCache = () => null }: PageOptions = {},
): void {
  const html = renderToString(page);
  const body = Buffer.from(`<!doctype html>\n${root === '' ? html : html.replace(OWN_PATHS, (tag) => tag + root)}`);
  const cacheControl = publicCache();
  const varies = ['Accept-Encoding', ...READER_HEADERS, ...vary].join(', ');
  const all = { ...HEADERS, ...headers, 'cache-control': cacheControl ?? 'private, no-store', vary: varies };
  if (cacheControl === null) {
    // Not compressed: personal pages hold keys, whose bytes the length of a compressed page could reveal (BREACH).
    res.writeHead(status, { ...all, 'content-length': String(body.length) });
    return void res.end(res.req.method === 'HEAD' ? undefined : body);
  }
  sendPublic(res, status, body, all).catch(() => res.destroy());
}

/** Sends what everyone may read: compressed, or 304 if the reader has it. `headers` include `Vary: Accept-Encoding`. */
export async function sendPublic(
  res: ServerResponse,
  status: number,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { req } = res;
  // These numbers belong to one reader; other readers of a cached page must not get them.
  for (const name of ['RateLimit', 'RateLimit-Policy']) res.removeHeader(name);
  const tag = etag(body, { weak: true }); // weak: one tag for all encodings
  if (isUnchanged(req.headers, { etag: tag })) return void res.writeHead(304, { ...headers, etag: tag }).end();
  const { bytes, encoding } = await compress(req.headers['accept-encoding'], body);
  res.writeHead(status, {
    ...headers,
    etag: tag,
    'content-length': String(bytes.length),
    ...(encoding && { 'content-encoding': encoding }),
  });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}
