/** In SQL because documents are compared by xmin, which Prisma cannot read.
 * Documents of pages. Those that are shown again are kept in the process, each with the stamp of its row: the transaction that
 * wrote it, and its version. Who reads the whole catalog once leaves nothing behind. Each statement is told the stamps that are kept and brings what has another by now, so what is shown is
 * what the table holds, and an unchanged document is neither read nor sent.
 */
import type { DocumentRow } from '../../catalog/document/record.ts';
import { createLru, type Lru } from '../../infra/concurrency/lru.ts';
import type { Sql, Statement, Timeout } from '../../infra/postgres/db.ts';
import { JsonText } from '../../kernel/json.ts';
import { GENERATION } from './facets.sql.ts';

/** What a group or organization is called; `g` is group_account. */
const TITLE = "COALESCE(NULLIF(g.title, ''), g.name)";

/** Whether anything was written by this transaction or a later one. */
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

/** One row of what is asked about all, with the numbers whose stamps still hold, and one for each other document. */
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

/** The first row has what stands before `number`, the others have what comes from there. */
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

/** Documents that are kept at most: 64 MB are about 15,000 of 3.4 kB. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Greater ones are not kept: one would take the place of many that are asked for as often. */
const MAX_BYTES_EACH = 16 * 1024;
/** For the rest of a row. */
const MIN_BYTES = 1_000;

/** Stamps of documents that were shown once at least. */
const MAX_SEEN = 20_000;

interface Memory {
  readonly kept: Lru<Kept>;
  /** Number → stamp. */
  readonly met: Lru<string>;
}

const memories = new WeakMap<Sql, Memory>();

/** What to show, and since which transaction to look for what was written. */
export interface Asked {
  /** Null: nobody wants to know. */
  readonly since: string | null;
  readonly numbers: readonly number[];
  /** Names of groups and organizations. */
  readonly names: readonly string[];
  readonly timeout: Timeout;
}

export interface Shown {
  /** Tells this filling of the tables from others. */
  readonly generation: string;
  readonly isWritten: boolean;
  /** By number; those that are not there any more are left out. */
  readonly rows: Map<number, DocumentRow>;
  /** Names of groups and organizations → what they are called. */
  readonly titles: ReadonlyMap<string, string>;
}

/** No transaction will ever have this number. */
const NEVER = '18446744073709551615';

/** Documents of a page as they are now, in one statement. @throws CatalogError LIMIT */
export async function shownDocuments(sql: Sql, { since, numbers, names, timeout }: Asked): Promise<Shown> {
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

/** The row of an answer, which is kept from the second time on. */
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
  const bytes = Buffer.allocUnsafeSlow(size); // not a piece of a greater one, which it would hold on to
  bytes.write(answer.document);
  const row = rowOf(bytes);
  kept.set(key, { stamp, row }, bytes.length + MIN_BYTES);
  return row;
}
