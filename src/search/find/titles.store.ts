/** Titles of groups and organizations in facets. */
import type { Db } from '../../infra/postgres/db.ts';

/** Name → title, or the name when there is no title. */
export async function groupTitles(db: Db, names: readonly string[]): Promise<Map<string, string>> {
  const groups = await db.group.findMany({ where: { name: { in: [...names] } }, select: { name: true, title: true } });
  return new Map(groups.map(({ name, title }) => [name, title || name]));
}
