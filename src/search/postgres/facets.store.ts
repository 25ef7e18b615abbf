/** Facets counted in the process: keeps the columns and the dictionary of each database up to date, and picks the most frequent values. */
import type { Sql, Statement } from '../../kernel/db.ts';
import { compareText } from '../../kernel/text.ts';
import type { FacetCount } from '../engine.ts';
import { FacetColumns, type FacetRow } from './columns.ts';
import { Dictionary, type ValueRow } from './dictionary.ts';

/** Tells one filling of the tables from the next: emptying them begins all numbers anew. */
export const GENERATION = `pg_relation_filenode('dataset_search'::regclass) || ' ' || pg_relation_filenode('search_value'::regclass)`;

const statements = {
  written: {
    name: 'search_facets_written',
    text: `SELECT ${GENERATION} AS generation, pg_snapshot_xmin(pg_current_snapshot())::text AS since, json_agg(json_build_array(number, public, array_to_json(facets)))::text AS rows
      FROM dataset_search WHERE written >= $1::xid8`,
  },
  values: { name: 'search_values', text: 'SELECT code, field, value FROM search_value' },
  some: { name: 'search_values_some', text: 'SELECT code, field, value FROM search_value WHERE code = ANY ($1)' },
  vocabularies: { name: 'search_vocabularies', text: 'SELECT id, name FROM vocabulary WHERE name = ANY ($1)' },
} satisfies Record<string, Statement>;

interface Written {
  generation: string;
  since: string;
  rows: string | null;
}

interface Kept {
  readonly columns: FacetColumns;
  /** Of what was read first. */
  generation: string;
  readonly dictionary: Dictionary;
  /** Being read anew. */
  reading: Promise<void> | null;
}

const kept = new WeakMap<Sql, Kept>();

/** Rows that come with an answer before they are read for good. */
const MANY_FRESH = 100;

/** Forgets what was kept where the tables were emptied since; true then: the answer that told so is worth nothing. */
export function isOutdated(sql: Sql, generation: string): boolean {
  if (kept.get(sql)?.generation === generation) return false;
  kept.delete(sql);
  return true;
}

/** The columns of a database, read at first use. */
export async function facetColumns(sql: Sql): Promise<FacetColumns> {
  let of = kept.get(sql);
  if (!of)
    kept.set(sql, (of = { columns: new FacetColumns(), dictionary: new Dictionary(), generation: '', reading: null }));
  if (of.columns.since === '0') await readAnew(sql, of);
  return of.columns;
}

/** Says how many rows came with an answer: when they get many, they are read for good, once the answer is out. */
export function tellFresh(sql: Sql, rows: number): void {
  const of = kept.get(sql);
  if (of && rows > MANY_FRESH) void readAnew(sql, of).catch(() => {}); // the next answer tries again
}

function readAnew(sql: Sql, of: Kept): Promise<void> {
  of.reading ??= (async () => {
    try {
      if (of.columns.since === '0') of.dictionary.learn(await sql.rows<ValueRow>(statements.values));
      const [row] = await sql.rows<Written>(statements.written, [of.columns.since]);
      if (of.generation !== '' && of.generation !== row!.generation) return; // the next answer tells
      of.generation = row!.generation;
      of.columns.learn(facetRows(row!.rows), row!.since);
    } finally {
      of.reading = null;
    }
  })();
  return of.reading;
}

/** Rows as statements give them: a JSON list of [number, public, values]. */
export const facetRows = (json: string | null): FacetRow[] =>
  ((json === null ? [] : JSON.parse(json)) as [number, boolean, number[]][]).map(([number, isPublic, facets]) => ({
    number,
    public: isPublic,
    facets,
  }));

/** The names of vocabularies → the fields of their values. */
export async function vocabularyFields(sql: Sql, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await sql.rows<{ id: string; name: string }>(statements.vocabularies, [names]);
  return new Map(rows.map(({ id, name }) => [name, `vocab:${id}`]));
}

/** Which values of a field to give. */
export interface Wanted {
  readonly field: string;
  /** Null: all of them. */
  readonly limit: number | null;
  readonly least: number;
}

/** For each field its values, the most frequent first, equals by value. `everywhere`: counts of all public datasets, for values that are not among the counted. */
export async function pickFacets(
  sql: Sql,
  counts: Uint32Array,
  everywhere: Uint32Array,
  wanted: readonly Wanted[],
): Promise<FacetCount[][]> {
  const { dictionary } = kept.get(sql)!;
  const missing = [
    ...dictionary.unknown(counts),
    ...(wanted.some(({ least }) => least === 0) ? dictionary.unknown(everywhere) : []),
  ];
  if (missing.length > 0) dictionary.learn(await sql.rows<ValueRow>(statements.some, [missing]));
  return wanted.map(({ field, limit, least }) => {
    const codes = dictionary
      .codesOf(field)
      .filter((code) => (counts[code] ?? 0) >= Math.max(1, least) || (least === 0 && (everywhere[code] ?? 0) > 0));
    const values = codes.map((code) => ({ value: dictionary.valueOf(code), count: counts[code] ?? 0 }));
    return mostFrequent(values, limit);
  });
}

/** The most frequent first, equals by value. */
export function mostFrequent(values: readonly FacetCount[], limit: number | null): FacetCount[] {
  const sorted = [...values].sort((a, b) => b.count - a.count || compareText(a.value, b.value));
  return limit === null ? sorted : sorted.slice(0, limit);
}
