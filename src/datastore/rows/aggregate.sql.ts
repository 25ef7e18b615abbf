/**
 * Writes statements that group the records of a table and compute figures per group. In SQL because tables of the DataStore are not in the
 * Prisma schema, and Prisma cannot group by buckets. Pure, from plans.
 */
import { EMPTY, type Fragment, ident, joined, number, sql } from '../fragment.ts';
import type { AggregatePlan, Figure, GroupCondition, GroupFigure, GroupKey, TimeBucket } from './aggregate.plan.ts';
import { after, type Position, type RowStart } from './rows.sql.ts';
import { MAX_BYTES, type SearchPlan } from './search.plan.ts';
import { SIGNS, type Source, shown, versionOf, whereOf } from './search.sql.ts';

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
  return bucketSql(own, column.type, bucket);
}

interface NumberBucket {
  readonly width: number;
  readonly offset: number;
}

/** Maximum width and offset in units of their last decimal: products of floats are exact there. */
const MAX_UNITS = 1e14;
const MAX_DECIMALS = 9;

function decimalsOf(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits!.split('.')[1]?.length ?? 0) - Number(exponent));
}

/**
 * The start of a float's bucket by integers, eight times as fast as by numeric; null where they would overflow. A unit is the last decimal
 * of width and offset, so that bounds are whole units. `nearest` is the value in units, rounded. A value below that unit, as a float, is in
 * the unit before it: both are compared as they are written, because each is the float nearest to its decimals.
 */
function unitsSql(own: Fragment, { width, offset }: NumberBucket): { isSmall: Fragment; start: Fragment } | null {
  const decimals = Math.max(decimalsOf(width), decimalsOf(offset));
  const perOne = 10 ** decimals;
  if (decimals > MAX_DECIMALS || Math.max(width, Math.abs(offset)) * perOne > MAX_UNITS) return null;
  const units = sql`${String(perOne)}::float8`;
  const nearest = sql`round(${own} * ${units})`;
  const unit = sql`(${nearest}::int8 - (${own} < ${nearest} / ${units})::int4)`;
  const [every, first] = [width, offset].map((value) => sql`${String(Math.round(value * perOne))}::int8`) as [
    Fragment,
    Fragment,
  ];
  const start = sql`(${unit} - mod(mod(${unit} - ${first}, ${every}) + ${every}, ${every}))::numeric`;
  return {
    isSmall: sql`abs(${own}) < ${String(1e15 / perOne)}::float8`,
    start: decimals === 0 ? start : sql`${start} * ${(1 / perOne).toFixed(decimals)}::numeric`,
  };
}

/** The start of a number's bucket. Without a division, which would round. NaN and infinite values are groups of their own. */
function bucketSql(own: Fragment, type: string, bucket: NumberBucket): Fragment {
  // Smaller integers cannot overflow int8. By way of text, a float has the digits that it is written with.
  const isSmall = type === 'int2' || type === 'int4';
  const kind = isSmall ? sql`int8` : sql`numeric`;
  const value = type.startsWith('float') ? sql`${own}::text::numeric` : sql`${own}::${kind}`;
  const [width, offset] = [sql`${String(bucket.width)}::${kind}`, sql`${String(bucket.offset)}::${kind}`];
  const start = sql`${value} - mod(mod(${value} - ${offset}, ${width}) + ${width}, ${width})`;
  if (type.startsWith('int')) return start;
  const units = type === 'float8' ? unitsSql(own, bucket) : null;
  return sql`CASE ${units ? sql`WHEN ${units.isSmall} THEN ${units.start}` : EMPTY}
    WHEN ${own} > '-Infinity' AND ${own} < 'Infinity' THEN ${start} ELSE ${own}::text::numeric END`;
}

/** The value of a key as JSON, and the start and the end of its bucket; null where the bucket is open. */
function shownKey({ column, bucket }: GroupKey, own: Fragment): readonly [Fragment, Fragment, Fragment] {
  // jsonb as its text: parsed, it would lose digits, and "5" would look like 5.
  if (bucket === null)
    return [column.type === 'jsonb' ? sql`${own}::text` : shown(own, column.type), sql`NULL`, sql`NULL`];
  if (bucket.kind === 'time') {
    const finite = (value: Fragment) => sql`CASE WHEN isfinite(${own}) THEN ${value} END`;
    const end = sql`${own} + ${TIMES[bucket.interval].length}`;
    return [own, finite(own), finite(column.type === 'date' ? sql`(${end})::date` : end)];
  }
  const start = sql`${own}::numeric`;
  const end = sql`${start} + ${String(bucket.width)}::numeric`;
  const [least, greatest] = RANGES[column.type] ?? ['-Infinity', 'Infinity'];
  const isBounded = sql`${start} > '-Infinity' AND ${start} < 'Infinity'`;
  const value = sql`trim_scale(${start})::text`;
  return [
    value,
    sql`CASE WHEN ${isBounded} AND ${start} >= ${least}::numeric THEN ${value} END`,
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

/** Reading backward reverses the whole order: nulls come first then. */
const positionsOf = ({ orderBy }: AggregatePlan, backward: boolean): Position[] =>
  orderBy.map(({ of, at, descending }) => ({
    value: of === 'key' ? keyName(at) : figureName(at),
    descending: descending !== backward,
    nulls: backward ? 'first' : 'last',
  }));

/**
 * A page of groups in reading order: `key` (the values in the sort order) and `group` (`[count, keys, figures]` as JSON text), null when too
 * long together. Each row has the `version` of the table; without groups, one row has nothing else.
 */
export function groupPageSql(
  source: Source,
  rows: SearchPlan,
  plan: AggregatePlan,
  limit: number,
  { from, backward }: RowStart,
): Fragment {
  const positions = positionsOf(plan, backward);
  const conditions = [...plan.having.map(havingSql), ...(from === null ? [] : [after(positions, from)])];
  const where = conditions.length === 0 ? EMPTY : sql`WHERE ${joined(conditions, ' AND ')}`;
  const order = positions.map(
    ({ value, descending }) =>
      sql`${value} ${descending ? sql`DESC` : sql`ASC`} NULLS ${backward ? sql`FIRST` : sql`LAST`}`,
  );
  const ordered = order.length === 0 ? EMPTY : sql`ORDER BY ${joined(order, ', ')}`;
  const keys = plan.keys.map((key, at) => sql`json_build_array(${joined(shownKey(key, keyName(at)), ', ')})`);
  const figures = plan.figures.slice(0, plan.requested).map((figure, at) => shownFigure(figure, figureName(at)));
  const group = sql`json_build_array(n, json_build_array(${joined(keys, ', ')}), json_build_array(${joined(figures, ', ')}))::text`;
  const key = sql`ARRAY[${joined(
    positions.map(({ value }) => sql`${value}::text`),
    ', ',
  )}]::text[]`;
  return sql`SELECT v.version, p.key, p."group" FROM (SELECT ${versionOf(source)} AS version) v LEFT JOIN (SELECT key, CASE WHEN sum(octet_length("group") + octet_length(key::text)) OVER () <= ${MAX_BYTES}::int8 THEN "group" END AS "group"
    FROM (SELECT ${key} AS key, ${group} AS "group"
      FROM (SELECT * FROM (${groupsSql(source, rows, plan)}) g ${where} ${ordered} LIMIT ${limit}::int8) r) t) p ON true`;
}

/** Number of groups that satisfy the conditions, and the version of the table. */
export function groupCountSql(source: Source, rows: SearchPlan, plan: AggregatePlan): Fragment {
  const used = new Set(plan.having.map(({ figure }) => figure));
  const where = used.size === 0 ? EMPTY : sql`WHERE ${joined(plan.having.map(havingSql), ' AND ')}`;
  // Figures keep their positions; those that no condition uses are not computed.
  const figures = plan.figures.map(
    (figure, at): GroupFigure => (used.has(at) ? figure : { figure: 'COUNT', column: null }),
  );
  return sql`SELECT count(*)::float8 AS n, ${versionOf(source)} AS version FROM (${groupsSql(source, rows, { ...plan, figures })}) g ${where}`;
}
