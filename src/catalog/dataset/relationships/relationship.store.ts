/** Single relationships, in the order of their last write, as recorded. */
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { Db } from '../../../infra/postgres/db.ts';
import type { RelationshipRow } from '../../document/project.ts';

const LINK_SELECT = {
  id: true,
  subjectId: true,
  objectId: true,
  type: true,
  comment: true,
  revisionId: true,
} satisfies Prisma.DatasetRelationshipSelect;

/** Relationships of a dataset, on either side, with one other or (null) with all, in stored form. */
export function listLinks(db: Db, datasetId: string, otherId: string | null): Promise<RelationshipRow[]> {
  const other = otherId ?? undefined; // undefined: any
  return db.datasetRelationship.findMany({
    where: {
      OR: [
        { subjectId: datasetId, objectId: other },
        { objectId: datasetId, subjectId: other },
      ],
    },
    select: LINK_SELECT,
    orderBy: { sequence: 'asc' },
  });
}

/** In any order. */
export const linksByIds = (db: Db, ids: readonly string[]): Promise<RelationshipRow[]> =>
  db.datasetRelationship.findMany({ where: { id: { in: [...ids] } }, select: LINK_SELECT });

export const versionOfDataset = async (db: Db, id: string): Promise<number> =>
  (await db.dataset.findUniqueOrThrow({ where: { id }, select: { version: true } })).version;

/** Creates a relationship, or rewrites the one with its id, which moves it to the end. */
export async function putLink(db: Db, data: RelationshipRow): Promise<void> {
  await deleteLink(db, data.id);
  await db.datasetRelationship.create({ data, select: { id: true } });
}

export const deleteLink = async (db: Db, id: string): Promise<void> =>
  void (await db.datasetRelationship.deleteMany({ where: { id } }));
