/**
 * Statements that group the records of a table and compute figures per group. From plans; pure. In SQL because Prisma
 * knows neither the tables of the DataStore nor buckets.
 */
import { EMPTY, type Fragment, ident, joined, number, sql } from '../fragment.ts';
import type { AggregatePlan, Figure, GroupCondition, GroupFigure, GroupKey, TimeBucket } from './aggregate.plan.ts';
import { after, type Position, type RowKey } from './rows.sql.ts';
import { MAX_BYTES, type SearchPlan } from './search.plan.ts';
import { SIGNS, type Source, shown, whereOf } from './search.sql.ts';

const TIMES: Readonly<Record<TimeBucket, { unit: Fragment; length: Fragment }>> = {
  HOUR: { unit: sql`'hour'`, length: sql`interval '1 hour'` },
  DAY: { unit: sql`'day'`, length: sql`interval '1 day'` },
  WEEK: { unit: sql`'week'`, length: sql`interval '7 days'` },
  MONTH: { unit: sql`'month'`, length: sql`interval '1 month'` },
  QUARTER: { unit: sql`'quarter'`, length: sql`interval '3 months'` },
  YEAR: { unit: sql`'year'`, length: sql`interval '1 year'` },
};
/** Bounds outside of a type's range cannot be compared with its values. */
const RANGES: Readonly<Record<string, readonly [string, string]>> = {
  int2: ['-32768', '32767'],
  int4: ['-2147483648', '2147483647'],
  int8: ['-9223372036854775808', '9223372036854775807'],
};

/** The value of a group, or the start of its bucket. */
function keySql({ column, bucket }: GroupKey): Fragment {
  const own = ident(column.id);
  if (bucket === null) return own;
  if (bucket.kind === 'time') {
    const { unit } = TIMES[bucket.interval];
    return column.type === 'date'
      ? sql`date_trunc(${unit}, ${own}::timestamp)::date`
      : sql`date_trunc(${unit}, ${own})`; // sessions are in UTC
  }
  const [width, offset] = [sql`${String(bucket.width)}::numeric`, sql`${String(bucket.offset)}::numeric`];
  // By way of text, a float has the digits that it is written with. As a decimal alone it has 15 of them.
  const value = sql`${own}::text::numeric`;
  const beyond = sql`(${value} - ${offset})`;
  // Without a division, which would round. NaN and infinite values are groups of their own.
  return sql`CASE WHEN ${value} > '-Infinity' AND ${value} < 'Infinity'
    THEN trim_scale(${value} - mod(mod(${beyond}, ${width}) + ${width}, ${width})) ELSE ${value} END`;
}

/** The start and the end of a bucket as JSON; null where the bucket is open. */
function boundsSql({ column, bucket }: GroupKey, start: Fragment): readonly [Fragment, Fragment] {
  if (bucket === null) return [sql`NULL`, sql`NULL`];
  if (bucket.kind === 'time') {
    const finite = (value: Fragment) => sql`CASE WHEN isfinite(${start}) THEN ${value} END`;
    const end = sql`${start} + ${TIMES[bucket.interval].length}`;
    return [finite(start), finite(column.type === 'date' ? sql`(${end})::date` : end)];
  }
  const end = sql`${start} + ${String(bucket.width)}::numeric`;
  const [least, greatest] = RANGES[column.type] ?? ['-Infinity', 'Infinity'];
  const isBounded = sql`${start} > '-Infinity' AND ${start} < 'Infinity'`;
  return [
    sql`CASE WHEN ${isBounded} AND ${start} >= ${least}::numeric THEN ${start}::text END`,
    sql`CASE WHEN ${isBounded} AND ${end} <= ${greatest}::numeric THEN trim_scale(${end})::text END`,
  ];
}

const FUNCTIONS: Readonly<Record<Figure, (of: Fragment) => Fragment>> = {
  COUNT: (of) => sql`count(${of})`,
  COUNT_DISTINCT: (of) => sql`count(DISTINCT ${of})`,
  SUM: (of) => sql`sum(${of})`,
  AVG: (of) => sql`avg(${of})`,
  MIN: (of) => sql`min(${of})`,
  MAX: (of) => sql`max(${of})`,
  STDDEV: (of) => sql`stddev_samp(${of})`,
  MEDIAN: (of) => sql`percentile_cont(0.5) WITHIN GROUP (ORDER BY ${of})`,
};

const figureSql = ({ figure, column }: GroupFigure): Fragment =>
  FUNCTIONS[figure](column === null ? sql`*` : ident(column.id));

/** Extremes have the format of their column. Other figures are exact texts. */
const shownFigure = ({ figure, column }: GroupFigure, value: Fragment): Fragment =>
  figure === 'MIN' || figure === 'MAX' ? shown(value, column!.type) : sql`${value}::text`;

const keyName = (at: number): Fragment => ident(`k${at}`);
const figureName = (at: number): Fragment => ident(`f${at}`);

/** All groups: a column per key and figure. */
function groupsSql(source: Source, rows: SearchPlan, { keys, figures }: AggregatePlan): Fragment {
  const picked = [
    ...keys.map((key, at) => sql`${keySql(key)} AS ${keyName(at)}`),
    sql`count(*) AS n`,
    ...figures.map((figure, at) => sql`${figureSql(figure)} AS ${figureName(at)}`),
  ];
  // By position: a name could be a column's, and an expression with bound values is not known again.
  const positions = keys.map((_key, at) => number(at + 1));
  const by = keys.length === 0 ? EMPTY : sql`GROUP BY ${joined(positions, ', ')}`;
  return sql`SELECT ${joined(picked, ', ')} FROM ${source.from} ${whereOf(rows, source.columns)} ${by}`;
}

function havingSql({ figure, with: comparison, value, isNumber }: GroupCondition): Fragment {
  const own = figureName(figure);
  if (value === null) return sql`${own} IS NULL`;
  return isNumber ? sql`${own} ${SIGNS[comparison]} ${value}::numeric` : sql`${own} ${SIGNS[comparison]} ${value}`;
}

const positionsOf = ({ orderBy }: AggregatePlan): Position[] =>
  orderBy.map(({ of, at, descending }) => ({
    value: of === 'key' ? keyName(at) : figureName(at),
    descending,
    nulls: 'last',
  }));

/** A page of groups: `key` (the values in the sort order) and `group` (`[count, keys, figures]` as JSON text), null when too long together. */
export function groupPageSql(
  source: Source,
  rows: SearchPlan,
  plan: AggregatePlan,
  limit: number,
  from: RowKey | null,
): Fragment {
  const positions = positionsOf(plan);
  const conditions = [...plan.having.map(havingSql), ...(from === null ? [] : [after(positions, from)])];
  const where = conditions.length === 0 ? EMPTY : sql`WHERE ${joined(conditions, ' AND ')}`;
  const order = positions.map(({ value, descending }) => sql`${value} ${descending ? sql`DESC` : sql`ASC`} NULLS LAST`);
  const ordered = order.length === 0 ? EMPTY : sql`ORDER BY ${joined(order, ', ')}`;
  const keys = plan.keys.map((key, at) => {
    const own = keyName(at);
    // jsonb as its text: parsed, it would lose digits, and "5" would look like 5.
    const isText = key.bucket?.kind === 'number' || key.column.type === 'jsonb';
    const value = isText ? sql`${own}::text` : shown(own, key.column.type);
    return sql`json_build_array(${joined([value, ...boundsSql(key, own)], ', ')})`;
  });
  const figures = plan.figures.slice(0, plan.requested).map((figure, at) => shownFigure(figure, figureName(at)));
  const group = sql`json_build_array(n, json_build_array(${joined(keys, ', ')}), json_build_array(${joined(figures, ', ')}))::text`;
  const key = sql`ARRAY[${joined(
    positions.map(({ value }) => sql`${value}::text`),
    ', ',
  )}]::text[]`;
  return sql`SELECT key, CASE WHEN sum(octet_length("group") + octet_length(key::text)) OVER () <= ${MAX_BYTES}::int8 THEN "group" END AS "group"
    FROM (SELECT ${key} AS key, ${group} AS "group"
      FROM (SELECT * FROM (${groupsSql(source, rows, plan)}) g ${where} ${ordered} LIMIT ${limit}::int8) r) t`;
}

/** Number of groups that satisfy the conditions. */
export function groupCountSql(source: Source, rows: SearchPlan, plan: AggregatePlan): Fragment {
  const used = new Set(plan.having.map(({ figure }) => figure));
  const where = used.size === 0 ? EMPTY : sql`WHERE ${joined(plan.having.map(havingSql), ' AND ')}`;
  // Figures keep their positions; those that no condition uses are not computed.
  const figures = plan.figures.map(
    (figure, at): GroupFigure => (used.has(at) ? figure : { figure: 'COUNT', column: null }),
  );
  return sql`SELECT count(*)::float8 AS n FROM (${groupsSql(source, rows, { ...plan, figures })}) g ${where}`;
}
