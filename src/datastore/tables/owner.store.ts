/** Stores the resources that have a table, and tables of purged resources. */
import type { Db } from '../../infra/postgres/db.ts';

/** Hides a table as if its dataset were private, or shows it again. */
export const hideTable = async (db: Db, id: string, datastorePrivate: boolean): Promise<void> =>
  void (await db.resource.updateMany({ where: { id }, data: { datastorePrivate } }));

/** Ids of purged resources that may have left a table, up to `take` of them. */
export const listDiscarded = async (db: Db, take: number): Promise<string[]> =>
  (await db.discardedTable.findMany({ orderBy: { resourceId: 'asc' }, take })).map(({ resourceId }) => resourceId);

/** Records that the table of a purged resource was dropped. */
export const forgetDiscarded = async (db: Db, resourceId: string): Promise<void> =>
  void (await db.discardedTable.deleteMany({ where: { resourceId } }));

/** Ids of all resources with a table. */
export const listActive = async (db: Db): Promise<string[]> =>
  (await db.resource.findMany({ where: { datastoreActive: true }, select: { id: true } })).map(({ id }) => id);
