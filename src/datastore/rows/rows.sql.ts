/** Writes statements that read tables by keyset pages. In SQL because these tables are not in the Prisma schema. Pure, from plans. */

import { type Fragment, ident, joined, sql } from '../fragment.ts';
import { MAX_BYTES, type SearchPlan } from './search.plan.ts';
import { type KnownTotal, type Source, shown, totalOf, versionOf, whereOf } from './search.sql.ts';

/** Position of a row: its values in the sort columns, as text, then its `_id`. */
export type RowKey = readonly (string | null)[];

const asObject = (columns: readonly { name: string; value: Fragment }[]): Fragment =>
  columns.length === 0
    ? sql`'{}'::json`
    : sql`(SELECT row_to_json(o.*) FROM (SELECT ${joined(
        columns.map(({ name, value }) => sql`${value} AS ${ident(name)}`),
        ', ',
      )}) o)`;

const own = ({ id }: { id: string }): Fragment => sql`r.${ident(id)}`;

/** A value that sorts rows. Without `nulls`, null is the greatest value, as PostgreSQL has it. */
export interface Position {
  readonly value: Fragment;
  readonly descending: boolean;
  readonly nulls?: 'first' | 'last';
}

/** Rows after a key. `end` compares rows with equal values; without it they are the row of the key itself. */
export const after = (positions: readonly Position[], key: RowKey, end: Fragment = sql`false`): Fragment =>
  sql`(${joined(stretches(positions, key, end), ' OR ')})`;

/** The same in one or two parts, which follow each other. An index of the first position finds the start of each. */
function stretches(positions: readonly Position[], key: RowKey, end: Fragment): Fragment[] {
  const [first, ...others] = positions;
  if (!first) return [end];
  const [at, ...rest] = key;
  const { value, descending, nulls } = first;
  const inside = after(others, rest, end);
  const areNullsLast = nulls ? nulls === 'last' : !descending;
  if (at === null) return [sql`${value} IS NULL AND ${inside}`, ...(areNullsLast ? [] : [sql`${value} IS NOT NULL`])];
  const from = descending
    ? sql`${value} <= ${at} AND (${value} < ${at} OR ${inside})`
    : sql`${value} >= ${at} AND (${value} > ${at} OR ${inside})`;
  return [from, ...(areNullsLast ? [sql`${value} IS NULL`] : [])];
}

/** The start of a page: a key (null: from the first row), and whether rows are read backwards. */
export interface RowStart {
  readonly from: RowKey | null;
  readonly backward: boolean;
}

export interface PageStart extends RowStart {
  /** Maximum characters of each value; null for whole values. */
  readonly maxLength: number | null;
}

/** Types whose values are short. */
const SHORT = new Set(
  'bool int2 int4 int8 float4 float8 date time timetz timestamp timestamptz uuid oid money'.split(' '),
);

/** A value in JSON, cut to `maxLength` characters. */
const cut = (from: Fragment, type: string, maxLength: number | null): Fragment =>
  maxLength === null || SHORT.has(type) ? shown(from, type) : sql`left(${from}::text, ${maxLength}::int4)`;

/** A page in reading order: `key` and `record` per row as JSON text; null when records and keys together are too long. */
export function pageSql(source: Source, plan: SearchPlan, { from, backward, maxLength }: PageStart): Fragment {
  const where = whereOf(plan, source.columns);
  const positions = plan.orderBy.map(({ column, descending }) => ({
    value: ident(column.id),
    descending: descending !== backward,
  }));
  const also = where.parts.length > 0 ? sql`${where} AND` : sql`WHERE`;
  const [start, rest] =
    from === null ? [] : stretches(positions, from, sql`_id ${backward ? sql`<` : sql`>`} ${from.at(-1)}::int8`);
  const order = joined(
    [
      ...positions.map(({ value, descending }) => sql`${value} ${descending ? sql`DESC` : sql`ASC`}`),
      backward ? sql`_id DESC` : sql`_id`,
    ],
    ', ',
  );
  const select = (condition: Fragment | undefined, limit: Fragment) =>
    sql`SELECT * FROM ${source.from} ${condition ? sql`${also} ${condition}` : where} ORDER BY ${order} LIMIT ${limit}`;
  const limit = sql`${plan.limit}::int8`;
  const page = select(start, limit);
  // The second part is not read when the first one fills the page.
  const rows = rest
    ? sql`WITH _start AS MATERIALIZED (${page}), _rest AS (${select(rest, sql`${limit} - (SELECT count(*) FROM _start)`)})
        SELECT * FROM (SELECT * FROM _start UNION ALL SELECT * FROM _rest) _page ORDER BY ${order}`
    : page;
  const keys = [...plan.orderBy.map(({ column }) => sql`${own(column)}::text`), sql`r._id::text`];
  const record = asObject(
    plan.columns.map((column) => ({ name: column.id, value: cut(own(column), column.type, maxLength) })),
  );
  // Without OFFSET, PostgreSQL makes each record twice: for the sum, and for the result.
  return sql`SELECT key, CASE WHEN sum(octet_length(record) + octet_length(key::text)) OVER () <= ${MAX_BYTES}::int8 THEN record END AS record
    FROM (SELECT json_build_array(${joined(keys, ', ')}) AS key, ${record}::text AS record FROM (${rows}) r OFFSET 0) t`;
}

/** The number of rows, and the version of the rows for which it is exact. */
export const countSql = (source: Source, plan: SearchPlan, known?: KnownTotal): Fragment =>
  sql`SELECT ${totalOf(source, plan, known)} AS total, ${versionOf(source)} AS version`;
