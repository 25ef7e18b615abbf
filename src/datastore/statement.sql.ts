/** What is put around callers' statements, from their text. Pure. The text is one SELECT by PostgreSQL's own parser: see statement.rules.ts. */
import type { Column } from './fields.rules.ts';
import { type Fragment, ident, joined, sql, statementText } from './fragment.ts';
import { type NumberForm, shown } from './search.sql.ts';

/** The statement as a table. A comment at its end ends with the line. */
const asTable = (text: string): Fragment => sql`(\n${statementText(text)}\n) AS q`;

/** Its columns and nothing else. */
export const wrapped = (text: string): Fragment => sql`SELECT * FROM ${asTable(text)} LIMIT ${0}::int8`;

/**
 * One row: how many `rows` there are, up to one more than allowed, their `bytes`, and `records`, a JSON list; null where it would be
 * too long. Of columns with the same name the last is shown, as clients know it.
 */
export function shownRows(
  text: string,
  columns: readonly Column[],
  most: { rows: number; bytes: number; numbers?: NumberForm },
): Fragment {
  const places = columns.map((_column, place) => ident(String(place)));
  const last = new Map(columns.map(({ id }, place) => [id, place]));
  const values = [...last].map(
    ([id, place]) => sql`${shown(sql`r.${places[place]!}`, columns[place]!.type, most.numbers)} AS ${ident(id)}`,
  );
  const rows = sql`SELECT * FROM ${asTable(text)} LIMIT ${most.rows + 1}::int8`;
  const texts = sql`SELECT row_to_json(s)::text AS text FROM (SELECT ${joined(values, ', ')} FROM (${rows}) AS r(${joined(places, ', ')})) s`;
  return sql`SELECT rows::float8 AS rows, bytes::float8 AS bytes, CASE WHEN rows <= ${most.rows}::int8 AND bytes <= ${most.bytes}::int8
      THEN '[' || coalesce(texts, '') || ']' END AS records
    FROM (SELECT count(*) AS rows, coalesce(sum(octet_length(text)), 0) AS bytes, string_agg(text, ',') AS texts FROM (${texts}) t) a`;
}
