import type { Db } from '../infra/postgres/db.ts';
import type { CountRow } from './statistics.sql.ts';

/** Counts of a dimension, by scope. */
export async function countsOf(
  db: Db,
  scopes: string[],
  dimension: string,
): Promise<(Omit<CountRow, 'name' | 'title'> & { scope: string })[]> {
  const rows = await db.statisticsCount.findMany({ where: { scope: { in: scopes }, dimension } });
  return rows.map(({ scope, key, objects, resources, bytes, tables }) => ({
    scope,
    key,
    objects: Number(objects),
    resources: Number(resources),
    bytes: bytes.toNumber(),
    tables: Number(tables),
  }));
}

/** Number of all changes. */
export async function countEdits(db: Db, scopes: string[]): Promise<number> {
  const where = { scope: { in: scopes }, dimension: 'all' };
  return Number((await db.statisticsMonth.aggregate({ where, _sum: { count: true } }))._sum.count ?? 0);
}
