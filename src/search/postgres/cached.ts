/**
 * Runs searches on lists cached in the process. The lists contain the numbers of matching datasets, from which the page is selected.
 * Public and hidden datasets are separate: the caller's scope decides which hidden ones it sees. One statement reads the page's documents, and whether rows were written since the lists were read. If so, a second statement runs
 * the search on those rows, and the page is selected again.
 */
import type { DocumentRow } from '../../catalog/document/record.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { type Hit, isPublic, type Scope, type Search, type Wish } from '../engine.ts';
import type { Condition } from '../query/plan.ts';
import type { FacetColumns, FacetRow } from './columns.ts';
import { derived } from './derived.ts';
import { shownDocuments } from './documents.ts';
import { type Fresh, readFresh } from './fresh.sql.ts';
import type { List } from './lists.sql.ts';
import { type Lists, type RequestedLists, rangeOf, type TimeRange } from './lists.ts';
import { type Column, filtered, firstOf, inAtLeast, split, valuesFor } from './numbers.ts';
import { checkCursor, inReadingOrder, type KeyType } from './order.ts';
import { scopeTest } from './scope.ts';

/** Cached lists of a plan. */
export interface AtHand {
  readonly requested: Lists;
  readonly lists: ReadonlyMap<RequestedLists, List>;
  readonly columns: FacetColumns;
}

/** Numbers of datasets found, without those written since. */
export interface Numbers {
  readonly public: Int32Array;
  /** Those in the scope of the search. */
  readonly hidden: Int32Array;
}

/** The numbers that a condition finds in a scope. */
export interface CachedNumbers extends Numbers {
  /** Identifies condition and scope. */
  readonly key: string;
}

/** The result of a search by its lists alone. */
export interface Expected {
  readonly numbers: CachedNumbers;
  readonly page: readonly SortedDataset[];
  /** The numbers include all writes of transactions before this one. Read together with them, because the cache can change concurrently. */
  readonly since: string;
}

/** The result of a search, and the data for its counts. */
export interface Found {
  readonly generation: string;
  readonly page: Hit[];
  /** Without rows written since. */
  readonly numbers: Numbers;
  /** The same with their former state, and the numbers of those rows among them. */
  readonly before: CachedNumbers;
  readonly changed: Numbers;
  /** Rows written since. */
  readonly written: readonly FacetRow[];
  /** Rows written since that match. */
  readonly fresh: readonly FacetRow[];
  /** Names of groups and organizations → titles. */
  readonly titles: ReadonlyMap<string, string>;
}

/** @throws CatalogError VALIDATION for a cursor of another sort order */
export function expectedOf(search: Search, page: Wish['page'], at: AtHand): Expected {
  const numbers = numbersOf(search, at);
  const since = oldest([at.columns.since, ...[...at.lists.values()].map((list) => list.since)]);
  return { numbers, page: pageOf(search, page, at, numbers, []), since };
}

/** Runs a search: corrects the expected result by rows written since, and reads its documents and the titles of `names`. */
export async function findCached(
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
  const found = { generation, titles, before: expected.numbers };
  if (!shown.isWritten) return { ...found, ...unchanged(expected.numbers), page: hitsOf(expected.page, rows) };

  const { written, fresh } = await readFresh(sql, search, since);
  const changes = Int32Array.from(written, ({ number }) => number);
  const [publicLeft, publicChanged] = split(expected.numbers.public, changes);
  const [hiddenLeft, hiddenChanged] = split(expected.numbers.hidden, changes);
  const settled = { public: publicLeft, hidden: hiddenLeft };
  const datasets = pageOf(search, page, at, settled, fresh);
  const missing = datasets.filter(({ number }) => !rows.has(number)).map(({ number }) => number);
  if (missing.length > 0) {
    const more = await shownDocuments(sql, { since: null, numbers: missing, names: [], timeout });
    for (const [number, row] of more.rows) rows.set(number, row);
  }
  const changed = { public: publicChanged, hidden: hiddenChanged };
  return { ...found, page: hitsOf(datasets, rows), numbers: settled, changed, written, fresh };
}

const NONE: Numbers = { public: new Int32Array(), hidden: new Int32Array() };

/** The counted part of a result without later writes. */
export const unchanged = (numbers: CachedNumbers): Omit<Found, 'generation' | 'page' | 'titles'> => ({
  ...{ numbers, before: numbers, changed: NONE },
  ...{ written: [], fresh: [] },
});

/** The lowest transaction. Transaction numbers exceed JavaScript's safe integers. */
const oldest = (transactions: readonly string[]): string =>
  transactions.reduce((least, one) => (BigInt(one) < BigInt(least) ? one : least));

/** A dataset deleted in the meantime keeps its position on the page, with an empty id. */
const hitsOf = (datasets: readonly SortedDataset[], rows: ReadonlyMap<number, DocumentRow>): Hit[] =>
  datasets.map(({ number, keys }) => {
    const row = rows.get(number);
    return row ? { id: row.dataset_id, keys, row } : { id: '', keys };
  });

/** Numbers of the datasets that a search finds, by the lists. Callers with the same rights share them. */
function numbersOf({ plan: { condition }, scope }: Search, at: AtHand): CachedNumbers {
  const key = JSON.stringify([condition, isPublic(scope) ? null : scope]);
  const lists = [...at.requested.of.values()].map((want) => at.lists.get(want)!);
  return derived(
    at.columns,
    `numbers ${key}`,
    lists,
    () => ({ key, ...numbersNow(condition, scope, at) }),
    ({ public: shown, hidden }) => (condition.kind === 'all' ? 0 : shown.byteLength) + hidden.byteLength,
  );
}

function numbersNow(condition: Condition, scope: Scope, at: AtHand): Numbers {
  const shown = numbersIn('public', condition, at, at.columns.publicNumbers());
  if (isPublic(scope)) return { public: shown, hidden: NONE.hidden };
  const readable = derived(
    at.columns,
    `hidden ${JSON.stringify(scope)}`,
    [],
    () => at.columns.hiddenNumbers(scopeTest(scope)),
    ({ byteLength }) => byteLength,
  );
  return { public: shown, hidden: filtered(numbersIn('hidden', condition, at, readable), readable, true) };
}

/** Numbers of `all` datasets of a part that satisfy a condition. Lists may have further hidden ones. */
function numbersIn(part: keyof Numbers, condition: Condition, at: AtHand, all: Int32Array): Int32Array {
  const of = (condition: Condition) => numbersIn(part, condition, at, all);
  const within = (numbers: Int32Array, { field, from, to }: TimeRange) => at.columns.between(field, numbers, from, to);
  switch (condition.kind) {
    case 'all':
      return all;
    case 'none':
      return new Int32Array();
    case 'not':
      return filtered(all, of(condition.of), false);
    case 'or':
      return inAtLeast(1, condition.of.map(of));
    case 'least':
      return inAtLeast(condition.count, condition.of.map(of));
    case 'and': {
      const ranges = condition.of.flatMap((one) => timeRange(one) ?? []);
      const lists = condition.of.filter((one) => one.kind !== 'not' && timeRange(one) === null).map(of);
      const [first = all, ...others] = lists.sort((a, b) => a.length - b.length);
      const listed = others.reduce((left, other) => filtered(left, other, true), first);
      const found = ranges.reduce(within, listed);
      return condition.of.reduce((left, one) => (one.kind === 'not' ? filtered(left, of(one.of), false) : left), found);
    }
    default: {
      const range = rangeOf(condition);
      return range ? within(all, range) : at.lists.get(at.requested.of.get(condition)!)![part].numbers;
    }
  }
}

const timeRange = (condition: Condition): TimeRange | null => (condition.kind === 'exact' ? rangeOf(condition) : null);

/** A dataset with its sort keys. */
interface SortedDataset {
  readonly number: number;
  readonly keys: string[];
}

/** Selects the page from the list numbers and the matching rows written since. */
function pageOf(
  search: Search,
  page: Wish['page'],
  at: AtHand,
  { public: all, hidden }: Numbers,
  fresh: readonly Fresh[],
): SortedDataset[] {
  if (!page || page.limit === 0) return [];
  const sort = search.plan.sort.filter(({ by }) => by !== 'score' || at.requested.scored.length > 0);
  const [first, second] = sort;
  const isByTime = first !== undefined && second === undefined && first.by !== 'score' && first.descending;
  const isInOrder = search.plan.condition.kind === 'all' && isByTime && !page.after && !page.backward;
  // All public datasets are cached in this order, so only the first ones are needed.
  const settled = isInOrder ? all.subarray(0, page.offset + page.limit) : all;
  const numbers = joined(
    Int32Array,
    settled,
    hidden,
    fresh.map(({ number }) => number),
  );
  const columns = sort.map(({ by, descending }): Column => {
    const [own, ofHidden, written] =
      by === 'score'
        ? [scoresOf('public', settled, at), scoresOf('hidden', hidden, at), fresh.map(({ score }) => score)]
        : [
            at.columns.timesOf('modifiedAt', settled),
            at.columns.timesOf('modifiedAt', hidden),
            fresh.map(({ modifiedAt }) => modifiedAt),
          ];
    return { values: joined(Float64Array, own, ofHidden, written), descending };
  });
  const keys: Column[] = inReadingOrder([...columns, { values: numbers, descending: false }], page);
  if (page.after)
    checkCursor([...sort.map(({ by }): KeyType => (by === 'score' ? 'float8' : 'micros')), 'bigint'], page);
  const indexes = firstOf(numbers.length, keys, page.offset + page.limit, page.after?.map(Number) ?? null);
  return Array.from(indexes.subarray(page.offset), (index) => ({
    number: numbers[index]!,
    keys: keys.map(({ values }) => String(values[index])),
  }));
}

/** Sums the scores of all clauses, in the same order as SQL. */
function scoresOf(part: keyof Numbers, numbers: Int32Array, { requested, lists }: AtHand): Float64Array {
  const [first, ...others] = requested.scored.map((want) => {
    const list = lists.get(want)![part];
    return valuesFor(numbers, list.numbers, list.values!);
  });
  if (others.length === 0) return first!;
  const sum = first!.slice();
  for (const more of others) for (let i = 0; i < sum.length; i += 1) sum[i]! += more[i]!;
  return sum;
}

/** One array of all; the first one if the others are empty. */
function joined<A extends Int32Array | Float64Array>(
  Kind: new (length: number) => A,
  first: A,
  ...more: readonly (A | readonly number[])[]
): A {
  const length = more.reduce((sum, part) => sum + part.length, first.length);
  if (length === first.length) return first;
  const all = new Kind(length);
  all.set(first);
  let at = first.length;
  for (const part of more) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
