/** Statements for reading tables through the graph: keyset pages, and aggregates by group. From plans; pure. */

import { EMPTY, type Fragment, ident, joined, sql } from '../fragment.ts';
import type { Column } from '../tables/fields.rules.ts';
import { MAX_BYTES, type Order, type SearchPlan } from './search.plan.ts';
import { type Source, shown, totalOf, whereOf } from './search.sql.ts';

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

/** The start of a page: a key (null: from the first row), and whether rows are read backwards. */
export interface RowStart {
  readonly from: RowKey | null;
  readonly backward: boolean;
}

/** Rows after a key in PostgreSQL's order: nulls are greatest. `_id` breaks ties. */
function behind(orders: readonly Order[], key: RowKey, backward: boolean): Fragment {
  const [first, ...others] = orders;
  if (!first) return backward ? sql`_id < ${key[0]}::int8` : sql`_id > ${key[0]}::int8`;
  const [value, ...rest] = key;
  const column = ident(first.column.id);
  const descending = first.descending !== backward;
  const inside = behind(others, rest, backward);
  if (value === null) {
    const equal = sql`(${column} IS NULL AND ${inside})`;
    return descending ? sql`(${column} IS NOT NULL OR ${equal})` : equal;
  }
  const equal = sql`(${column} = ${value} AND ${inside})`;
  return descending
    ? sql`(${column} < ${value} OR ${equal})`
    : sql`(${column} > ${value} OR ${column} IS NULL OR ${equal})`;
}

/** A page in reading order: `key` and `record` per row as JSON text; null when the records together are too long. */
export function pageSql(source: Source, plan: SearchPlan, { from, backward }: RowStart): Fragment {
  const where = whereOf(plan, source.columns);
  const page =
    from === null
      ? where
      : sql`${where.parts.length > 0 ? sql`${where} AND` : sql`WHERE`} ${behind(plan.orderBy, from, backward)}`;
  const order = joined(
    [
      ...plan.orderBy.map(
        ({ column, descending }) => sql`${ident(column.id)} ${descending !== backward ? sql`DESC` : sql`ASC`}`,
      ),
      backward ? sql`_id DESC` : sql`_id`,
    ],
    ', ',
  );
  const keys = [...plan.orderBy.map(({ column }) => sql`${own(column)}::text`), sql`r._id::text`];
  const record = asObject(plan.columns.map((column) => ({ name: column.id, value: shown(own(column), column.type) })));
  return sql`SELECT key, CASE WHEN sum(octet_length(record)) OVER () <= ${MAX_BYTES}::int8 THEN record END AS record
    FROM (SELECT ARRAY[${joined(keys, ', ')}] AS key, ${record}::text AS record FROM (SELECT * FROM ${source.from} ${page} ORDER BY ${order} LIMIT ${plan.limit}::int8) r) t`;
}

export const countSql = (source: Source, plan: SearchPlan): Fragment => sql`SELECT ${totalOf(source, plan)} AS n`;

export const FIGURES = ['sum', 'avg', 'min', 'max'] as const;
export type Figure = (typeof FIGURES)[number];
export type Figures = Readonly<Record<Figure, readonly Column[]>>;

const FUNCTIONS: Readonly<Record<Figure, Fragment>> = { sum: sql`sum`, avg: sql`avg`, min: sql`min`, max: sql`max` };
const FLOATS = new Set(['float4', 'float8']);

/** JSON form of a figure: integers and decimals become text, exact at any size. */
const figureOf = (figure: Figure, { type }: Column, value: Fragment): Fragment =>
  figure === 'min' || figure === 'max' ? shown(value, type) : FLOATS.has(type) ? value : sql`${value}::text`;

/** Groups by key: `key`, `count` and figures per group, as objects by column; null when they are too long together. */
export function groupsSql(source: Source, plan: SearchPlan, groupBy: readonly Column[], figures: Figures): Fragment {
  const made = FIGURES.flatMap((figure) =>
    figures[figure].map((column, place) => ({ figure, column, id: `${figure}${place}` })),
  );
  const keys = groupBy.map((column, place) => ({ column, id: `key${place}` }));
  const picked = [
    ...keys.map(({ column, id }) => sql`${ident(column.id)} AS ${ident(id)}`),
    sql`count(*) AS count`,
    ...made.map(({ figure, column, id }) => sql`${FUNCTIONS[figure]}(${ident(column.id)}) AS ${ident(id)}`),
  ];
  const names = joined(
    groupBy.map(({ id }) => ident(id)),
    ', ',
  );
  const grouped = groupBy.length === 0 ? EMPTY : sql`GROUP BY ${names} ORDER BY ${names}`;
  const objects = FIGURES.map(
    (figure) =>
      sql`${asObject(
        made
          .filter((one) => one.figure === figure)
          .map(({ column, id }) => ({ name: column.id, value: figureOf(figure, column, own({ id })) })),
      )}::text AS ${ident(figure)}`,
  );
  const key = asObject(keys.map(({ column, id }) => ({ name: column.id, value: shown(own({ id }), column.type) })));
  const groups = sql`SELECT ${key}::text AS key, r.count::float8 AS count, ${joined(objects, ', ')}
    FROM (SELECT ${joined(picked, ', ')} FROM ${source.from} ${whereOf(plan, source.columns)} ${grouped} LIMIT ${plan.limit}::int8) r`;
  const texts = ['key', ...FIGURES].map(ident);
  const bytes = sql`octet_length(concat(${joined(texts, ', ')}))`;
  const capped = texts.map((text) => sql`CASE WHEN bytes <= ${MAX_BYTES}::int8 THEN ${text} END AS ${text}`);
  return sql`SELECT count, ${joined(capped, ', ')} FROM (SELECT *, sum(${bytes}) OVER () AS bytes FROM (${groups}) g) t`;
}
