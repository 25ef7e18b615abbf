/** Reads extras and parents of many groups at once, and counts datasets by creator. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';
import { countsBy } from '../../kernel/pages.ts';
import { GROUP_SELECT, type GroupRecord } from './group.store.ts';

const EXTRA_SELECT = {
  id: true,
  groupId: true,
  key: true,
  value: true,
  revisionId: true,
} satisfies Prisma.GroupExtraSelect;
export type GroupExtraRecord = Prisma.GroupExtraGetPayload<{ select: typeof EXTRA_SELECT }>;

/** A parent of a group. */
export interface ParentRecord {
  childId: string;
  capacity: string;
  group: GroupRecord;
}

/** Extras of these groups, by key. */
export const extrasOfGroups = (db: Db, ids: readonly string[]): Promise<GroupExtraRecord[]> =>
  db.groupExtra.findMany({ where: { groupId: { in: [...ids] } }, select: EXTRA_SELECT, orderBy: { key: 'asc' } });

/** Active parents of these groups, by name. */
export async function parentsOfGroups(db: Db, ids: readonly string[]): Promise<ParentRecord[]> {
  const rows = await db.groupParent.findMany({
    relationLoadStrategy: 'join',
    where: { childId: { in: [...ids] }, parent: { state: 'active' } },
    select: { childId: true, capacity: true, parent: { select: GROUP_SELECT } },
    orderBy: { parent: { name: 'asc' } },
  });
  return rows.map(({ parent, ...link }) => ({ ...link, group: parent }));
}

/** Number of active public datasets by creator. Users without any are omitted. */
export async function countCreated(db: Db, userIds: readonly string[]): Promise<{ id: string; n: number }[]> {
  const where = { creatorId: { in: [...userIds] }, state: 'active', private: false };
  const groups = await db.datasetDocument.groupBy({ by: 'creatorId', where, _count: true });
  return countsBy('creatorId', groups);
}
