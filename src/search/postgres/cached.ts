/**
 * Runs searches on lists cached in the process. The lists contain the numbers of matching datasets, from which the page is selected.
 * One statement reads the page's documents, and whether rows were written since the lists were read. If so, a second statement runs
 * the search on those rows, and the page is selected again.
 */
import type { DocumentRow } from '../../catalog/document/record.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import type { Hit, Search, Wish } from '../engine.ts';
import type { Condition } from '../query/plan.ts';
import type { FacetColumns, FacetRow } from './columns.ts';
import { shownDocuments } from './documents.ts';
import { type Fresh, readFresh } from './fresh.sql.ts';
import type { List } from './lists.sql.ts';
import type { Lists, RequestedLists } from './lists.ts';
import { type Column, filtered, firstOf, inAtLeast, valuesFor } from './numbers.ts';
import { checkCursor, inReadingOrder, type KeyType } from './order.ts';

/** Cached lists of a plan. */
export interface AtHand {
  readonly wanted: Lists;
  readonly lists: ReadonlyMap<RequestedLists, List>;
  readonly columns: FacetColumns;
}

/** The result of a search by its lists alone. */
export interface Expected {
  readonly numbers: Int32Array;
  readonly page: readonly Place[];
  /** The numbers include all writes of transactions before this one. Read together with them, because the cache can change concurrently. */
  readonly since: string;
}

/** The result of a search, and the data for its counts. */
export interface Found {
  readonly generation: string;
  readonly page: Hit[];
  /** Numbers of the datasets found, without those written since. */
  readonly numbers: Int32Array;
  /** Rows written since. */
  readonly written: readonly FacetRow[];
  /** Rows written since that match. */
  readonly fresh: readonly FacetRow[];
  /** Names of groups and organizations → titles. */
  readonly titles: ReadonlyMap<string, string>;
}

/** @throws CatalogError VALIDATION for a cursor of another sort order */
export function expectedOf(search: Search, page: Wish['page'], at: AtHand): Expected {
  const numbers = numbersOf(search.plan.condition, at);
  const since = oldest([at.columns.since, ...[...at.lists.values()].map((list) => list.since)]);
  return { numbers, page: pageOf(search, page, at, numbers, []), since };
}

/** Runs a search: corrects the expected result by rows written since, and reads its documents and the titles of `names`. */
export async function findKept(
  sql: Sql,
  search: Search,
  page: Wish['page'],
  at: AtHand,
  expected: Expected,
  names: readonly string[],
): Promise<Found> {
  const { since } = expected;
  const { timeout } = search;
  const numbers = expected.page.map(({ number }) => number);
  const shown = await shownDocuments(sql, { since, numbers, names, timeout });
  const { generation, titles, rows } = shown;
  const found = { generation, titles };
  if (!shown.isWritten)
    return { ...found, page: hitsOf(expected.page, rows), numbers: expected.numbers, written: [], fresh: [] };

  const { written, fresh } = await readFresh(sql, search, since);
  const settled = filtered(
    expected.numbers,
    Int32Array.from(written, ({ number }) => number),
    false,
  );
  const places = pageOf(search, page, at, settled, fresh);
  const missing = places.filter(({ number }) => !rows.has(number)).map(({ number }) => number);
  if (missing.length > 0) {
    const more = await shownDocuments(sql, { since: null, numbers: missing, names: [], timeout });
    for (const [number, row] of more.rows) rows.set(number, row);
  }
  return { ...found, page: hitsOf(places, rows), numbers: settled, written, fresh };
}

/** The lowest transaction. Transaction numbers exceed JavaScript's safe integers. */
const oldest = (transactions: readonly string[]): string =>
  transactions.reduce((least, one) => (BigInt(one) < BigInt(least) ? one : least));

/** A dataset deleted in the meantime keeps its position on the page, with an empty id. */
const hitsOf = (places: readonly Place[], rows: ReadonlyMap<number, DocumentRow>): Hit[] =>
  places.map(({ number, keys }) => {
    const row = rows.get(number);
    return row ? { id: row.dataset_id, keys, row } : { id: '', keys };
  });

/** Numbers of the datasets that satisfy a condition, by the lists. */
function numbersOf(condition: Condition, at: AtHand): Int32Array {
  const of = (part: Condition) => numbersOf(part, at);
  switch (condition.kind) {
    case 'all':
      return at.columns.publicNumbers();
    case 'none':
      return new Int32Array();
    case 'not':
      return filtered(at.columns.publicNumbers(), of(condition.of), false);
    case 'or':
      return inAtLeast(1, condition.of.map(of));
    case 'least':
      return inAtLeast(condition.count, condition.of.map(of));
    case 'and': {
      const must = condition.of.filter((part) => part.kind !== 'not').map(of);
      const [first = at.columns.publicNumbers(), ...others] = must.sort((a, b) => a.length - b.length);
      const found = others.reduce((left, other) => filtered(left, other, true), first);
      return condition.of.reduce(
        (left, part) => (part.kind === 'not' ? filtered(left, of(part.of), false) : left),
        found,
      );
    }
    default:
      return at.lists.get(at.wanted.of.get(condition)!)!.numbers;
  }
}

/** A dataset with its sort keys. */
interface Place {
  readonly number: number;
  readonly keys: string[];
}

/** Selects the page from the list numbers and the matching rows written since. */
function pageOf(search: Search, page: Wish['page'], at: AtHand, all: Int32Array, fresh: readonly Fresh[]): Place[] {
  if (!page || page.limit === 0) return [];
  const sort = search.plan.sort.filter(({ by }) => by !== 'score' || at.wanted.scored.length > 0);
  const [first, second] = sort;
  const isByTime = first !== undefined && second === undefined && first.by !== 'score' && first.descending;
  const isInOrder = search.plan.condition.kind === 'all' && isByTime && !page.after && !page.backward;
  // All public datasets are cached in this order, so only the first ones are needed.
  const settled = isInOrder ? all.subarray(0, page.offset + page.limit) : all;
  const numbers = joined(
    Int32Array,
    settled,
    fresh.map(({ number }) => number),
  );
  const columns = sort.map(({ by, descending }): Column => {
    const [own, written] =
      by === 'score'
        ? [scoresOf(settled, at), fresh.map(({ score }) => score)]
        : [at.columns.modifiedOf(settled), fresh.map(({ modified }) => modified)];
    return { values: joined(Float64Array, own, written), descending };
  });
  const keys: Column[] = inReadingOrder([...columns, { values: numbers, descending: false }], page);
  if (page.after)
    checkCursor([...sort.map(({ by }): KeyType => (by === 'score' ? 'float8' : 'micros')), 'bigint'], page);
  const places = firstOf(numbers.length, keys, page.offset + page.limit, page.after?.map(Number) ?? null);
  return Array.from(places.subarray(page.offset), (place) => ({
    number: numbers[place]!,
    keys: keys.map(({ values }) => String(values[place])),
  }));
}

/** Sums the scores of all clauses, in the same order as SQL. */
function scoresOf(numbers: Int32Array, { wanted, lists }: AtHand): Float64Array {
  const [first, ...others] = wanted.scored.map((want) => {
    const list = lists.get(want)!;
    return valuesFor(numbers, list.numbers, list.values!);
  });
  if (others.length === 0) return first!;
  const sum = first!.slice();
  for (const more of others) for (let i = 0; i < sum.length; i += 1) sum[i]! += more[i]!;
  return sum;
}

function joined<A extends Int32Array | Float64Array>(
  Kind: new (length: number) => A,
  own: A,
  more: readonly number[],
): A {
  if (more.length === 0) return own;
  const all = new Kind(own.length + more.length);
  all.set(own);
  all.set(more, own.length);
  return all;
}
