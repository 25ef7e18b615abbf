/** Finds the datasets whose documents embed a group, a tag or a resource. */
import type { Db } from '../../infra/postgres/db.ts';
import { inBatches } from '../../infra/postgres/in-lists.ts';
import { lockRows } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';

/** Ids of the datasets in a group. */
export async function datasetsOfGroup(db: Db, groupId: string): Promise<string[]> {
  const rows = await db.datasetGroup.findMany({ where: { groupId }, select: { datasetId: true } });
  return rows.map(({ datasetId }) => datasetId);
}

/** Removes tags from all datasets. Returns the dataset ids. */
export async function dropTags(db: Db, tagIds: readonly string[]): Promise<string[]> {
  const where = { tagId: { in: [...tagIds] } };
  const rows = await db.datasetTag.groupBy({ by: 'datasetId', where });
  await db.datasetTag.deleteMany({ where });
  return rows.map(({ datasetId }) => datasetId);
}

/** The dataset of a resource; null for an unknown resource. */
export async function datasetOfResource(db: Db, id: string): Promise<string | null> {
  return (await db.resource.findUnique({ where: { id }, select: { datasetId: true } }))?.datasetId ?? null;
}

/** Removes datasets (null: all) from a group. Returns the ids of removed ones: the lock waits for a concurrent removal. */
export async function deleteDatasetGroups(
  { db, sql }: Pick<Call, 'db' | 'sql'>,
  groupId: string,
  datasetIds: readonly string[] | null,
): Promise<string[]> {
  const ids = datasetIds ?? (await datasetsOfGroup(db, groupId));
  await lockRows(sql, 'dataset', ids);
  return inBatches(ids, async (batch) => {
    const where = { groupId, datasetId: { in: batch } };
    const rows = await db.datasetGroup.findMany({ where, select: { datasetId: true } });
    await db.datasetGroup.deleteMany({ where });
    return rows.map(({ datasetId }) => datasetId);
  });
}
