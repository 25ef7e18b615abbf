/** Pictures of organizations and groups. A picture of another host is loaded only if the site allows it; otherwise an initial is shown. */
import type { Frame } from './frame.ts';

/** Origins from which pages load images, besides the site itself: those of the setting, and that of the logo. */
export function imageSources(hosts: readonly string[], logo: string): readonly string[] {
  if (hosts.includes('*')) return ['https:'];
  return [...new Set([...hosts, logo].filter(isAbsolute).map((url) => new URL(url).origin))];
}

const isAbsolute = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

/** The URL from which a page loads an image: a path for images of the site. Null if pages must not load it. */
export function imageSource(url: string, { siteUrl, images }: Pick<Frame, 'siteUrl' | 'images'>): string | null {
  if (/^\/(?![/\\])/.test(url)) return url;
  if (url.startsWith(`${siteUrl}/`)) return url.slice(siteUrl.length);
  if (!isAbsolute(url)) return null;
  const { origin, protocol } = new URL(url);
  return images.includes(origin) || (images.includes('https:') && protocol === 'https:') ? url : null;
}

/** Colours of initials. */
const TINTS = 6;

interface PictureProps {
  readonly frame: Frame;
  /** URL of the image; may be empty. */
  readonly url: string;
  /** Name of the object. */
  readonly name: string;
  /** In a list. */
  readonly isSmall?: boolean;
}

export function Picture({ frame, url, name, isSmall = false }: PictureProps) {
  const source = imageSource(url, frame);
  if (source !== null) return <img class={isSmall ? 'thumb' : 'logo'} src={source} alt="" loading="lazy" />;
  const sum = [...name].reduce((total, letter) => (31 * total + letter.codePointAt(0)!) % 9973, 7);
  return (
    <span class={`initial tint-${sum % TINTS}${isSmall ? ' small' : ''}`} aria-hidden="true">
      {initialOf(name)}
    </span>
  );
}

/** The first letter or digit of a name, in upper case. */
const initialOf = (name: string): string => (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '·').toLocaleUpperCase('en');
