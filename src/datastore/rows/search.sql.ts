/** Statements that search tables, from plans. Pure. The database returns records as one JSON text, which passes through unparsed. */

import { EMPTY, type Fragment, ident, joined, literal, sql } from '../fragment.ts';
import { storedCount, storedVersion } from '../tables/counts.sql.ts';
import type { Column } from '../tables/fields.rules.ts';
import { type Comparison, type Condition, MAX_BYTES, type Order, type SearchPlan } from './search.plan.ts';
import { words } from './write.sql.ts';

export type RecordsFormat = 'objects' | 'lists' | 'csv' | 'tsv';

export const SIGNS: Record<Comparison, Fragment> = { eq: sql`=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` };

/** JSON form of exact numbers (catalog.action_api.exact_numbers). */
export type NumberForm = 'text' | 'number';

/** Types written as text: numbers that JavaScript cannot represent, unless JSON numbers are requested. */
const AS_TEXT: Readonly<Record<NumberForm, ReadonlySet<string>>> = {
  text: new Set(['int8', 'numeric', 'money', '_int8', '_numeric', '_money']),
  number: new Set(['money', '_money']),
};

/** A column's value in JSON. */
export const shown = (from: Fragment, type: string, numbers: NumberForm = 'text'): Fragment =>
  AS_TEXT[numbers].has(type)
    ? type.startsWith('_')
      ? sql`${from}::text[]`
      : sql`${from}::text`
    : type === 'oid'
      ? sql`${from}::int8`
      : from;

/** JSON that jsonb cannot store: split surrogate pairs, NUL, and out-of-range numbers. */
const ODD_JSON = literal('\\\\u(0000|[dD][89a-fA-F])|[eE][+-]?[0-9]{4}');

/** A column's value in a line of text. */
export const cellOf = (from: Fragment, type: string): Fragment =>
  type === 'json'
    ? sql`CASE WHEN ${from}::text ~ ${ODD_JSON} THEN ${from}::text ELSE ${from}::jsonb::text END`
    : type === 'bool'
      ? sql`CASE WHEN ${from} THEN 'True' WHEN NOT ${from} THEN 'False' END`
      : type === 'timestamp'
        ? sql`replace(${from}::text, ' ', 'T')`
        : type === 'timestamptz'
          ? sql`to_json(${from}) #>> '{}'`
          : type.startsWith('_')
            ? sql`to_jsonb(${from})::text`
            : from;

/** A value as it is bound. */
export const bound = (value: unknown): unknown =>
  Array.isArray(value) || typeof value === 'string'
    ? value
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

const isJson = ({ type }: Column): boolean => type === 'json' || type === 'jsonb';

const queryOf = (query: string, { plain, language }: SearchPlan): Fragment =>
  plain
    ? sql`plainto_tsquery(${language}::regconfig, ${query}::text)`
    : sql`to_tsquery(${language}::regconfig, ${query}::text)`;

const isKept = (column: Column | null, { language }: SearchPlan): boolean => column === null && language === 'english';

/** Words of a row, computed now because the table was loaded recently. */
const wordsNow = (all: readonly Column[]): Fragment =>
  words(all.filter(({ id }) => id !== '_id').map(({ id }) => ident(id)));

/** Words of one column or of the row: stored ones in the stored language, otherwise computed. */
function wordsOf(column: Column | null, { language }: SearchPlan, all: readonly Column[]): Fragment {
  if (column) return sql`to_tsvector(${language}::regconfig, ${ident(column.id)}::text)`;
  if (language === 'english') return sql`coalesce(_full_text, ${wordsNow(all)})`;
  const values = all.filter(({ id }) => id !== '_id').map(({ id }) => sql`${ident(id)}::text`);
  return sql`to_tsvector(${language}::regconfig, array_to_string(ARRAY[${joined([sql`NULL::text`, ...values], ', ')}], ' '))`;
}

function conditionSql(condition: Condition, plan: SearchPlan, all: readonly Column[]): Fragment {
  if (condition.kind === 'text' && isKept(condition.column, plan)) {
    const query = queryOf(condition.query, plan);
    return sql`(_full_text @@ ${query} OR _full_text IS NULL AND ${wordsNow(all)} @@ ${query})`; // each part has an index
  }
  if (condition.kind === 'text')
    return sql`${wordsOf(condition.column, plan, all)} @@ ${queryOf(condition.query, plan)}`;
  const column = ident(condition.column.id);
  if (condition.kind === 'null') return sql`${column} IS NULL`;
  if (condition.kind === 'in') {
    const among = sql`${column} = ANY (${condition.values.map(bound)})`;
    return condition.orNull ? sql`(${among} OR ${column} IS NULL)` : among;
  }
  if (isJson(condition.column)) return sql`${column}::jsonb = ${JSON.stringify(condition.value)}::jsonb`;
  return sql`${column} ${SIGNS[condition.with]} ${bound(condition.value)}`;
}

/** WHERE clause with its conditions; empty when there are none. */
export function whereOf(plan: SearchPlan, all: readonly Column[]): Fragment {
  if (plan.conditions.length === 0) return EMPTY;
  return sql`WHERE ${joined(
    plan.conditions.map((condition) => conditionSql(condition, plan, all)),
    ' AND ',
  )}`;
}

const orderSql = ({ column, descending, nulls }: Order): Fragment =>
  sql`${ident(column.id)} ${descending ? sql`DESC` : sql`ASC`}${
    nulls === null ? EMPTY : nulls === 'first' ? sql` NULLS FIRST` : sql` NULLS LAST`
  }`;

/** Columns that `q` adds to every record. */
interface Extra {
  readonly id: string;
  readonly type: string;
  readonly value: Fragment;
}

export function extrasOf(plan: SearchPlan, all: readonly Column[]): Extra[] {
  if (!plan.ranked) return [];
  const ranks = plan.conditions.flatMap((condition): Extra[] =>
    condition.kind === 'text'
      ? [
          {
            id: condition.column === null ? 'rank' : `rank ${condition.column.id}`,
            type: 'float4',
            value: sql`ts_rank(${wordsOf(condition.column, plan, all)}, ${queryOf(condition.query, plan)}, 32)`,
          },
        ]
      : [],
  );
  const extras = [{ id: '_full_count', type: 'int8', value: sql`count(*) OVER ()` }, ...ranks];
  const taken = new Set(plan.columns.map(({ id }) => id));
  return extras.filter(({ id }, place) => !taken.has(id) && extras.findIndex((it) => it.id === id) === place);
}

/** Default order: best match first, then insertion order, which also breaks ties. */
function orderOf(
  plan: SearchPlan,
  extras: readonly Extra[],
  hasId: boolean,
  grouped: boolean,
  own?: Fragment,
): Fragment {
  const asked = plan.orderBy.map(orderSql);
  const ranks =
    asked.length > 0 ? [] : extras.filter(({ type }) => type === 'float4').map(({ id }) => sql`${ident(id)} DESC`);
  const first = grouped ? [sql`min(_id)`] : hasId && !plan.distinct ? [own ?? sql`_id`] : [];
  const all = [...asked, ...ranks, ...(plan.orderBy.some(({ column }) => column.id === '_id') ? [] : first)];
  return all.length === 0 ? EMPTY : sql`ORDER BY ${joined(all, ', ')}`;
}

const TAB = literal('\t');
const CRLF = literal('\r\n');

/** A value in a CSV or TSV line, quoted when necessary. */
const cell = (value: Fragment, separator: Fragment): Fragment =>
  sql`CASE WHEN v IS NULL THEN '' WHEN position(${separator} in v) > 0 OR v ~ '["\r\n]' THEN '"' || replace(v, '"', '""') || '"' ELSE v END
    FROM (SELECT ${value}::text AS v) c`;

/** One record of `r` as text, and the texts between, before and after records. */
function recordText(format: RecordsFormat, values: readonly Fragment[]): { record: Fragment; between: Fragment } {
  if (format === 'objects') return { record: sql`row_to_json(s.*)::text`, between: sql`','` };
  if (format === 'lists')
    return {
      record: sql`'[' || array_to_string(ARRAY[${joined(
        values.map((value) => sql`coalesce(to_json(${value})::text, 'null')`),
        ', ',
      )}], ',') || ']'`,
      between: sql`','`,
    };
  const separator = format === 'csv' ? sql`','` : TAB;
  return {
    record: sql`array_to_string(ARRAY[${joined(
      values.map((value) => sql`(SELECT ${cell(value, separator)})`),
      ', ',
    )}], ${separator}) || ${CRLF}`,
    between: sql`''`,
  };
}

/** A table, or an expression with the form of a table. */
export interface Source {
  readonly from: Fragment;
  readonly columns: readonly Column[];
  /** Name of the table; undefined for the listing. */
  readonly table?: string;
  /** Number of rows, when it is known without counting. */
  readonly kept?: Fragment;
  /** Version of the rows; null if unknown. */
  readonly version?: Fragment;
  /** Default order of rows; by `_id` when omitted. */
  readonly order?: Fragment;
}

export const tableSource = (table: string, columns: readonly Column[]): Source => ({
  table,
  from: ident(table),
  columns,
  kept: storedCount(table),
  version: storedVersion(table),
});

/** A total, and the version of the rows for which it is exact. */
export interface KnownTotal {
  readonly version: string;
  readonly total: number;
}

/** Number of rows that satisfy all conditions. PostgreSQL counts only if the rows have another version than `known`. */
export function totalOf({ from, columns, kept, version }: Source, plan: SearchPlan, known?: KnownTotal): Fragment {
  if (kept && plan.conditions.length === 0) return kept;
  const counted = sql`(SELECT count(*) FROM ${from} ${whereOf(plan, columns)})::float8`;
  return known && version
    ? sql`CASE WHEN ${version} = ${known.version}::text THEN ${known.total}::float8 ELSE ${counted} END`
    : counted;
}

/** Version of the rows that `totalOf` counts. */
export const versionOf = ({ version }: Source): Fragment => version ?? sql`NULL::text`;

/** Whether total and page of a search can share one pass over the rows: its page must be a list of rows with an `_id`. */
export const canShare = (source: Source, plan: SearchPlan): boolean =>
  source.table !== undefined && plan.withTotal && plan.conditions.length > 0 && !plan.distinct && !plan.ranked;

/** Returns PostgreSQL's plan for reading a page. */
export const plannedPage = (source: Source, plan: SearchPlan): Fragment =>
  sql`EXPLAIN (FORMAT JSON) SELECT _id FROM ${source.from} ${whereOf(plan, source.columns)} ${orderOf(plan, [], true, false)} LIMIT ${plan.offset + plan.limit}::int8`;

/** Name of the rows that total and page share. */
const FOUND = sql`_found`;

/** Keys of all rows of a search, read once for its total and its page. */
const foundSql = (source: Source, plan: SearchPlan): Fragment => {
  const ids = new Set(['_id', ...plan.orderBy.map(({ column }) => column.id)]);
  return sql`WITH ${FOUND} AS MATERIALIZED (SELECT ${joined([...ids].map(ident), ', ')} FROM ${source.from} ${whereOf(plan, source.columns)})`;
};

/** Rows of a search, and their fields. `shared`: by the keys that `foundSql` has read. */
export function rowsSql(source: Source, plan: SearchPlan, shared = false): { rows: Fragment; fields: Column[] } {
  const extras = extrasOf(plan, source.columns);
  const hasId = source.columns.some(({ id }) => id === '_id');
  const picked = [
    ...plan.columns.map(({ id }) => ident(id)),
    ...extras.map(({ id, value }) => sql`${value} AS ${ident(id)}`),
  ];
  const limits = sql`LIMIT ${plan.limit}::int8 OFFSET ${plan.offset}::int8`;
  const page = () => sql`WHERE _id IN (SELECT _id FROM ${FOUND} ${orderOf(plan, [], true, false)} ${limits})`;
  const where = shared ? page() : whereOf(plan, source.columns);
  const grouped = plan.distinct && hasId && !plan.ranked;
  const distinct = plan.distinct && !grouped ? sql`DISTINCT ` : EMPTY;
  const groups = grouped ? sql`GROUP BY ${joined(picked, ', ')}` : EMPTY;
  const order = orderOf(plan, extras, hasId, grouped, source.order);
  return {
    rows: sql`SELECT ${distinct}${joined(picked, ', ')} FROM ${source.from} ${where} ${groups} ${order} ${shared ? EMPTY : limits}`,
    fields: [...plan.columns, ...extras.map(({ id, type }): Column => ({ id, type, info: null }))],
  };
}

/** How a search gets its total: from a known one, or in one pass with the page. By default page and total are read one after the other. */
export interface TotalBy {
  readonly known?: KnownTotal | undefined;
  readonly shared?: boolean;
}

/**
 * One row: `total`, null when not requested; `records`, the text of all records (a JSON list, or lines), null when too long; and `version`
 * of the rows, null when unknown.
 */
export function searchSql(
  source: Source,
  plan: SearchPlan,
  format: RecordsFormat,
  numbers: NumberForm = 'text',
  { known, shared = false }: TotalBy = {},
): Fragment {
  const { rows, fields } = rowsSql(source, plan, shared);
  const asLines = format === 'csv' || format === 'tsv';
  const values = fields.map(({ id, type }) => {
    const own = sql`r.${ident(id)}`;
    return asLines ? cellOf(own, type) : shown(own, type, numbers);
  });
  const { record, between } = recordText(format, values);
  const named = joined(
    fields.map(({ id }, place) => sql`${values[place]!} AS ${ident(id)}`),
    ', ',
  );
  const texts =
    format === 'objects'
      ? sql`SELECT ${record} AS text FROM (SELECT ${named} FROM (${rows}) r) s`
      : sql`SELECT ${record} AS text FROM (${rows}) r`;
  const total = !plan.withTotal
    ? sql`NULL::float8`
    : shared
      ? sql`(SELECT count(*) FROM ${FOUND})::float8`
      : totalOf(source, plan, known);
  const version = plan.withTotal && plan.conditions.length > 0 ? versionOf(source) : sql`NULL::text`;
  const ready = asLines
    ? sql`coalesce(string_agg(text, ''), '')`
    : sql`'[' || coalesce(string_agg(text, ${between}), '') || ']'`;
  const found = shared ? foundSql(source, plan) : EMPTY;
  // Without OFFSET, PostgreSQL makes each text twice: for its length, and for the list.
  return sql`${found} SELECT ${total} AS total, CASE WHEN coalesce(sum(octet_length(text)), 0) <= ${MAX_BYTES}::int8 THEN ${ready} END AS records,
    ${version} AS version FROM (${texts} OFFSET 0) t`;
}
