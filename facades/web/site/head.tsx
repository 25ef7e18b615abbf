/** Parts of a page's head for search engines, link previews and feed readers. */
import { type Frame, imageOf } from './frame.ts';
import { html, type Markup } from './markup.ts';
import { scriptText } from './schema-org.ts';

export interface PageMeta {
  /** Path of the page, with the parameters that select its content and no others. */
  readonly path: string;
  /** One or two sentences. Default: none. */
  readonly description?: string | undefined;
  /** URL of an image for previews. Default: the logo of the site. */
  readonly image?: string | undefined;
  /** Feed of the page's datasets. */
  readonly feed?: { readonly title: string; readonly path: string } | undefined;
  /** Whether search engines must not list the page: one of endless searches. */
  readonly isHidden?: boolean | undefined;
}

/** `meta`: null for a page that search engines must not list, such as a form or an error. */
export function metaOf(frame: Frame, title: string, meta: PageMeta | null): Markup {
  if (meta === null) return html`<meta name="robots" content="noindex"/>`;
  const { path, description, feed, isHidden } = meta;
  const image = imageOf(meta.image ?? '', frame) ?? imageOf(frame.logo, frame);
  const address = frame.siteUrl + frame.languages.prefix + path;
  return joined([
    isHidden && html`<meta name="robots" content="noindex, follow"/>`,
    html`<link rel="canonical" href="${address}"/>`,
    ...alternatesOf(frame, path),
    description && html`<meta name="description" content="${description}"/>`,
    html`<meta property="og:site_name" content="${frame.siteTitle}"/>`,
    html`<meta property="og:type" content="website"/>`,
    html`<meta property="og:title" content="${title}"/>`,
    html`<meta property="og:url" content="${address}"/>`,
    description && html`<meta property="og:description" content="${description}"/>`,
    image && html`<meta property="og:image" content="${image}"/>`,
    feed && html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.path}"/>`,
  ]);
}

const joined = (parts: readonly (Markup | false | '' | null | undefined)[]): Markup => html`${parts}`;

/** The page in the site's languages, if there are several. */
function alternatesOf({ siteUrl, languages: { offered } }: Frame, path: string): Markup[] {
  if (offered.length < 2) return [];
  const link = (locale: string, address: string) =>
    html`<link rel="alternate" hreflang="${locale}" href="${siteUrl}${address}"/>`;
  return [link('x-default', path), ...offered.map((locale) => link(locale, `/${locale}${path}`))];
}

/** A description in schema.org. */
export const JsonLd = ({ data }: { data: unknown }) => (
  <script
    type="application/ld+json"
    // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON in which no tag begins; the policy runs no script anyway
    dangerouslySetInnerHTML={{ __html: scriptText(data) }}
  />
);
