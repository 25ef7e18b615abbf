/** Reads members of groups, and counts, for many at once. Deleted users and inactive groups are omitted. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Counted } from '../../infra/postgres/by-keys.sql.ts';
import type { Db } from '../../infra/postgres/db.ts';
import { countsBy } from '../../kernel/pages.ts';

/** A user in a group. */
export type MembershipRecord = Prisma.MembershipGetPayload<{
  select: { groupId: true; userId: true; capacity: true };
}>;

const ofGroups = (ids: readonly string[]): Prisma.MembershipWhereInput => ({
  groupId: { in: [...ids] },
  user: { state: { not: 'deleted' } },
});

/** Number of users in a group; groups without any are omitted. */
export async function countsOfMembers(db: Db, ids: readonly string[]): Promise<Counted[]> {
  const groups = await db.membership.groupBy({ by: 'groupId', where: ofGroups(ids), _count: true });
  return countsBy('groupId', groups);
}

/** Number of groups of a user; users without any are omitted. */
export async function countsOfUserGroups(db: Db, ids: readonly string[]): Promise<Counted[]> {
  const where = { userId: { in: [...ids] }, group: { state: 'active' } };
  const groups = await db.membership.groupBy({ by: 'userId', where, _count: true });
  return countsBy('userId', groups);
}
