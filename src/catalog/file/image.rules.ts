/** Rules of images: accepted types, names and addresses. Pure. */

/** Owner of an image. Groups and organizations share one form of address, users have another. */
export type ImageOwner = 'group' | 'user';

export interface ImageType {
  readonly mediaType: string;
  /** Endings of names; the first is added to names without one. */
  readonly endings: readonly string[];
}

const PNG: ImageType = { mediaType: 'image/png', endings: ['png'] };
const JPEG: ImageType = { mediaType: 'image/jpeg', endings: ['jpg', 'jpeg'] };
const GIF: ImageType = { mediaType: 'image/gif', endings: ['gif'] };
const WEBP: ImageType = { mediaType: 'image/webp', endings: ['webp'] };
const AVIF: ImageType = { mediaType: 'image/avif', endings: ['avif'] };

/** The problem of files of other types. SVG is refused, because it may contain scripts. */
export const NO_IMAGE = 'Must be an image: PNG, JPEG, GIF, WebP or AVIF';

/** The image type by the first bytes of a file, independent of its name; null for a file that browsers do not show safely. */
export function imageTypeOf(start: Buffer): ImageType | null {
  const text = start.subarray(0, 64).toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return PNG;
  if (text.startsWith('\xff\xd8\xff')) return JPEG;
  if (/^GIF8[79]a/.test(text)) return GIF;
  if (/^RIFF.{4}WEBP/s.test(text)) return WEBP;
  // Brands of four letters: the first one, a version, then the compatible ones.
  return /^.{4}ftyp(?:.{4})*?avi[fs]/s.test(text) ? AVIF : null;
}

const MAX_LENGTH = 60;

/**
 * The name of a new image: upload time and unique digits, then its own name in ASCII with a correct ending. The form is
 * that of older catalogs: programs that copy images between catalogs cut the digits off.
 */
export function imageName(fileName: string, { endings }: ImageType, now: Date, digits: string): string {
  const at = now.toISOString();
  const plain = fileName
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
 * The URL of an image for browsers: addresses unchanged, names of stored images below the site. Empty stays empty. A
 * name is encoded as one path segment, so it cannot lead elsewhere; spaces stay unchanged, as clients expect.
 */
export function imageAddress(owner: ImageOwner, imageUrl: string, siteUrl: string): string {
  if (WEB.test(imageUrl)) return imageUrl;
  return /^\.{0,2}$/.test(imageUrl)
    ? ''
    : `${siteUrl}/uploads/${owner}/${imageUrl.replace(NOT_IN_STEP, encodeURIComponent)}`;
}

const WEB = /^https?:/i;
const NOT_IN_STEP = /[/\\?#%"<>\p{Cc}]/gu;

/** The requested change of an image. */
export interface ImageChange {
  /** The imageUrl in the input; undefined when omitted. */
  readonly requested: string | null | undefined;
  /** Name of the uploaded image; undefined without one. */
  readonly upload: string | undefined;
  readonly clear: boolean;
}

/**
 * The imageUrl after the write. A stored image stays until another image or address replaces it, or it is cleared.
 * Clients may send back its name, its name on another site, or its whole address.
 */
export function draftImageUrl(before: string, isStored: boolean, { requested, upload, clear }: ImageChange): string {
  if (upload !== undefined) return upload;
  if (!isStored) return requested === undefined ? before : (requested ?? '');
  const own = requested === undefined || requested === before || requested?.endsWith(`/${before}`) === true;
  if (clear) return own ? '' : (requested ?? '');
  return own || (requested && !WEB.test(requested)) ? before : (requested ?? '');
}
