/**
 * Cache of rendered pages of visitors. A page is a function of its URL, its frame and the results of its operations: these are the key, so
 * no entry is ever stale. The operations run for each request, under the policy of its caller. Rendering and compression are skipped.
 */
import { createHash } from 'node:crypto';
import etag from 'etag';
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

export interface PageCache {
  /** The page of a key; else what `render` makes. It is stored if it is for everyone, which is known after it is rendered. */
  page(key: string, render: () => Buffer, isPublic: () => boolean): RenderedPage;
}

export function createPageCache(maxBytes: number = MAX_BYTES): PageCache {
  const pages = createLru<RenderedPage>(maxBytes, 'pages');
  return {
    page(key, render, isPublic) {
      const found = pages.get(key);
      if (found) return found;
      const body = render();
      if (body.length > MAX_PAGE || !isPublic()) return renderedPage(body);
      const page: RenderedPage = renderedPage(body, (bytes) => pages.set(key, page, bytes));
      pages.set(key, page, body.length);
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
  return createHash('sha256')
    .update(toJsonText([kind, objects, time, frame, results]))
    .digest('base64');
}
