/** Renders Markdown. Search engines ignore its links, and images of other hosts become links. */
import type { Frame } from './frame.ts';
import { imageSource } from './picture.tsx';
import { useTexts } from './use-texts.ts';

const TAGS = /<a href="|<\/a>|<img src="([^"]*)" alt="([^"]*)"( title="[^"]*")?>/g;

interface HtmlTextProps {
  readonly frame: Frame;
  /** Made by `markdownToHtml`, which lets no tags through. */
  readonly html: string | null | undefined;
  /** Whether it is a translation into the language of the page. */
  readonly isTranslated?: boolean;
}

/** Renders nothing without a text. */
export function HtmlText({ frame, html, isTranslated = false }: HtmlTextProps) {
  const { dataLang } = useTexts();
  if (!html) return null;
  const safe = { __html: safeHtml(html, frame) };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made of Markdown by markdownToHtml, which lets no tags through
  return <div class="text" lang={isTranslated ? undefined : dataLang} dangerouslySetInnerHTML={safe} />;
}

/** Its tags are those of markdown-it: attributes are quoted, and their values escaped. */
export function safeHtml(html: string, frame: Pick<Frame, 'siteUrl' | 'images'>): string {
  let isInLink = false;
  return html.replace(TAGS, (tag: string, url = '', alt = '', title = '') => {
    if (!tag.startsWith('<img')) {
      isInLink = tag !== '</a>';
      return isInLink ? '<a rel="nofollow ugc" href="' : tag;
    }
    const source = imageSource(url.replaceAll('&amp;', '&'), frame);
    if (source !== null) return `<img src="${source.replaceAll('&', '&amp;')}" alt="${alt}"${title} loading="lazy">`;
    return isInLink ? alt || url : `<a rel="nofollow ugc" href="${url}"${title}>${alt || url}</a>`;
  });
}
