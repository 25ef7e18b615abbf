/**
 * Reads the documents of pages, and caches frequently shown ones with the stamp of their row: the transaction that wrote it, and its
 * version. Reading the whole catalog once caches nothing. Each statement sends the cached stamps and returns only changed documents, so
 * results always equal the table, and unchanged documents are neither read nor sent.
 */
import type { DocumentRow } from '../../catalog/document/record.ts';
import { createLru, type Lru } from '../../infra/concurrency/lru.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { BySql } from '../../infra/postgres/traced.ts';
import { JsonText } from '../../kernel/json.ts';
import { type Answer, type RequestedPage, readPage } from './documents.sql.ts';

interface CachedDocument {
  readonly stamp: string;
  readonly row: DocumentRow;
}

/** Maximum size of the cache: 64 MB are about 15,000 documents of 3.4 kB. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum size of a cached document. A larger one would evict many equally frequent ones. */
const MAX_BYTES_EACH = 16 * 1024;
/** Overhead of a row. */
const MIN_BYTES = 1_000;

/** Maximum stamps of documents shown at least once. */
const MAX_SEEN = 20_000;

interface Memory {
  readonly cache: Lru<CachedDocument>;
  /** Number → stamp. */
  readonly met: Lru<string>;
}

const memories = new BySql<Memory>();

export interface Shown {
  /** Identifies the contents of the tables since they were last emptied. */
  readonly generation: string;
  readonly isWritten: boolean;
  /** By number; omits deleted ones. */
  readonly rows: Map<number, DocumentRow>;
  /** Names of groups and organizations → titles. */
  readonly titles: ReadonlyMap<string, string>;
}

/** Current documents of a page, in one statement. @throws CatalogError LIMIT */
export async function shownDocuments(sql: Sql, page: RequestedPage): Promise<Shown> {
  const { numbers } = page;
  const memory = memories.get(sql) ?? {
    cache: createLru<CachedDocument>(MAX_BYTES, 'search_documents'),
    met: createLru<string>(MAX_SEEN),
  };
  memories.set(sql, memory);
  const at = new Map(numbers.map((number) => [number, memory.cache.get(String(number))]));
  const stamps = numbers.map((number) => at.get(number)?.stamp ?? null);
  const answers = await readPage(sql, page, stamps);
  const rows = new Map<number, DocumentRow>();
  for (const answer of answers)
    if (answer.number !== null) rows.set(answer.number, show(memory, answer.number, answer));
  const { generation, is_written, titles, same } = answers.find(({ number }) => number === null)!;
  for (const number of same?.split(' ').map(Number) ?? []) rows.set(number, at.get(number)!.row);
  return { generation, isWritten: is_written, rows, titles: new Map(Object.entries(JSON.parse(titles ?? '{}'))) };
}

/** The row of a response; cached from the second time. */
function show({ cache, met }: Memory, number: number, answer: Answer): DocumentRow {
  const {
    dataset_id,
    name,
    state,
    private: hidden,
    owner_organization_id,
    creator_id,
    version,
    linked,
    stamp,
  } = answer;
  const columns = { dataset_id, name, state, private: hidden, owner_organization_id, creator_id, version };
  const rowOf = (text: string | Buffer): DocumentRow => ({
    ...columns,
    linked: linked ?? true,
    document: new JsonText(text),
  });
  const key = String(number);
  const isMet = met.get(key) === stamp;
  met.set(key, stamp);
  const size = Buffer.byteLength(answer.document);
  if (!isMet || size > MAX_BYTES_EACH) return rowOf(answer.document);
  const bytes = Buffer.allocUnsafeSlow(size); // a copy, because a slice would retain its whole buffer
  bytes.write(answer.document);
  const row = rowOf(bytes);
  cache.set(key, { stamp, row }, bytes.length + MIN_BYTES);
  return row;
}
