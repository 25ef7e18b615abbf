/**
 * Caches the texts of public lists with the digest of their rows. A list is cached on its second read in the same state, so that one
 * walk of the catalog does not fill the cache. Each read compares digests in the database, so results always equal the table.
 */
import { createLru, type Lru } from '../../../infra/concurrency/lru.ts';
import type { Sql } from '../../../infra/postgres/db.ts';
import { BySql } from '../../../infra/postgres/traced.ts';
import { JsonText } from '../../../kernel/json.ts';

/** Maximum bytes of all texts: 64 MB are the lists of 70 organizations with 207 datasets of 4.5 kB. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Overhead of a text. */
const MIN_BYTES = 1_000;
/** Maximum digests of lists that were read at least once. */
const MAX_SEEN = 20_000;

export interface ListTexts {
  get(key: string): JsonText | undefined;
  /** A text that was read. Cached, as bytes, if the same one was read before. */
  read(key: string, text: string, digest: string): JsonText;
}

/** `maxBytes` bounds the sum of the texts. A longer text is not cached. */
export function createListTexts(maxBytes: number): ListTexts {
  const cache: Lru<JsonText> = createLru(maxBytes, 'list_texts');
  /** Key → digest. */
  const met: Lru<string> = createLru(MAX_SEEN);
  return {
    get: cache.get,
    read(key, text, digest) {
      const isMet = met.get(key) === digest;
      met.set(key, digest);
      const size = isMet ? Buffer.byteLength(text) : Number.POSITIVE_INFINITY;
      if (size + MIN_BYTES > maxBytes) return new JsonText(text, digest);
      const bytes = Buffer.allocUnsafeSlow(size);
      bytes.write(text);
      const cached = new JsonText(bytes, digest);
      cache.set(key, cached, size + MIN_BYTES);
      return cached;
    },
  };
}

const caches = new BySql<ListTexts>();

/** The cache of a database. A transaction has its own, because its rows may be rolled back. */
export function textsOf(sql: Sql): ListTexts {
  let texts = caches.get(sql);
  if (!texts) caches.set(sql, (texts = createListTexts(MAX_BYTES)));
  return texts;
}
