/** Shapes of reads: the columns that a read filters, sorts and returns, without values. Pure. */
import type { AggregatePlan } from '../rows/aggregate.plan.ts';
import type { SearchPlan } from '../rows/search.plan.ts';

/** A sort column: `a`, or `a` with directions that are not the default ones. */
export type SortKey = readonly [id: string, direction: '' | 'DESC' | 'NULLS FIRST' | 'DESC NULLS LAST'];

export interface Shape {
  /** Columns with one value, by name. */
  readonly eq: readonly string[];
  /** Columns in the order of reading; of an aggregate, a column with a range, or its groups by name. */
  readonly sort: readonly SortKey[];
  /** Other columns that groups and figures read, by name; empty for reads of whole rows. */
  readonly more: readonly string[];
}

/** The shape of writes. */
export const WRITES = '';

const MAX_EQ = 5;
const MAX_SORT = 3;
const MAX_MORE = 4;

/** The shape as text; null for reads that no index of this kind serves. */
export function textOf({ eq, sort, more }: Shape): string | null {
  const own = sort.findIndex(([id]) => id === '_id'); // rows with equal `_id` are one row
  const keys = sort.slice(0, own < 0 ? undefined : own).filter(([id]) => !eq.includes(id));
  const others = more.filter((id) => id !== '_id' && !eq.includes(id) && !keys.some(([key]) => key === id));
  if (eq.length > MAX_EQ || keys.length > MAX_SORT || others.length > MAX_MORE || eq.includes('_id')) return null;
  if (eq.length + keys.length === 0) return null;
  return JSON.stringify([[...new Set(eq)].sort(), keys, [...new Set(others)].sort()]);
}

/** The shape of a text that `textOf` made; null for other texts. */
export function shapeOf(text: string): Shape | null {
  try {
    const [eq, sort, more] = JSON.parse(text);
    return { eq, sort, more };
  } catch {
    return null;
  }
}

/** Columns of the filters; null if an index cannot answer them. */
function filtersOf({ conditions }: SearchPlan): Omit<RowColumns, 'sort'> | null {
  const eq: string[] = [];
  const ranges: string[] = [];
  let isOrdered = true;
  for (const condition of conditions) {
    if (condition.kind === 'text') return null;
    const { id } = condition.column;
    if (condition.kind === 'compare' && condition.with !== 'eq') ranges.push(id);
    else eq.push(id);
    if (condition.kind === 'in' && (condition.values.length > 1 || condition.orNull)) isOrdered = false;
  }
  return { eq, ranges: [...new Set(ranges)].filter((id) => !eq.includes(id)), isOrdered };
}

/** Shape of a search or page; null if no index helps. */
export function shapeOfSearch(plan: SearchPlan): string | null {
  const filters = filtersOf(plan);
  if (!filters || plan.ranked || plan.distinct) return null;
  const sort = plan.orderBy.map(({ column, descending, nulls }): SortKey => {
    if (nulls === null || nulls === (descending ? 'first' : 'last')) return [column.id, descending ? 'DESC' : ''];
    return [column.id, descending ? 'DESC NULLS LAST' : 'NULLS FIRST'];
  });
  return shapeOfRows({ ...filters, sort });
}

/** Columns of a read of rows. */
export interface RowColumns {
  readonly eq: readonly string[];
  readonly ranges: readonly string[];
  /** False if a column has several values, which have no common order. */
  readonly isOrdered: boolean;
  readonly sort: readonly SortKey[];
}

/** Shape of a read of rows; null if no index helps. */
export function shapeOfRows({ eq, ranges, isOrdered, sort: keys }: RowColumns): string | null {
  const sort = keys.at(-1)?.[0] === '_id' ? keys.slice(0, -1) : keys;
  const [range] = ranges;
  const followsRange = ranges.length <= 1 && (range === undefined || sort[0]?.[0] === range);
  if (isOrdered && followsRange) return textOf({ eq, sort, more: [] });
  return textOf({ eq, sort: range === undefined ? [] : [[range, '']], more: [] });
}

/** Shape of groups; null if no index helps. */
export function shapeOfGroups(plan: SearchPlan, groups: AggregatePlan): string | null {
  const filters = filtersOf(plan);
  if (!filters || filters.eq.length + filters.ranges.length === 0) return null;
  const more = [...groups.keys, ...groups.figures].flatMap(({ column }) => (column ? [column.id] : []));
  const isPlain = groups.keys.every(({ bucket }) => bucket === null);
  return shapeOfAggregate({ ...filters, groups: isPlain ? groups.keys.map(({ column }) => column.id) : [], more });
}

/** Columns of an aggregate. */
export interface AggregateColumns {
  readonly eq: readonly string[];
  readonly ranges: readonly string[];
  /** Columns that are groups themselves; empty if a group is another expression. */
  readonly groups: readonly string[];
  /** All columns that the aggregate reads. */
  readonly more: readonly string[];
}

/** Shape of an aggregate. Sorted by its groups, an index spares PostgreSQL a hash table of them, and costs nothing more. */
export function shapeOfAggregate({ eq, ranges, groups, more }: AggregateColumns): string | null {
  const [range, ...others] = ranges;
  const sorted = [...new Set(groups)].filter((id) => id !== '_id' && !eq.includes(id)).sort();
  const ids = range === undefined ? (sorted.length <= MAX_SORT ? sorted : []) : [range];
  return textOf({ eq, sort: ids.map((id): SortKey => [id, '']), more: [...others, ...more] });
}
