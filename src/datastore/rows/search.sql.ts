/**
 * Writes statements that search tables. In SQL because these tables are not in the Prisma schema. Pure, from plans. The database returns
 * records as one JSON text, which passes through unparsed.
 */

import { EMPTY, type Fragment, ident, joined, literal, sql } from '../fragment.ts';
import { oncePerColumns } from '../tables/column-lists.ts';
import { storedCount, storedState, storedVersion } from '../tables/counts.sql.ts';
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

/** Whether a type's JSON form is the one that PostgreSQL gives it. */
const isPlain = (type: string, numbers: NumberForm): boolean => !AS_TEXT[numbers].has(type) && type !== 'oid';

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

/** The value of a comparison as it is bound: for columns with JSON its JSON text, which tells 1 and "1" apart. */
export const boundTo = (column: Column, value: unknown): unknown =>
  isJson(column) ? JSON.stringify(value) : bound(value);

const queryOf = (query: string, { plain, language }: SearchPlan): Fragment =>
  plain
    ? sql`plainto_tsquery(${language}::regconfig, ${query}::text)`
    : sql`to_tsquery(${language}::regconfig, ${query}::text)`;

const isStored = (column: Column | null, { language }: SearchPlan): boolean =>
  column === null && language === 'english';

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
  if (condition.kind === 'text' && isStored(condition.column, plan)) {
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
  const value = boundTo(condition.column, condition.value);
  if (isJson(condition.column)) return sql`${column}::jsonb = ${value}::jsonb`;
  return sql`${column} ${SIGNS[condition.with]} ${value}`;
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

/** The column in which `q` puts the number of rows found. */
const FULL_COUNT = '_full_count';

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
  const extras = [{ id: FULL_COUNT, type: 'int8', value: sql`count(*) OVER ()` }, ...ranks];
  const taken = new Set(plan.columns.map(({ id }) => id));
  return extras.filter(({ id }, index) => !taken.has(id) && extras.findIndex((it) => it.id === id) === index);
}

/** Default order: best match first, then insertion order, which also breaks ties. */
function orderOf(
  plan: SearchPlan,
  extras: readonly Extra[],
  hasId: boolean,
  grouped: boolean,
  own?: Fragment,
): Fragment {
  const requested = plan.orderBy.map(orderSql);
  const ranks =
    requested.length > 0 ? [] : extras.filter(({ type }) => type === 'float4').map(({ id }) => sql`${ident(id)} DESC`);
  const first = grouped ? [sql`min(_id)`] : hasId && !plan.distinct ? [own ?? sql`_id`] : [];
  const all = [...requested, ...ranks, ...(plan.orderBy.some(({ column }) => column.id === '_id') ? [] : first)];
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
  /** Version of the table when its columns were read; null or undefined if unknown. */
  readonly version?: string | null;
  /** Default order of rows; by `_id` when omitted. */
  readonly order?: Fragment;
}

export const tableSource = (table: string, columns: readonly Column[]): Source => ({
  table,
  from: ident(table),
  columns,
});

/** A total, and the version of the rows for which it is exact. */
export interface KnownTotal {
  readonly version: string;
  readonly total: number;
}

/** Number of rows that satisfy all conditions. PostgreSQL counts only if the rows have another version than `known`. */
export function totalOf(source: Source, plan: SearchPlan, known?: KnownTotal): Fragment {
  if (source.table !== undefined && plan.conditions.length === 0) return storedCount(source.table);
  const counted = sql`(SELECT count(*) FROM ${source.from} ${whereOf(plan, source.columns)})::float8`;
  return known
    ? sql`CASE WHEN ${versionOf(source)} = ${known.version}::text THEN ${known.total}::float8 ELSE ${counted} END`
    : counted;
}

/** Version of the rows that `totalOf` counts; null if unknown. */
export const versionOf = ({ table }: Source): Fragment =>
  table === undefined ? sql`NULL::text` : storedVersion(table);

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

const namesOf = oncePerColumns((columns) =>
  joined(
    columns.map(({ id }) => ident(id)),
    ', ',
  ),
);

/** Rows of a search, and their fields. `shared`: by the keys that `foundSql` has read. */
export function rowsSql(
  source: Source,
  plan: SearchPlan,
  shared = false,
): { rows: Fragment; fields: readonly Column[] } {
  const extras = extrasOf(plan, source.columns);
  const hasId = source.columns.some(({ id }) => id === '_id');
  const picked = joined([namesOf(plan.columns), ...extras.map(({ id, value }) => sql`${value} AS ${ident(id)}`)], ', ');
  const limits = sql`LIMIT ${plan.limit}::int8 OFFSET ${plan.offset}::int8`;
  const page = () => sql`WHERE _id IN (SELECT _id FROM ${FOUND} ${orderOf(plan, [], true, false)} ${limits})`;
  const where = shared ? page() : whereOf(plan, source.columns);
  const grouped = plan.distinct && hasId && !plan.ranked;
  const distinct = plan.distinct && !grouped ? sql`DISTINCT ` : EMPTY;
  const groups = grouped ? sql`GROUP BY ${picked}` : EMPTY;
  const order = orderOf(plan, extras, hasId, grouped, source.order);
  return {
    rows: sql`SELECT ${distinct}${picked} FROM ${source.from} ${where} ${groups} ${order} ${shared ? EMPTY : limits}`,
    fields:
      extras.length === 0
        ? plan.columns
        : [...plan.columns, ...extras.map(({ id, type }): Column => ({ id, type, info: null }))],
  };
}

interface RecordForm {
  readonly record: Fragment;
  readonly between: Fragment;
  /** Values of `r` with their names; null if the record is made of the rows as they are. */
  readonly named: Fragment | null;
}

/** Form of records with these fields. The last one is stored: it takes hundreds of bytes for each field. */
const formsOf = oncePerColumns((fields) => {
  let last: { readonly key: string; readonly form: RecordForm } | undefined;
  return (format: RecordsFormat, numbers: NumberForm): RecordForm => {
    const key = `${format} ${numbers}`;
    if (last?.key !== key) last = { key, form: formOf(fields, format, numbers) };
    return last.form;
  };
});

function formOf(fields: readonly Column[], format: RecordsFormat, numbers: NumberForm): RecordForm {
  const asLines = format === 'csv' || format === 'tsv';
  const values = fields.map(({ id, type }) => {
    const own = sql`r.${ident(id)}`;
    return asLines ? cellOf(own, type) : shown(own, type, numbers);
  });
  const isNamed = format === 'objects' && !fields.every(({ type }) => isPlain(type, numbers));
  const names = () => fields.map(({ id }, index) => sql`${values[index]!} AS ${ident(id)}`);
  return { ...recordText(format, values), named: isNamed ? joined(names(), ', ') : null };
}

/** How a search counts: by another scan of the rows, in one pass with the page, by `_full_count` of its records, or not at all. */
export type Counting = 'scan' | 'pass' | 'records' | 'none';

/**
 * One row: `records`, the text of all records (a JSON list, or lines), null when too long; `state` of the table, as `storedState` has it;
 * and `total`, null when it is not counted, or by records when there are none.
 */
export function searchSql(
  source: Source,
  plan: SearchPlan,
  { format, numbers, counting }: { format: RecordsFormat; numbers: NumberForm; counting: Counting },
): Fragment {
  const shared = counting === 'pass';
  const { rows, fields } = rowsSql(source, plan, shared);
  const asLines = format === 'csv' || format === 'tsv';
  const { record, between, named } = formsOf(fields)(format, numbers);
  const number = counting === 'records' ? sql`, ${ident(FULL_COUNT)} AS found` : EMPTY;
  const texts =
    format === 'objects'
      ? sql`SELECT ${record} AS text${number} FROM (${named ? sql`SELECT ${named} FROM (${rows}) r` : rows}) s`
      : sql`SELECT ${record} AS text${number} FROM (${rows}) r`;
  const totals: Record<Counting, () => Fragment> = {
    scan: () => totalOf(source, plan),
    pass: () => sql`(SELECT count(*) FROM ${FOUND})::float8`,
    records: () => sql`max(found::int8)::float8`,
    none: () => sql`NULL::float8`,
  };
  const state = source.table === undefined ? sql`NULL::text[]` : storedState(source.table);
  const ready = asLines
    ? sql`coalesce(string_agg(text, ''), '')`
    : sql`'[' || coalesce(string_agg(text, ${between}), '') || ']'`;
  const found = shared ? foundSql(source, plan) : EMPTY;
  // Without OFFSET, PostgreSQL makes each text twice: for its length, and for the list.
  return sql`${found} SELECT ${totals[counting]()} AS total, CASE WHEN coalesce(sum(octet_length(text)), 0) <= ${MAX_BYTES}::int8 THEN ${ready} END AS records,
    ${state} AS state FROM (${texts} OFFSET 0) t`;
}

/** Whether the records of a search have the number of all rows found. */
export const isCountedByRecords = ({ ranked, columns }: SearchPlan): boolean =>
  ranked && !columns.some(({ id }) => id === FULL_COUNT);
