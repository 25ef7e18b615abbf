/** Counts facets in the process: updates the columns and the dictionary of each database, and selects the requested values. */
import type { Sql } from '../../infra/postgres/db.ts';
import { BySql } from '../../infra/postgres/traced.ts';
import type { FacetCount, FacetPage, FacetWish } from '../engine.ts';
import { fits, isBeyond } from '../query/facets.ts';
import { FacetColumns } from './columns.ts';
import { Dictionary } from './dictionary.ts';
import { facetRows, readValues, readWritten } from './facets.sql.ts';
import { firstOf } from './numbers.ts';

interface CachedFacets {
  readonly columns: FacetColumns;
  /** Of the first read. */
  generation: string;
  readonly dictionary: Dictionary;
  readAt: number;
  /** A reload in progress. */
  reading: Promise<void> | null;
}

const caches = new BySql<CachedFacets>();

/** Number of changed rows per response that triggers a reload, and ms after which fewer are enough. */
const MANY_FRESH = 100;
const AGE = 1_000;

/** Drops the cache when the tables were emptied since. Returns true in that case, and the response must be discarded. */
export function isOutdated(sql: Sql, generation: string): boolean {
  if (caches.get(sql)?.generation === generation) return false;
  caches.delete(sql);
  return true;
}

/** The columns of a database, read on first use. */
export async function facetColumns(sql: Sql): Promise<FacetColumns> {
  let of = caches.get(sql);
  if (!of)
    caches.set(
      sql,
      (of = { columns: new FacetColumns(), dictionary: new Dictionary(), generation: '', readAt: 0, reading: null }),
    );
  if (of.columns.since === '0') await readAgain(sql, of);
  return of.columns;
}

/** Identifies the contents of the tables. */
export const generationOf = (sql: Sql): string => caches.get(sql)?.generation ?? '';

/**
 * Reports the number of changed rows in a response. Many rows, or some for a while, trigger a reload after the response. Returns true in
 * that case.
 */
export function markFresh(sql: Sql, rows: number): boolean {
  const of = caches.get(sql);
  if (!of || rows === 0) return false;
  const now = performance.now();
  if (rows <= MANY_FRESH && now - of.readAt < AGE) return false;
  of.readAt = now;
  void readAgain(sql, of).catch(() => {}); // the next response tries again
  return true;
}

function readAgain(sql: Sql, of: CachedFacets): Promise<void> {
  of.reading ??= (async () => {
    try {
      if (of.columns.since === '0') of.dictionary.learn(await readValues(sql));
      const written = await readWritten(sql, of.columns.since);
      if (of.generation !== '' && of.generation !== written.generation) return; // the next response reports it
      of.generation = written.generation;
      of.columns.learn(facetRows(written.rows), written.since);
    } finally {
      of.reading = null;
    }
  })();
  return of.reading;
}

/** A facet whose values have numbers. */
export interface CodedWish {
  readonly wish: FacetWish;
  /** The field in the dictionary. */
  readonly field: string;
}

/** Values per field. `everywhere`: counts of all public datasets, for values without hits. */
export async function pickFacets(
  sql: Sql,
  counts: Uint32Array,
  everywhere: Uint32Array,
  requested: readonly CodedWish[],
): Promise<FacetPage[]> {
  const { dictionary } = caches.get(sql)!;
  const missing = [
    ...dictionary.unknown(counts),
    ...(requested.some(({ wish }) => wish.least === 0) ? dictionary.unknown(everywhere) : []),
  ];
  if (missing.length > 0) dictionary.learn(await readValues(sql, missing));
  return requested.map((one) => pickFacet(dictionary, counts, everywhere, one));
}

function pickFacet(
  dictionary: Dictionary,
  counts: Uint32Array,
  everywhere: Uint32Array,
  { wish, field }: CodedWish,
): FacetPage {
  const { limit, least, order, isReversed = false, contains, after } = wish;
  const counted = dictionary
    .codesOf(field)
    .filter((code) => (counts[code] ?? 0) >= Math.max(1, least) || (least === 0 && (everywhere[code] ?? 0) > 0));
  const isFit = fits(wish);
  const fitting = contains === undefined ? counted : counted.filter((code) => isFit(dictionary.valueOf(code)));
  const isNext = isBeyond(wish);
  const oneOf = (code: number): FacetCount => ({ value: dictionary.valueOf(code), count: counts[code] ?? 0 });
  const codes = after ? fitting.filter((code) => isNext(oneOf(code))) : fitting;
  const frequency = { values: new Int32Array(codes.length), descending: !isReversed };
  const byPosition = { values: new Int32Array(codes.length), descending: isReversed };
  // Int32Array.from with a function would take several times as long.
  codes.forEach((code, at) => {
    frequency.values[at] = counts[code] ?? 0;
    byPosition.values[at] = at;
  });
  const keys = order === 'value' ? [byPosition] : [frequency, byPosition];
  const positions = firstOf(codes.length, keys, limit ?? codes.length, null);
  return { total: fitting.length, values: Array.from(positions, (at) => oneOf(codes[at]!)) };
}
