/**
 * Wraps callers' statements. In SQL because their tables are not in the Prisma schema. Pure. PostgreSQL's own parser has confirmed that the
 * text is one SELECT: see statement.rules.ts.
 */

import { type Fragment, ident, joined, sql, statementText } from '../fragment.ts';
import { type NumberForm, shown } from '../rows/search.sql.ts';
import type { Column } from '../tables/fields.rules.ts';

/** The statement as a table. The line break ends a trailing comment. */
const asTable = (text: string): Fragment => sql`(\n${statementText(text)}\n) AS q`;

/** Its columns: for describing only, never executed. */
export const wrapped = (text: string): Fragment => sql`SELECT * FROM ${asTable(text)}`;

/**
 * Each row as the text of a JSON object; null when too long. Returns one row more than allowed. Of columns with the same name, the last one
 * counts, as clients expect. Returns rows one by one, because a list would take all of its bytes several times.
 */
export function shownRows(
  text: string,
  columns: readonly Column[],
  max: { rows: number; bytes: number; numbers?: NumberForm },
): Fragment {
  const names = columns.map((_column, index) => ident(String(index)));
  const last = new Map(columns.map(({ id }, index) => [id, index]));
  const values = [...last].map(
    ([id, index]) => sql`${shown(sql`r.${names[index]!}`, columns[index]!.type, max.numbers)} AS ${ident(id)}`,
  );
  const rows = sql`SELECT * FROM ${asTable(text)} LIMIT ${max.rows + 1}::int8`;
  // `s.*` is the whole row; with `s` alone, a caller's column of that name would take precedence.
  const texts = sql`SELECT row_to_json(s.*)::text AS text FROM (SELECT ${joined(values, ', ')} FROM (${rows}) AS r(${joined(names, ', ')})) s OFFSET 0`;
  return sql`SELECT CASE WHEN octet_length(text) <= ${max.bytes}::int8 THEN text END FROM (${texts}) t`;
}
