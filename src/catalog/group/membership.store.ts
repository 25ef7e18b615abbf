/** Reads users of groups, and groups of users, for many at once. Deleted users and groups that are not active are left out. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Keyset } from '../../kernel/connection.ts';
import type { Db } from '../../kernel/db.ts';
import { GROUP_SELECT, type GroupRecord } from './group.store.ts';

/** A user in a group. */
export interface MembershipRecord {
  groupId: string;
  userId: string;
  userName: string;
  capacity: string;
}
/** A group that a user is in. */
export interface UserMembershipRecord {
  userId: string;
  capacity: string;
  group: GroupRecord;
}

const USERS = { state: { not: 'deleted' } } satisfies Prisma.UserWhereInput;
const GROUPS = { state: 'active' } satisfies Prisma.GroupWhereInput;
const MEMBER_SELECT = {
  groupId: true,
  userId: true,
  capacity: true,
  user: { select: { name: true } },
} satisfies Prisma.MembershipSelect;

const memberOf = ({
  user,
  ...row
}: Prisma.MembershipGetPayload<{ select: typeof MEMBER_SELECT }>): MembershipRecord => ({
  ...row,
  userName: user.name,
});

const after = (page: Keyset) => (page.after ? { name: { gt: String(page.after[0]) } } : {});

/** Users in these groups, by name. */
export async function membershipsOfGroups(db: Db, ids: readonly string[]): Promise<MembershipRecord[]> {
  const rows = await db.membership.findMany({
    relationLoadStrategy: 'join',
    where: { groupId: { in: [...ids] }, user: USERS },
    select: MEMBER_SELECT,
    orderBy: { user: { name: 'asc' } },
  });
  return rows.map(memberOf);
}

/** One page of each group's users, by name, one more than its limit. */
export async function pagesOfMembers(db: Db, ids: readonly string[], page: Keyset): Promise<MembershipRecord[]> {
  const groups = await db.group.findMany({
    relationLoadStrategy: 'join',
    where: { id: { in: [...ids] } },
    select: {
      members: {
        where: { user: { ...USERS, ...after(page) } },
        select: MEMBER_SELECT,
        orderBy: { user: { name: 'asc' } },
        take: page.limit + 1,
      },
    },
  });
  return groups.flatMap(({ members }) => members.map(memberOf));
}

/** How many users a group has; groups without any are left out. */
export async function countsOfMembers(db: Db, ids: readonly string[]): Promise<{ id: string; n: number }[]> {
  const where = { groupId: { in: [...ids] }, user: USERS };
  const rows = await db.membership.groupBy({ by: ['groupId'], where, _count: true });
  return rows.map((row) => ({ id: row.groupId, n: row._count }));
}

/** One page of the groups of each user, by name, one more than its limit. */
export async function pagesOfUserGroups(db: Db, ids: readonly string[], page: Keyset): Promise<UserMembershipRecord[]> {
  const users = await db.user.findMany({
    relationLoadStrategy: 'join',
    where: { id: { in: [...ids] } },
    select: {
      memberships: {
        where: { group: { ...GROUPS, ...after(page) } },
        select: { userId: true, capacity: true, group: { select: GROUP_SELECT } },
        orderBy: { group: { name: 'asc' } },
        take: page.limit + 1,
      },
    },
  });
  return users.flatMap(({ memberships }) => memberships);
}

/** How many groups a user is in; users who are in none are left out. */
export async function countsOfUserGroups(db: Db, ids: readonly string[]): Promise<{ id: string; n: number }[]> {
  const where = { userId: { in: [...ids] }, group: GROUPS };
  const rows = await db.membership.groupBy({ by: ['userId'], where, _count: true });
  return rows.map((row) => ({ id: row.userId, n: row._count }));
}
