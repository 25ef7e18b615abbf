/** Which images are kept, what they are called, and what becomes of an address of one. Pure. */

/** Whose image: groups and organizations have one kind of address, users another. */
export type ImageOwner = 'group' | 'user';

export interface ImageType {
  readonly mediaType: string;
  /** Endings of names; the first is given where a name has none of them. */
  readonly endings: readonly string[];
}

const PNG: ImageType = { mediaType: 'image/png', endings: ['png'] };
const JPEG: ImageType = { mediaType: 'image/jpeg', endings: ['jpg', 'jpeg'] };
const GIF: ImageType = { mediaType: 'image/gif', endings: ['gif'] };
const WEBP: ImageType = { mediaType: 'image/webp', endings: ['webp'] };
const AVIF: ImageType = { mediaType: 'image/avif', endings: ['avif'] };

/** What is said of a file that is none of them. Drawings (SVG) may hold scripts: they are not taken. */
export const NO_IMAGE = 'Must be an image: PNG, JPEG, GIF, WebP or AVIF';

/** What the bytes at the start of a file are, whatever it is called; null when they are no image that browsers show safely. */
export function imageTypeOf(start: Buffer): ImageType | null {
  const text = start.subarray(0, 64).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return PNG;
  if (text.startsWith('\xff\xd8\xff')) return JPEG;
  if (/^GIF8[79]a/.test(text)) return GIF;
  if (/^RIFF.{4}WEBP/s.test(text)) return WEBP;
  // Brands of four letters: the first one, a version, then those it is compatible with.
  return /^.{4}ftyp(?:.{4})*?avi[fs]/s.test(text) ? AVIF : null;
}

const MAX_LENGTH = 60;

/**
 * What a new image is called: when it came in and digits that no other has, then its own name in ASCII with an ending that is
 * true. The form is that of older catalogs: programs that move images from one to another cut the digits off.
 */
export function imageName(given: string, { endings }: ImageType, now: Date, digits: string): string {
  const at = now.toISOString();
  const plain = given
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9_.-]/g, '');
  const ending = /\.([a-z0-9]+)$/.exec(plain)?.[1];
  const base = (ending === undefined ? plain : plain.slice(0, -ending.length - 1)).replace(/^\.+/, '');
  const named = ending !== undefined && endings.includes(ending) ? ending : endings[0];
  return `${at.slice(0, 10)}-${at.slice(11, 19).replaceAll(':', '')}.${digits}${base.slice(0, MAX_LENGTH) || 'image'}.${named}`;
}

/**
 * Where browsers find an image: an address as it is, the name of one that is kept here below the site. Empty stays empty.
 * A name is one step of a path, whatever is in it, and leads nowhere else; spaces stay as they are, as clients know it.
 */
export function imageAddress(owner: ImageOwner, imageUrl: string, siteUrl: string): string {
  if (WEB.test(imageUrl)) return imageUrl;
  return /^\.{0,2}$/.test(imageUrl)
    ? ''
    : `${siteUrl}/uploads/${owner}/${imageUrl.replace(NOT_IN_STEP, encodeURIComponent)}`;
}

const WEB = /^https?:/i;
const NOT_IN_STEP = /[/\\?#%"<>\p{Cc}]/gu;

/** What a caller wants to become of an image. */
export interface ImageChange {
  /** Undefined: nothing was said. */
  readonly given: string | null | undefined;
  /** Name of the image that came in; undefined when none did. */
  readonly upload: string | undefined;
  readonly clear: boolean;
}

/**
 * The imageUrl as it shall be. An image that is kept here stays until another one or an address is given, or it is cleared:
 * clients send back its name, the name that it had on another site, or its whole address.
 */
export function draftImageUrl(before: string, isKept: boolean, { given, upload, clear }: ImageChange): string {
  if (upload !== undefined) return upload;
  if (!isKept) return given === undefined ? before : (given ?? '');
  const own = given === undefined || given === before || given?.endsWith(`/${before}`) === true;
  if (clear) return own ? '' : (given ?? '');
  return own || (given && !WEB.test(given)) ? before : (given ?? '');
}
