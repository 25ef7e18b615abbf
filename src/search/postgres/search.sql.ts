/** Executes a plan on PostgreSQL: page, count and facets. In SQL because Prisma has no tsvector and no counts of array elements. */
import type { Sql } from '../../infra/postgres/db.ts';
import {
  type Engine,
  type FacetCount,
  type FacetPage,
  type FacetWish,
  type Hit,
  type Hits,
  isPublic,
  type Search,
  type Wish,
} from '../engine.ts';
import { selected } from '../query/facets.ts';
import { textMatches } from '../query/words.ts';
import { type AtHand, type CachedNumbers, expectedOf, findCached, unchanged } from './cached.ts';
import { addRows, type FacetColumns, type TimeField } from './columns.ts';
import { derived } from './derived.ts';
import { shownDocuments } from './documents.ts';
import { facetRows, readWritten, vocabularyFields } from './facets.sql.ts';
import { facetColumns, generationOf, isOutdated, markFresh, pickFacets } from './facets.ts';
import { expansions } from './lexicon.ts';
import { listsAtHand, refresh } from './list-cache.ts';
import { numbersOf } from './lists.sql.ts';
import { listsOf, timeFieldOf } from './lists.ts';
import { addTimes, countPeriods, type Days } from './periods.ts';
import { type Expanded, isCoded, write } from './statement.ts';

/** A row of the single statement. */
interface Answer {
  generation: string | null;
  page: Hit[] | null;
  count: number | null;
  numbers: Buffer | null;
  fresh: number[][] | null;
  /** Facets counted by SQL, by index. */
  counted: Record<string, { total: number; values: [string, number][] | null }> | null;
}

/** The index is part of the write transaction, so the next request finds every write. */
export const postgres: Engine = { find };

async function find(sql: Sql, search: Search, wish: Wish): Promise<Hits> {
  const isCounted = wish.facets.every(isCountedHere);
  // A page of all datasets, without anything else, is read from an index.
  const isPage = isEverything(search) && !wish.count && wish.facets.length === 0;
  const requested = isCounted && !isPage ? listsOf(search) : null;
  const isWhole = wish.count || wish.facets.length > 0 || search.plan.sort.some(({ by }) => by === 'score');
  for (;;) {
    const columns = requested && (await facetColumns(sql));
    const lists = columns && (await listsAtHand(sql, generationOf(sql), [...requested!.of.values()], search, isWhole));
    const found =
      columns && lists
        ? await findInLists(sql, search, wish, { requested: requested!, lists, columns })
        : wish.facets.every(({ field }) => isCoded(field)) && isEverything(search)
          ? await findEverything(sql, search, wish)
          : await findSome(sql, search, wish, await expansionsOf(sql, search));
    if (found) return found;
  }
}

const expansionsOf = (sql: Sql, { plan }: Search) => expansions(sql, textMatches(plan.condition, plan.scores));

/** Null when the cache belongs to former contents of the tables. */
async function findInLists(sql: Sql, search: Search, wish: Wish, at: AtHand): Promise<Hits | null> {
  const expected = expectedOf(search, wish.page, at);
  const soon = await countsIn(sql, wish, at, unchanged(expected.numbers));
  const found = await findCached(sql, search, wish.page, at, expected, groupNames(wish, soon));
  if (isOutdated(sql, found.generation)) return null;
  if (markFresh(sql, found.written.length)) refresh(sql, [...at.lists.keys()], search);
  const counts = found.written.length === 0 ? soon : await countsIn(sql, wish, at, found);
  const titled = ({ total, values }: FacetPage): FacetPage => ({
    total,
    values: values.map((one) => ({ ...one, title: found.titles.get(one.value) })),
  });
  const facets = counts.map((page, index) => (isOfGroups(wish.facets[index]!) ? titled(page) : page));
  const { numbers, page, fresh } = found;
  return { page, count: numbers.public.length + numbers.hidden.length + fresh.length, facets };
}

/** Facets counted in the process. */
const isCountedHere = ({ field, period }: FacetWish): boolean =>
  isCoded(field) || (period !== undefined && timeFieldOf(field) !== null);

const isOfGroups = ({ field }: FacetWish): boolean =>
  field.kind === 'value' && (field.of === 'organization' || field.of === 'groups');

const groupNames = ({ facets }: Wish, counts: readonly FacetPage[]): string[] =>
  counts.flatMap(({ values }, index) => (isOfGroups(facets[index]!) ? values.map(({ value }) => value) : []));

type Counted = ReturnType<typeof unchanged>;

async function countsIn(sql: Sql, { facets }: Wish, { columns }: AtHand, found: Counted): Promise<FacetPage[]> {
  const coded = facets.filter(({ field }) => isCoded(field));
  const pages = coded.length > 0 ? await codedIn(sql, coded, columns, found) : [];
  return facets.map((facet) => {
    const field = timeFieldOf(facet.field);
    return field === null ? pages[coded.indexOf(facet)]! : selected(periodsIn(facet, field, columns, found), facet);
  });
}

/** Numbers of datasets per period. */
function periodsIn(
  { period }: FacetWish,
  field: TimeField,
  columns: FacetColumns,
  { before, changed, fresh }: Counted,
): FacetCount[] {
  const days = new Map(daysOf(columns, field, before));
  for (const part of [changed.public, changed.hidden]) addTimes(days, columns.timesOf(field, part), -1);
  const written = fresh.map((row) => row[field]);
  return countPeriods(addTimes(days, written, 1), period!);
}

/** Size of a day and its number. */
const BYTES_OF_DAY = 40;

const daysOf = (columns: FacetColumns, field: TimeField, numbers: CachedNumbers): Days =>
  derived(
    columns,
    `days ${field} ${numbers.key}`,
    [numbers],
    () => {
      const days = addTimes(new Map(), columns.timesOf(field, numbers.public), 1);
      return addTimes(days, columns.timesOf(field, numbers.hidden), 1);
    },
    ({ size }) => size * BYTES_OF_DAY,
  );

function codedIn(
  sql: Sql,
  facets: readonly FacetWish[],
  columns: FacetColumns,
  { before, changed, written, fresh }: Counted,
): Promise<FacetPage[]> {
  const needsOthers = facets.some(({ least }) => least === 0);
  const everywhere = needsOthers ? columns.countPublic(written).counts : new Uint32Array();
  const counts = countsOf(columns, before).slice();
  for (const part of [changed.public, changed.hidden]) columns.count(part, counts, -1);
  const rows = fresh.map((row) => row.facets);
  return pickCoded(sql, addRows(counts, rows, 1), everywhere, facets);
}

const countsOf = (columns: FacetColumns, numbers: CachedNumbers): Uint32Array =>
  derived(
    columns,
    `counts ${numbers.key}`,
    [numbers],
    () => columns.count(numbers.hidden, columns.count(numbers.public)),
    ({ byteLength }) => byteLength,
  );

/** Null when the cache belongs to former contents of the tables. */
async function findSome(sql: Sql, search: Search, wish: Wish, expanded: Expanded): Promise<Hits | null> {
  const coded = wish.facets.filter(({ field }) => isCoded(field));
  const columns = coded.length > 0 ? await facetColumns(sql) : null;
  const needsOthers = coded.some(({ least }) => least === 0);
  const statement = write(search, wish, columns?.since ?? null, expanded);
  const [[row], others] = await Promise.all([
    sql.rows<Answer>(statement, statement.values),
    columns && needsOthers ? readWritten(sql, columns.since) : null,
  ]);
  const { generation, page, count, numbers, fresh, counted } = row!;
  if (columns && isOutdated(sql, generation!)) return null;
  if (columns) markFresh(sql, fresh?.length ?? 0);
  const counts =
    columns &&
    (await pickCoded(
      sql,
      addRows(columns.count(numbersOf(numbers)), fresh ?? [], 1),
      columns.countPublic(facetRows(others?.rows ?? null)).counts,
      coded,
    ));
  const facets = wish.facets.map((facet, index) => {
    if (counts && isCoded(facet.field)) return counts[coded.indexOf(facet)]!;
    const { total, values } = counted![index]!;
    return { total, values: (values ?? []).map(([value, count]) => ({ value, count })) };
  });
  return { page: await withDocuments(sql, search, page ?? []), count: count ?? 0, facets };
}

/** A page with its documents; the last key of a hit is its number. */
async function withDocuments(sql: Sql, { timeout }: Search, page: readonly Hit[]): Promise<Hit[]> {
  if (page.length === 0) return [];
  const numbers = page.map(({ keys }) => Number(keys.at(-1)));
  const { rows } = await shownDocuments(sql, { since: null, numbers, names: [], timeout });
  return page.map(({ id, keys }, index) => {
    const row = rows.get(numbers[index]!);
    return row ? { id, keys, row } : { id, keys };
  });
}

/** All public datasets: counts are cached, and the page is read from an index. Null as above. */
async function findEverything(sql: Sql, search: Search, wish: Wish): Promise<Hits | null> {
  const columns = wish.count || wish.facets.length > 0 ? await facetColumns(sql) : null;
  const statement =
    wish.page && wish.page.limit > 0
      ? write(search, { page: wish.page, count: false, facets: [] }, null, new Map())
      : null;
  const [pages, written] = await Promise.all([
    statement ? sql.rows<Answer>(statement, statement.values) : [],
    columns ? readWritten(sql, columns.since) : null,
  ]);
  if (columns && isOutdated(sql, written!.generation)) return null;
  const rows = facetRows(written?.rows ?? null);
  const totals = columns?.countPublic(rows) ?? { counts: new Uint32Array(), datasets: 0 };
  markFresh(sql, rows.length);
  const facets = wish.facets.length > 0 ? await pickCoded(sql, totals.counts, totals.counts, wish.facets) : [];
  return { page: await withDocuments(sql, search, pages[0]?.page ?? []), count: totals.datasets, facets };
}

const isEverything = ({ plan, scope }: Search): boolean => plan.condition.kind === 'all' && isPublic(scope);

async function pickCoded(
  sql: Sql,
  counts: Uint32Array,
  everywhere: Uint32Array,
  wishes: readonly FacetWish[],
): Promise<FacetPage[]> {
  const names = wishes.flatMap(({ field }) => (field.kind === 'vocabulary' ? [field.of] : []));
  const vocabularies = await vocabularyFields(sql, names);
  const requested = wishes.map((wish) => ({
    wish,
    field:
      wish.field.kind === 'vocabulary' ? (vocabularies.get(wish.field.of) ?? '') : (wish.field as { of: string }).of,
  }));
  return pickFacets(sql, counts, everywhere, requested);
}
