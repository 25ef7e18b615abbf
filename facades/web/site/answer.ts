/** Sends HTML pages with a strict Content-Security-Policy. Pages of visitors may be cached; others are for their reader only. */
import type { ServerResponse } from 'node:http';
import { h, type JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { isUnchanged } from '../../shared/conditions.ts';
import { type Fragment, type RenderedPage, unstoredPage } from './rendered.ts';
import { type Texts, textsOf } from './texts.ts';
import { TextsContext } from './use-texts.ts';

/** Scripts, styles, images and forms from the same origin. */
const CONTENT_SECURITY_POLICY: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'connect-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

/** The policy of pages, with further sources or other ones. `images`: origins of images, besides the site. */
export const policyOf = (sources: Readonly<Record<string, string>> = {}, images: readonly string[] = []): string => {
  const all: Readonly<Record<string, string>> = { ...CONTENT_SECURITY_POLICY, ...sources };
  return Object.entries({ ...all, 'img-src': [all['img-src'], ...images].join(' ') })
    .map(([directive, value]) => `${directive} ${value}`)
    .join('; ');
};

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  // URLs can contain one-time keys, so other sites get no referrer. `no-referrer` would be too strict: browsers then send the page's own
  // forms with `Origin: null`, and they are refused as cross-site.
  'referrer-policy': 'same-origin',
};

/** Headers that can hold the reader's credentials. A page for one reader never answers a request of another. */
const READER_HEADERS = ['Cookie', 'Authorization', 'X-CKAN-API-Key'];

/** Links, forms, images, scripts and facets with a path of this site. Tags are complete, because the renderer escapes `<` in text and attributes. */
const OWN_PATHS =
  /(<(a|form|link|button|img|script|input|section|iframe|audio|video)\b[^>]*? (?:href|action|formaction|src|data-suggest|data-whole|data-live)=")(?=(\/(?!\/)[^"]*))/gi;

/** Paths that have no language: of programs and files. A link to another language has its prefix. */
const NO_PAGE =
  /^\/(?:api|graphql|graphiql|changes|static|feeds|uploads|datastore|favicon|sitemap|robots|catalog\.)|\.(?:ttl|rdf|n3|jsonld|xml|nt)$/;

/** Elements that load files. */
const NO_PAGES = new Set(['link', 'img', 'script', 'iframe', 'audio', 'video']);

/** Puts the path of the site before links, and the language of the page before links to pages. */
function withPrefixes(html: string, root: string, prefix: string): string {
  if (root === '' && prefix === '') return html;
  return html.replace(OWN_PATHS, (tag: string, _: string, element: string, path: string) => {
    const isPage = !NO_PAGES.has(element) && !tag.includes(' hreflang="') && !NO_PAGE.test(path.split(/[?#]/)[0]!);
    return tag + root + (isPage ? prefix : '');
  });
}

export interface PageOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Further request headers on which the page depends. */
  readonly vary?: readonly string[];
  /** Path of the site behind a proxy. It is put before links and forms. */
  readonly root?: string;
  /** Texts of the page. Default: English. */
  readonly texts?: Texts;
  /** Prefix of the page's language, such as `/de`. It is put before links to pages. */
  readonly prefix?: string;
  /** Origins from which the page loads images, besides the site. */
  readonly images?: readonly string[];
  /** Cache-Control of a page that everyone may read; null if it is for this reader only. Called after the page is rendered. */
  readonly publicCache?: () => string | null;
  /** The part of the page at its `FragmentSlot`. Its properties are plain JSON: it is rendered again only if they differ. Default: nothing. */
  readonly fragment?: JSX.Element;
  /** The page with its fragment, from a cache if possible. `isPublic` is called after `render`. Default: it is rendered. */
  readonly rendered?: (fragment: Fragment, render: () => string, isPublic: () => boolean) => RenderedPage;
}

/** Ends the response with a page; the renderer escapes its texts. HEAD gets the headers only. @throws Error of a component */
export function sendPage(
  res: ServerResponse,
  status: number,
  page: JSX.Element,
  {
    headers = {},
    vary = [],
    root = '',
    texts = textsOf('en'),
    prefix = '',
    images = [],
    publicCache = () => null,
    fragment,
    rendered = unstoredPage,
  }: PageOptions = {},
): void {
  const htmlOf = (element: JSX.Element) =>
    withPrefixes(renderToString(h(TextsContext.Provider, { value: texts, children: element })), root, prefix);
  const render = () => `<!doctype html>\n${htmlOf(page)}`;
  const isPublic = () => publicCache() !== null;
  const part = { data: JSON.stringify(fragment?.props ?? null), html: () => (fragment ? htmlOf(fragment) : '') };
  // A page that is personal before it is rendered is never looked up.
  const shown = (isPublic() ? rendered : unstoredPage)(part, render, isPublic);
  const cacheControl = publicCache();
  const varies = [...new Set(['Accept-Encoding', ...READER_HEADERS, ...vary])].join(', ');
  const all = {
    ...HEADERS,
    'content-security-policy': policyOf({}, images),
    ...headers,
    'content-language': texts.locale,
    'cache-control': cacheControl ?? 'private, no-store',
    vary: varies,
  };
  if (cacheControl === null) {
    // Not compressed: personal pages hold keys, whose bytes the length of a compressed page could reveal (BREACH).
    const { body } = shown;
    res.writeHead(status, { ...all, 'content-length': String(body.length) });
    return void res.end(res.req.method === 'HEAD' ? undefined : body);
  }
  sendPublic(res, status, shown, all).catch(() => res.destroy());
}

/** Sends what everyone may read: compressed, or 304 if the reader has it. `headers` include `Vary: Accept-Encoding`. */
export async function sendPublic(
  res: ServerResponse,
  status: number,
  page: RenderedPage,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { req } = res;
  // These numbers belong to one reader; other readers of a cached page must not get them.
  for (const name of ['RateLimit', 'RateLimit-Policy']) res.removeHeader(name);
  const { etag } = page;
  if (isUnchanged(req.headers, { etag })) return void res.writeHead(304, { ...headers, etag }).end();
  const { bytes, encoding } = await page.packed(req.headers['accept-encoding']);
  res.writeHead(status, {
    ...headers,
    etag,
    'content-length': String(bytes.length),
    ...(encoding && { 'content-encoding': encoding }),
  });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}
