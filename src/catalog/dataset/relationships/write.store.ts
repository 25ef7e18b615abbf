/** Writes the relationships of a dataset to other datasets, on both sides. */
import type { Db } from '../../../infra/postgres/db.ts';
import type { RelationshipRow } from '../../document/project.ts';

/** Sets the relationships of a dataset, on either side, to exactly these; remaining ones keep their order. */
export async function writeRelationships(
  db: Db,
  datasetId: string,
  rows: readonly RelationshipRow[],
  revisionId: string,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await db.datasetRelationship.deleteMany({
    where: { OR: [{ subjectId: datasetId }, { objectId: datasetId }], id: { notIn: ids } },
  });
  if (rows.length === 0) return;
  const there = await db.datasetRelationship.findMany({ where: { id: { in: ids } }, select: { id: true } });
  const known = new Set(there.map(({ id }) => id));
  const fresh = rows.filter(({ id }) => !known.has(id));
  if (fresh.length > 0) await db.datasetRelationship.createMany({ data: fresh });
  for (const { id, comment } of rows.filter((row) => known.has(row.id) && row.revisionId === revisionId))
    await db.datasetRelationship.update({ where: { id }, data: { comment, revisionId }, select: { id: true } });
}
