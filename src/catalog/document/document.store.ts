/** Finds the datasets whose documents embed a group. */
import type { Db } from '../../infra/postgres/db.ts';

/** Ids of the datasets filed under a group. */
export async function datasetsOfGroup(db: Db, groupId: string): Promise<string[]> {
  const rows = await db.datasetGroup.findMany({ where: { groupId }, select: { datasetId: true } });
  return rows.map(({ datasetId }) => datasetId);
}
