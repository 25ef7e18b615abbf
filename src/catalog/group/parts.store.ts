/** Reads extras and parents of many groups at once, and counts datasets by creator. */
import type { GroupParent, Prisma } from '../../generated/prisma/client.ts';
import { type CountByKeys, counterBy, type ReadByKeys, readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Sql } from '../../infra/postgres/db.ts';
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
export type ParentRecord = Readonly<Pick<GroupParent, 'childId' | 'capacity'>> & { readonly group: GroupRecord };

/** Extras of these groups, by key. */
export const extrasOfGroups: ReadByKeys<GroupExtraRecord> = readerBy<GroupExtraRecord>({
  table: 'group_extra',
  fields: EXTRA_SELECT,
  by: ['groupId'],
  order: ['key'],
});

const PARENT = { childId: true, parentId: true, capacity: true } satisfies Prisma.GroupParentSelect;
const readParents = readerBy<Prisma.GroupParentGetPayload<{ select: typeof PARENT }>>({
  table: 'group_parent',
  fields: PARENT,
  by: ['childId'],
});
const readActive = readerBy<GroupRecord>({
  table: 'group_account',
  fields: GROUP_SELECT,
  by: ['id'],
  and: ['state'],
  order: ['name'],
});

/** Active parents of these groups, by name. */
export async function parentsOfGroups(sql: Sql, ids: readonly string[]): Promise<ParentRecord[]> {
  const links = await readParents(sql, ids);
  if (links.length === 0) return [];
  const parents = await readActive(sql, [...new Set(links.map(({ parentId }) => parentId))], 'active');
  return parents.flatMap((group) =>
    links
      .filter(({ parentId }) => parentId === group.id)
      .map(({ childId, capacity }) => ({ childId, capacity, group })),
  );
}

const countByCreator = counterBy({ table: 'dataset', by: 'creatorId', and: ['state', 'private'] });

/** Number of active public datasets by creator. Users without any are omitted. */
export const countCreated: CountByKeys = (sql, userIds) => countByCreator(sql, userIds, 'active', false);
