/** Reads all rows of datasets, and purges datasets. Documents: dataset.sql.ts. */

import type { Db } from '../../infra/postgres/db.ts';
import { inBatches } from '../../infra/postgres/in-lists.ts';
import type { DatasetParts } from '../document/project.ts';

/** Ids of datasets of any state after an id, ascending. */
export async function listIdsAfter(db: Db, after: string | null, take: number): Promise<string[]> {
  const where = after === null ? {} : { id: { gt: after } };
  const rows = await db.dataset.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take });
  return rows.map(({ id }) => id);
}

/** All rows of datasets, for the projector and for writes; by id. */
export async function loadParts(db: Db, ids: readonly string[]): Promise<DatasetParts[]> {
  const rows = await db.dataset.findMany({
    where: { id: { in: [...ids] } },
    relationLoadStrategy: 'join',
    include: {
      resources: { orderBy: [{ position: 'asc' }, { id: 'asc' }] },
      extras: { select: { key: true, value: true } },
      tags: { select: { tag: true } },
      groups: { select: { group: true } },
      ownerOrganization: true,
      subjectOf: true,
      objectOf: true,
    },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ resources, extras, tags, groups, ownerOrganization, subjectOf, objectOf, ...dataset }) => ({
    dataset,
    resources,
    extras,
    organization: ownerOrganization,
    tags: tags.map(({ tag }) => tag),
    groups: groups.map(({ group }) => group).filter((group) => group.state === 'active' && !group.isOrganization),
    asSubject: subjectOf,
    asObject: objectOf,
  }));
}

/** Deletes a dataset with its parts, its history, and the task statuses of it and its resources. */
export async function deleteDataset(db: Db, id: string): Promise<void> {
  const resources = await db.resource.findMany({ where: { datasetId: id }, select: { id: true } });
  await inBatches([id, ...resources.map((resource) => resource.id)], async (batch) => [
    await db.taskStatus.deleteMany({ where: { entityId: { in: batch } } }),
  ]);
  await db.datasetHistory.deleteMany({ where: { datasetId: id } });
  await db.dataset.delete({ where: { id }, select: { id: true } });
}
