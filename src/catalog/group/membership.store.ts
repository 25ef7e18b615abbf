/** Reads who is in groups, and counts, for many at once. Deleted users and groups that are not active are left out. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

const MEMBERSHIP_SELECT = { groupId: true, userId: true, capacity: true } satisfies Prisma.MembershipSelect;

/** A user in a group. */
export type MembershipRecord = Prisma.MembershipGetPayload<{ select: typeof MEMBERSHIP_SELECT }>;

const ofGroups = (ids: readonly string[]): Prisma.MembershipWhereInput => ({
  groupId: { in: [...ids] },
  user: { state: { not: 'deleted' } },
});

/** Users in these groups, by name. */
export const membershipsOfGroups = (db: Db, ids: readonly string[]): Promise<MembershipRecord[]> =>
  db.membership.findMany({ where: ofGroups(ids), select: MEMBERSHIP_SELECT, orderBy: { user: { name: 'asc' } } });

/** How many users a group has; groups without any are left out. */
export async function countsOfMembers(db: Db, ids: readonly string[]): Promise<{ id: string; n: number }[]> {
  const rows = await db.membership.groupBy({ by: ['groupId'], where: ofGroups(ids), _count: true });
  return rows.map((row) => ({ id: row.groupId, n: row._count }));
}

/** How many groups a user is in; users who are in none are left out. */
export async function countsOfUserGroups(db: Db, ids: readonly string[]): Promise<{ id: string; n: number }[]> {
  const where = { userId: { in: [...ids] }, group: { state: 'active' } };
  const rows = await db.membership.groupBy({ by: ['userId'], where, _count: true });
  return rows.map((row) => ({ id: row.userId, n: row._count }));
}
