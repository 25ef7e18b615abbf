/** Parts of a page's head for search engines, link previews and feed readers. */
import { type Frame, imageOf } from './frame.ts';
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
export function Meta({ frame, title, meta }: { frame: Frame; title: string; meta: PageMeta | null }) {
  if (meta === null) return <meta name="robots" content="noindex" />;
  const { path, description, feed, isHidden } = meta;
  const image = imageOf(meta.image ?? '', frame) ?? imageOf(frame.logo, frame);
  const { offered, prefix } = frame.languages;
  const address = frame.siteUrl + prefix + path;
  return (
    <>
      {isHidden && <meta name="robots" content="noindex, follow" />}
      <link rel="canonical" href={address} />
      {offered.length > 1 && <link rel="alternate" hreflang="x-default" href={frame.siteUrl + path} />}
      {offered.length > 1 &&
        offered.map((locale) => (
          <link key={locale} rel="alternate" hreflang={locale} href={`${frame.siteUrl}/${locale}${path}`} />
        ))}
      {description && <meta name="description" content={description} />}
      <meta property="og:site_name" content={frame.siteTitle} />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:url" content={address} />
      {description && <meta property="og:description" content={description} />}
      {image && <meta property="og:image" content={image} />}
      {feed && <link rel="alternate" type="application/atom+xml" title={feed.title} href={feed.path} />}
    </>
  );
}

/** A description in schema.org. */
export const JsonLd = ({ data }: { data: unknown }) => (
  <script
    type="application/ld+json"
    // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON in which no tag begins; the policy runs no script anyway
    dangerouslySetInnerHTML={{ __html: scriptText(data) }}
  />
);
