/** What groups and organizations are called. In SQL because Prisma cannot select an expression, and search is measured by the statement. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { TITLE } from '../postgres/documents.sql.ts';

const titles: Statement = {
  name: 'search_group_titles',
  text: `SELECT g.name, ${TITLE} AS title FROM group_account g WHERE g.name = ANY ($1)`,
};

/** Name → title, or the name where there is no title. */
export async function groupTitles(sql: Sql, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.rows<{ name: string; title: string }>(titles, [names]);
  return new Map(rows.map(({ name, title }) => [name, title]));
}
