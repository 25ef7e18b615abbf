/**
 * Cache of rendered pages of visitors. A page is a function of its URL, its frame and the results of its operations: these are the key, so
 * no entry is ever stale. The operations run for each request, under the policy of its caller. Rendering and compression are skipped.
 * A page can have a fragment that changes more often than its rest. It is rendered when its data changed, and put into the stored page.
 */
import { hash, randomUUID } from 'node:crypto';
import etag from 'etag';
import { h } from 'preact';
import { createLru } from '../../../src/infra/concurrency/lru.ts';
import { toJsonText } from '../../../src/kernel/json.ts';
import { type Compressed, compress, type Encoding, packingOf } from '../../shared/compress.ts';
import type { Frame } from './frame.ts';

/** Maximum bytes of all pages together, with their compressed forms. */
const MAX_BYTES = 32 * 1024 * 1024;
/** A larger page is not stored, so that no page evicts many others. */
const MAX_PAGE = 512 * 1024;

/** A page as it is sent. */
export interface RenderedPage {
  readonly body: Buffer;
  /** Weak: one tag for all encodings. Calculated on first use, because personal pages have none. */
  readonly etag: string;
  /** The body as Accept-Encoding allows it. Each form is made once. */
  packed(acceptEncoding: string | string[] | undefined): Promise<Compressed>;
}

/** `weigh` is called with the bytes of the page and its compressed forms, after each new form. */
export function renderedPage(body: Buffer, weigh: (bytes: number) => void = () => {}): RenderedPage {
  const forms = new Map<Encoding, Promise<Compressed>>();
  let tag: string | undefined;
  let bytes = body.length;
  const made = async (acceptEncoding: string | string[] | undefined): Promise<Compressed> => {
    const form = await compress(acceptEncoding, body);
    weigh((bytes += form.bytes.length));
    return form;
  };
  return {
    body,
    get etag() {
      return (tag ??= etag(body, { weak: true }));
    },
    packed(acceptEncoding) {
      const encoding = packingOf(acceptEncoding, body);
      if (encoding === null) return Promise.resolve({ bytes: body, encoding });
      let form = forms.get(encoding);
      if (!form) forms.set(encoding, (form = made(acceptEncoding)));
      return form;
    },
  };
}

/** Random, so that no text in a page equals it. */
const SLOT = `fragment-${randomUUID()}`;
const SLOT_HTML = `<wbr id="${SLOT}"/>`;

/** Place of the fragment in a page. */
export const FragmentSlot = () => h('wbr', { id: SLOT });

/** The part of a page that changes more often than its rest. */
export interface Fragment {
  /** All that its HTML is made of, besides what the key of the page has. */
  readonly data: string;
  html(): string;
}

/** HTML of a page, split at the places of its fragment. */
type Pieces = readonly Buffer[];

const piecesOf = (html: string): Pieces => html.split(SLOT_HTML).map((piece) => Buffer.from(piece));

/** The body, and the same pieces as parts of it, so that a stored page holds its bytes once. */
function filled(pieces: Pieces, fragment: string): { body: Buffer; pieces: Pieces } {
  const bytes = Buffer.from(fragment);
  const body = Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [bytes, piece])));
  let end = -bytes.length;
  return {
    body,
    pieces: pieces.map(({ length }) => {
      const start = end + bytes.length;
      return body.subarray(start, (end = start + length));
    }),
  };
}

/** A page that is not stored. */
export const unstoredPage = (fragment: Fragment, render: () => string): RenderedPage =>
  renderedPage(filled(piecesOf(render()), fragment.html()).body);

export interface PageCache {
  /**
   * The page of a key; else what `render` makes. It is stored if it is for everyone, which is known after it is rendered. A page that was
   * stored with another fragment gets this one.
   */
  page(key: string, fragment: Fragment, render: () => string, isPublic: () => boolean): RenderedPage;
}

interface Stored {
  readonly page: RenderedPage;
  readonly pieces: Pieces;
  /** Data of its fragment. */
  readonly fragment: string;
}

export function createPageCache(maxBytes: number = MAX_BYTES): PageCache {
  const pages = createLru<Stored>(maxBytes, 'pages');
  return {
    page(key, fragment, render, isPublic) {
      const found = pages.get(key);
      if (found && (found.fragment === fragment.data || found.pieces.length === 1)) return found.page;
      const { body, pieces } = filled(found?.pieces ?? piecesOf(render()), fragment.html());
      if (body.length > MAX_PAGE || !isPublic()) return renderedPage(body);
      const { data } = fragment; // `store` lives as long as the page, and `fragment` holds its request
      const page: RenderedPage = renderedPage(body, (bytes) => store(bytes));
      const store = (bytes: number) => pages.set(key, { page, pieces, fragment: data }, bytes);
      store(body.length);
      return page;
    },
  };
}

/** Numbers of objects that stay the same until their source changes: the texts of a language, and the files of a theme. */
const numbers = new WeakMap<object, number>();
let last = 0;

function numberOf(object: object): number {
  let number = numbers.get(object);
  if (number === undefined) numbers.set(object, (number = ++last));
  return number;
}

/** Templates of a theme can show the time. Their pages are stored for as long (ms), which is the usual age of a page in other caches. */
const MAX_AGE = 60_000;

/** `kind`: what the handler renders at this URL. `results`: of all operations of the request, in order. `now`: in ms. */
export function keyOfPage(
  kind: string,
  { texts, templates, ownTexts, ...frame }: Frame,
  results: readonly unknown[],
  now: number = Date.now(),
): string {
  const objects = [texts, templates, ownTexts].map(numberOf);
  const time = Object.keys(templates).length > 0 ? Math.floor(now / MAX_AGE) : null;
  return hash('sha256', toJsonText([kind, objects, time, frame, results]), 'base64');
}
