/**
 * Reads the documents of pages, and caches frequently shown ones with the stamp of their row: the transaction that wrote it, and its
 * version. Reading the whole catalog once caches nothing. Each statement sends the cached stamps and returns only changed documents, so
 * results always equal the table, and unchanged documents are neither read nor sent. In SQL because documents are compared by xmin, which
 * Prisma cannot read.
 */
import type { DocumentRow } from '../../catalog/document/record.ts';
import { createLru, type Lru } from '../../infra/concurrency/lru.ts';
import type { Sql, Statement, Timeout } from '../../infra/postgres/db.ts';
import { JsonText } from '../../kernel/json.ts';
import { GENERATION } from './facets.sql.ts';

/** Title of a group or organization; `g` is group_account. */
const TITLE = "COALESCE(NULLIF(g.title, ''), g.name)";

/** Whether this transaction or a later one has written anything. */
const IS_WRITTEN = 'EXISTS (SELECT FROM dataset_search WHERE written >= $1::xid8)';

const COLUMNS = [
  'dataset_id',
  'name',
  'state',
  'private',
  'owner_organization_id',
  'creator_id',
  'version',
  'linked',
  'document',
];

/** One row with common values and the numbers with valid stamps, and one row per changed document. */
const documents: Statement = {
  name: 'search_kept_documents',
  text: `WITH page AS (SELECT s.number, k.stamp AS kept, d.xmin::text || ' ' || d.version AS stamp, ${COLUMNS.map((name) => `d.${name}`).join(', ')}
      FROM unnest($2::int[], $3::text[]) k(number, stamp) JOIN dataset_search s ON s.number = k.number JOIN dataset_document d ON d.dataset_id = s.dataset_id)
    SELECT ${GENERATION} AS generation, ${IS_WRITTEN} AS is_written,
      (SELECT json_object_agg(g.name, ${TITLE})::text FROM group_account g WHERE g.name = ANY ($4::text[])) AS titles,
      (SELECT string_agg(p.number::text, ' ') FROM page p WHERE p.kept = p.stamp) AS same,
      NULL::int AS number, NULL AS stamp, NULL AS dataset_id, NULL AS name, NULL AS state, NULL::boolean AS private,
      NULL AS owner_organization_id, NULL AS creator_id, NULL::int AS version, NULL::boolean AS linked, NULL AS document
    UNION ALL SELECT NULL, NULL, NULL, NULL, p.number, p.stamp, ${COLUMNS.map((name) => `p.${name}`).join(', ')}
      FROM page p WHERE p.kept IS DISTINCT FROM p.stamp`,
};

/** The first row has the values listed before `number`, the other rows have the rest. */
interface Answer extends DocumentRow {
  generation: string;
  is_written: boolean;
  titles: string | null;
  same: string | null;
  number: number | null;
  stamp: string;
  document: string;
}

interface Kept {
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
  readonly kept: Lru<Kept>;
  /** Number → stamp. */
  readonly met: Lru<string>;
}

const memories = new WeakMap<Sql, Memory>();

/** The documents to show, and the transaction from which to look for writes. */
export interface RequestedPage {
  /** Null: not requested. */
  readonly since: string | null;
  readonly numbers: readonly number[];
  /** Names of groups and organizations. */
  readonly names: readonly string[];
  readonly timeout: Timeout;
}

export interface Shown {
  /** Identifies the contents of the tables since they were last emptied. */
  readonly generation: string;
  readonly isWritten: boolean;
  /** By number; omits deleted ones. */
  readonly rows: Map<number, DocumentRow>;
  /** Names of groups and organizations → titles. */
  readonly titles: ReadonlyMap<string, string>;
}

/** Greater than any transaction's number. */
const NEVER = '18446744073709551615';

/** Current documents of a page, in one statement. @throws CatalogError LIMIT */
export async function shownDocuments(sql: Sql, { since, numbers, names, timeout }: RequestedPage): Promise<Shown> {
  const memory = memories.get(sql) ?? { kept: createLru<Kept>(MAX_BYTES), met: createLru<string>(MAX_SEEN) };
  memories.set(sql, memory);
  const at = new Map(numbers.map((number) => [number, memory.kept.get(String(number))]));
  const stamps = numbers.map((number) => at.get(number)?.stamp ?? null);
  const values = [since ?? NEVER, numbers, stamps, names];
  const answers = await sql.rows<Answer>({ ...documents, timeout }, values);
  const rows = new Map<number, DocumentRow>();
  for (const answer of answers)
    if (answer.number !== null) rows.set(answer.number, show(memory, answer.number, answer));
  const { generation, is_written, titles, same } = answers.find(({ number }) => number === null)!;
  for (const number of same?.split(' ').map(Number) ?? []) rows.set(number, at.get(number)!.row);
  return { generation, isWritten: is_written, rows, titles: new Map(Object.entries(JSON.parse(titles ?? '{}'))) };
}

/** The row of a response; cached from the second time. */
function show({ kept, met }: Memory, number: number, answer: Answer): DocumentRow {
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
  kept.set(key, { stamp, row }, bytes.length + MIN_BYTES);
  return row;
}
