/** Reads groups and organizations. The caller checks the policy. */

import type { Prisma } from '../../generated/prisma/client.ts';
import { readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';
import { likeText } from '../../infra/postgres/like.ts';
import { idWins } from '../../kernel/node.ts';

export const GROUP_SELECT = {
  id: true,
  name: true,
  title: true,
  description: true,
  imageUrl: true,
  type: true,
  isOrganization: true,
  approvalStatus: true,
  state: true,
  createdAt: true,
  revisionId: true,
  version: true,
} satisfies Prisma.GroupSelect;

/** A group's or organization's own fields. */
export type GroupRecord = Prisma.GroupGetPayload<{ select: typeof GROUP_SELECT }>;

export interface GroupsOf {
  readonly isOrganization: boolean;
  readonly type?: string | null;
}

/** By display title, ignoring case; equal titles by name. */
const BY_TITLE = [{ sortTitle: 'asc' }, { name: 'asc' }] satisfies Prisma.GroupOrderByWithRelationInput[];

const active = (isOrganization: boolean): Prisma.GroupWhereInput => ({ state: 'active', isOrganization });

/** A group or organization by id or name; null for an unknown one. An id wins: a name cannot hide another group. */
export const findGroup = async (sql: Sql, idOrName: string): Promise<GroupRecord | null> =>
  idWins(await readGroups(sql, [idOrName]), idOrName);

const groups = { table: 'group_account', fields: GROUP_SELECT };
const readGroups = readerBy<GroupRecord>({ ...groups, by: ['id', 'name'] });

/** Groups and organizations by id, unordered. */
export const groupsByIds: (sql: Sql, ids: readonly string[]) => Promise<GroupRecord[]> = readerBy<GroupRecord>({
  ...groups,
  by: ['id'],
});

/** Active ones whose name or title contains the text, by display title. */
export function suggestGroups(db: Db, isOrganization: boolean, text: string, take: number): Promise<GroupRecord[]> {
  const contains = likeText(text); // Prisma does not escape patterns
  return db.group.findMany({
    where: {
      ...active(isOrganization),
      OR: [{ name: { contains, mode: 'insensitive' } }, { title: { contains, mode: 'insensitive' } }],
    },
    select: GROUP_SELECT,
    orderBy: BY_TITLE,
    take,
  });
}

/** All active ones, by display title. */
export const listAll = (db: Db, isOrganization: boolean): Promise<GroupRecord[]> =>
  db.group.findMany({ where: active(isOrganization), select: GROUP_SELECT, orderBy: BY_TITLE });

const readPermitted = readerBy<GroupRecord>({
  ...groups,
  by: ['id'],
  and: ['state', 'isOrganization'],
  order: ['sortTitle', 'name'],
});

/** Active ones of these ids, by display title. */
export const listPermitted = (sql: Sql, isOrganization: boolean, ids: readonly string[]): Promise<GroupRecord[]> =>
  readPermitted(sql, ids, 'active', isOrganization);

const MEMBERSHIP = { groupId: true, capacity: true } satisfies Prisma.MembershipSelect;
const readMemberships = readerBy<Prisma.MembershipGetPayload<{ select: typeof MEMBERSHIP }>>({
  table: 'membership',
  fields: MEMBERSHIP,
  by: ['userId'],
});

/** Active ones in which a user has one of these capacities directly, by display title. */
export async function listOwn(
  sql: Sql,
  isOrganization: boolean,
  userId: string,
  capacities: readonly string[],
): Promise<GroupRecord[]> {
  const memberships = await readMemberships(sql, [userId]);
  const ids = memberships.filter(({ capacity }) => capacities.includes(capacity)).map(({ groupId }) => groupId);
  return ids.length === 0 ? [] : listPermitted(sql, isOrganization, ids);
}

/** A user's direct capacity in a group in any state; null for none. */
export async function findCapacity(db: Db, groupId: string, userId: string): Promise<string | null> {
  const where = { groupId_userId: { groupId, userId } };
  return (await db.membership.findUnique({ where, select: { capacity: true } }))?.capacity ?? null;
}

/** Ids and names of groups and organizations among these texts. */
export function findTaken(db: Db, texts: readonly string[]): Promise<{ id: string; name: string }[]> {
  const found = { in: [...texts] };
  return db.group.findMany({ where: { OR: [{ id: found }, { name: found }] }, select: { id: true, name: true } });
}
