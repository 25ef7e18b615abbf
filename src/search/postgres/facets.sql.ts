<<<<<<< HEAD
/** Reads the rows and values that facets count. In SQL because Prisma has no xid8 and no aggregation to JSON text. */
=======
/**
 * Counts facets in the process: updates the columns and the dictionary of each database, and selects the most frequent values. In SQL
 * because Prisma has no xid8 and no aggregation to JSON text.
 */
import { readerBy } from '../../infra/postgres/by-keys.sql.ts';
>>>>>>> w-bench
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { FacetRow } from './columns.ts';
import type { ValueRow } from './dictionary.ts';

/** Identifies the contents of the tables: emptying them restarts all numbers. */
export const GENERATION = `pg_relation_filenode('dataset_search'::regclass) || ' ' || pg_relation_filenode('search_value'::regclass)`;

/** A row of the index as `facetRows` reads it. */
export const ROW = 'number, public, array_to_json(facets), (extract(epoch FROM modified_at) * 1000000)::bigint';

/** A snapshot contains all writes of older transactions. */
export const SETTLED = 'pg_snapshot_xmin(pg_current_snapshot())::text';

const writtenSince: Statement = {
  name: 'search_facets_written',
  text: `SELECT ${GENERATION} AS generation, ${SETTLED} AS since, json_agg(json_build_array(${ROW}))::text AS rows
    FROM dataset_search WHERE written >= $1::xid8`,
};

const allValues: Statement = { name: 'search_values', text: 'SELECT code, field, value FROM search_value' };
const readValues = readerBy<ValueRow>({
  table: 'search_value',
  fields: { code: true, field: true, value: true },
  by: ['code'],
});
const readVocabularies = readerBy<{ id: string; name: string }>({
  table: 'vocabulary',
  fields: { id: true, name: true },
  by: ['name'],
});

/** Rows written by a transaction or by later ones; null when there are none. */
interface Written {
  generation: string;
  since: string;
  rows: string | null;
}

/** Rows written by a transaction or by later ones. */
export const readWritten = async (sql: Sql, since: string): Promise<Written> =>
  (await sql.rows<Written>(writtenSince, [since]))[0]!;

<<<<<<< HEAD
/** All values, or those of some codes. */
export const readValues = (sql: Sql, codes?: readonly number[]): Promise<readonly ValueRow[]> =>
  codes ? sql.rows<ValueRow>(statements.some, [codes]) : sql.rows<ValueRow>(statements.values);
=======
const kept = new WeakMap<Sql, Kept>();

/** Number of changed rows per response that triggers a reload, and ms after which fewer are enough. */
const MANY_FRESH = 100;
const AGE = 1_000;

/** Drops the cache when the tables were emptied since. Returns true in that case, and the response must be discarded. */
export function isOutdated(sql: Sql, generation: string): boolean {
  if (kept.get(sql)?.generation === generation) return false;
  kept.delete(sql);
  return true;
}

/** The columns of a database, read on first use. */
export async function facetColumns(sql: Sql): Promise<FacetColumns> {
  let of = kept.get(sql);
  if (!of)
    kept.set(
      sql,
      (of = { columns: new FacetColumns(), dictionary: new Dictionary(), generation: '', readAt: 0, reading: null }),
    );
  if (of.columns.since === '0') await readAnew(sql, of);
  return of.columns;
}

/** Identifies the contents of the tables. */
export const generationOf = (sql: Sql): string => kept.get(sql)?.generation ?? '';

/**
 * Reports the number of changed rows in a response. Many rows, or some for a while, trigger a reload after the response. Returns true in
 * that case.
 */
export function markFresh(sql: Sql, rows: number): boolean {
  const of = kept.get(sql);
  if (!of || rows === 0) return false;
  const now = performance.now();
  if (rows <= MANY_FRESH && now - of.readAt < AGE) return false;
  of.readAt = now;
  void readAnew(sql, of).catch(() => {}); // the next response tries again
  return true;
}

function readAnew(sql: Sql, of: Kept): Promise<void> {
  of.reading ??= (async () => {
    try {
      if (of.columns.since === '0') of.dictionary.learn(await sql.rows<ValueRow>(allValues));
      const [row] = await sql.rows<Written>(writtenSince, [of.columns.since]);
      if (of.generation !== '' && of.generation !== row!.generation) return; // the next response reports it
      of.generation = row!.generation;
      of.columns.learn(facetRows(row!.rows), row!.since);
    } finally {
      of.reading = null;
    }
  })();
  return of.reading;
}
>>>>>>> w-bench

/** Rows returned by statements: a JSON list of ROW. */
export const facetRows = (json: string | null): FacetRow[] =>
  ((json === null ? [] : JSON.parse(json)) as [number, boolean, number[], number][]).map(
    ([number, isPublic, facets, modified]) => ({ number, public: isPublic, facets, modified }),
  );

/** Names of vocabularies → fields of their values. */
export async function vocabularyFields(sql: Sql, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await readVocabularies(sql, names);
  return new Map(rows.map(({ id, name }) => [name, `vocab:${id}`]));
}
<<<<<<< HEAD
=======

/** The requested values of a field. */
export interface RequestedLists {
  readonly field: string;
  /** Null: all of them. */
  readonly limit: number | null;
  readonly least: number;
}

/** Values per field, most frequent first, ties by value. `everywhere`: counts of all public datasets, for values without hits. */
export async function pickFacets(
  sql: Sql,
  counts: Uint32Array,
  everywhere: Uint32Array,
  wanted: readonly RequestedLists[],
): Promise<FacetCount[][]> {
  const { dictionary } = kept.get(sql)!;
  const missing = [
    ...dictionary.unknown(counts),
    ...(wanted.some(({ least }) => least === 0) ? dictionary.unknown(everywhere) : []),
  ];
  if (missing.length > 0) dictionary.learn(await readValues(sql, missing));
  return wanted.map(({ field, limit, least }) => {
    const codes = dictionary
      .codesOf(field)
      .filter((code) => (counts[code] ?? 0) >= Math.max(1, least) || (least === 0 && (everywhere[code] ?? 0) > 0));
    const frequency = Int32Array.from(codes, (code) => counts[code] ?? 0);
    const places = firstOf(
      codes.length,
      [
        { values: frequency, descending: true },
        { values: Int32Array.from(codes, (_code, place) => place), descending: false },
      ],
      limit ?? codes.length,
      null,
    );
    return Array.from(places, (place) => ({ value: dictionary.valueOf(codes[place]!), count: frequency[place]! }));
  });
}

/** Most frequent first, ties by value. */
export function mostFrequent(values: readonly FacetCount[], limit: number | null): FacetCount[] {
  const sorted = [...values].sort((a, b) => b.count - a.count || compareText(a.value, b.value));
  return limit === null ? sorted : sorted.slice(0, limit);
}
>>>>>>> w-bench
