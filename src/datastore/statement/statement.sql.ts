/** What is put around callers' statements, from their text. Pure. The text is one SELECT by PostgreSQL's own parser: see statement.rules.ts. */

import { type Fragment, ident, joined, sql, statementText } from '../fragment.ts';
import { type NumberForm, shown } from '../rows/search.sql.ts';
import type { Column } from '../tables/fields.rules.ts';

/** The statement as a table. A comment at its end ends with the line. */
const asTable = (text: string): Fragment => sql`(\n${statementText(text)}\n) AS q`;

/** Its columns: to be described, never run. */
export const wrapped = (text: string): Fragment => sql`SELECT * FROM ${asTable(text)}`;

/**
 * Each row as the text of a JSON object; null where that would be too long. One row more than allowed. Of columns with the same name
 * the last is shown, as clients know it. Rows come one by one: a list of them made here would take all of its bytes several times.
 */
export function shownRows(
  text: string,
  columns: readonly Column[],
  max: { rows: number; bytes: number; numbers?: NumberForm },
): Fragment {
  const places = columns.map((_column, place) => ident(String(place)));
  const last = new Map(columns.map(({ id }, place) => [id, place]));
  const values = [...last].map(
    ([id, place]) => sql`${shown(sql`r.${places[place]!}`, columns[place]!.type, max.numbers)} AS ${ident(id)}`,
  );
  const rows = sql`SELECT * FROM ${asTable(text)} LIMIT ${max.rows + 1}::int8`;
  // `s.*` is the whole row: a caller's column of the alias's name would win over `s` alone.
  const texts = sql`SELECT row_to_json(s.*)::text AS text FROM (SELECT ${joined(values, ', ')} FROM (${rows}) AS r(${joined(places, ', ')})) s OFFSET 0`;
  return sql`SELECT CASE WHEN octet_length(text) <= ${max.bytes}::int8 THEN text END FROM (${texts}) t`;
}
