/**
 * Writes COPY statements that return whole tables as text in many formats, from plans. In SQL because Prisma has no COPY. Pure. PostgreSQL
 * writes every byte of a row itself. COPY takes no bound values, so they are quoted in the text.
 */

import { EMPTY, type Fragment, ident, inlined, joined, literal, sql } from '../fragment.ts';
import type { SearchPlan } from '../rows/search.plan.ts';
import { cellOf, type NumberForm, rowsSql, type Source, shown } from '../rows/search.sql.ts';
import type { Column } from '../tables/fields.rules.ts';

export type DumpFormat = 'csv' | 'tsv' | 'json' | 'ndjson' | 'xml';

/** A COPY statement, and the texts before and after its output. */
export interface DumpText {
  readonly copy: Fragment;
  readonly before: string;
  readonly after: string;
}

/** Characters that our texts never contain, so that COPY writes rows with a single value unquoted. */
export const UNQUOTED = sql`FORMAT csv, QUOTE ${literal('\u0001')}, DELIMITER ${literal('\u0002')}`;

/** A document in a format; `bom` marks it as UTF-8 for spreadsheets. */
export function dumpSql(
  source: Source,
  plan: SearchPlan,
  format: DumpFormat,
  { bom, numbers }: { readonly bom: boolean; readonly numbers: NumberForm },
): DumpText {
  const { rows, fields } = rowsSql(source, plan);
  const own = ({ id }: Column): Fragment => sql`r.${ident(id)}`;
  const named = (write: (field: Column) => Fragment): Fragment =>
    joined(
      fields.map((field) => sql`${write(field)} AS ${ident(field.id)}`),
      ', ',
    );
  const copy = (query: Fragment, how: Fragment): Fragment => inlined(sql`COPY (${query}) TO STDOUT (${how})`);
  const lines = (value: Fragment, from: Fragment): Fragment => copy(sql`SELECT ${value} FROM ${from}`, UNQUOTED);
  const mark = bom ? '\uFEFF' : '';
  if (format === 'csv' || format === 'tsv') {
    const query = sql`SELECT ${named((field) => cellOf(own(field), field.type))} FROM (${rows}) r`;
    const tabs = format === 'tsv' ? sql`, DELIMITER ${literal('\t')}` : EMPTY;
    return { copy: copy(query, sql`FORMAT csv, HEADER${tabs}`), before: mark, after: '' };
  }
  const value = (field: Column): Fragment => oneLine(shown(own(field), field.type, numbers), field.type);
  if (format === 'ndjson')
    return {
      copy: lines(sql`row_to_json(s.*)`, sql`(SELECT ${named(value)} FROM (${rows}) r) s`),
      before: mark,
      after: '',
    };
  if (format === 'json') {
    const list = sql`'[' || array_to_string(ARRAY[${joined(
      fields.map((field) => sql`coalesce(to_json(${value(field)})::text, 'null')`),
      ', ',
    )}], ',') || ']'`;
    const comma = sql`CASE WHEN row_number() OVER () > 1 THEN ',' ELSE '' END`;
    const described = fields.map(({ id, type, info }) => ({ id, type, ...(info && { info }) }));
    return {
      copy: lines(sql`${comma} || ${list}`, sql`(${rows}) r`),
      before: `${mark}{"fields":${JSON.stringify(described)},"records":[\n`,
      after: ']}\n',
    };
  }
  const elements = joined(
    fields
      .filter(({ id }) => id !== '_id')
      .map((field) => element(field.id, field.type, cellOf(own(field), field.type))),
    ', ',
  );
  const id = fields.some((field) => field.id === '_id') ? sql`' _id="' || r._id || '"'` : sql`''`;
  return {
    copy: lines(
      sql`'<row' || ${id} || '>' || array_to_string(ARRAY[${elements}]::text[], '') || '</row>'`,
      sql`(${rows}) r`,
    ),
    before: `${mark}<?xml version="1.0" encoding="UTF-8"?>\n<data xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n`,
    after: '</data>\n',
  };
}

/** A json column keeps its text. Line breaks can occur between its parts only, never inside them. */
const oneLine = (value: Fragment, type: string): Fragment =>
  type === 'json' ? sql`translate(${value}::text, ${literal('\n\r\t')}, '   ')::json` : value;

const XML_NAME = /^[A-Za-z_][\w.-]*$/;
/** Characters that XML cannot represent, and their replacements. */
const UNWRITABLE = [...Array(32).keys()]
  .filter((code) => code > 0 && ![9, 10, 13].includes(code))
  .map((code) => String.fromCharCode(code))
  .join('');

export const xmlText = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Types whose text form needs no escapes in XML. */
const PLAIN = /^(int[248]|float[48]|numeric|bool|date|time|timestamp|timestamptz|uuid|oid)$/;

/** An element with its value; a name that is invalid in XML becomes an attribute. */
function element(name: string, type: string, value: Fragment): Fragment {
  const isName = XML_NAME.test(name) && !/^xml/i.test(name);
  const open = isName ? name : `value name="${xmlText(name)}"`;
  const close = isName ? name : 'value';
  const written = PLAIN.test(type) ? sql`${value}::text` : escaped(value);
  return sql`coalesce(${literal(`<${open}>`)} || ${written} || ${literal(`</${close}>`)}, ${literal(`<${open} xsi:nil="true"/>`)})`;
}

export const escaped = (value: Fragment): Fragment =>
  [
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['\n', '&#10;'],
    ['\r', '&#13;'],
  ].reduce(
    (text, [sign, entity]) => sql`replace(${text}, ${literal(sign!)}, ${literal(entity!)})`,
    sql`translate(${value}::text, ${literal(UNWRITABLE)}, ${literal('\uFFFD'.repeat(UNWRITABLE.length))})`,
  );
