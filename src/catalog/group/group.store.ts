/** Reads groups and organizations. The caller checks the policy. */

import type { Prisma } from '../../generated/prisma/client.ts';
import { listOf, type ReadByKeys, readerBy } from '../../infra/postgres/by-keys.sql.ts';
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

/** A group or organization by id or name; null for an unknown one. An id wins: a name cannot hide another group. */
export const findGroup = async (sql: Sql, idOrName: string): Promise<GroupRecord | null> =>
  idWins(await readGroups(sql, [idOrName]), idOrName);

const groups = { table: 'group_account', fields: GROUP_SELECT };
/** Of one kind and state, by display title, ignoring case; equal titles by name. */
const byTitle = { ...groups, and: ['state', 'isOrganization'], order: ['sortTitle', 'name'] };
const readGroups = readerBy<GroupRecord>({ ...groups, by: ['id', 'name'] });

/** Groups and organizations by id, unordered. */
export const groupsByIds: ReadByKeys<GroupRecord> = readerBy<GroupRecord>({ ...groups, by: ['id'], isShort: true });

const readSuggested = listOf<GroupRecord>({ ...byTitle, like: ['name', 'title'] });
const readAll = listOf<GroupRecord>(byTitle);
const readPermitted = readerBy<GroupRecord>({ ...byTitle, by: ['id'] });

/** Active ones whose name or title contains the text, by display title. */
export const suggestGroups = (sql: Sql, isOrganization: boolean, text: string, limit: number): Promise<GroupRecord[]> =>
  readSuggested(sql, limit, 'active', isOrganization, `%${likeText(text)}%`);

/** All active ones, by display title. */
export const listAll = (sql: Sql, isOrganization: boolean): Promise<GroupRecord[]> =>
  readAll(sql, null, 'active', isOrganization);

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
export function findTaken(db: Db, texts: readonly string[]): Promise<Pick<GroupRecord, 'id' | 'name'>[]> {
  const found = { in: [...texts] };
  return db.group.findMany({ where: { OR: [{ id: found }, { name: found }] }, select: { id: true, name: true } });
}
