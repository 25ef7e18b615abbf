/** Users and their capacities, for role lists. Users that are not active have no roles. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';

const HOLDER = { id: true, name: true, sysadmin: true } satisfies Prisma.UserSelect;

type Holder = Readonly<Prisma.UserGetPayload<{ select: typeof HOLDER }>>;

/** Active users by name, unordered. */
export const usersByName = (sql: Sql, names: readonly string[]): Promise<Holder[]> => readHolders(sql, names, 'active');
const readHolders = readerBy<Holder>({ table: 'user_account', fields: HOLDER, by: ['name'], and: ['state'] });

/** Active members of a group or organization, unordered. */
export async function membersOf(db: Db, groupId: string): Promise<(Holder & { readonly capacity: string })[]> {
  const found = await db.membership.findMany({
    relationLoadStrategy: 'join',
    where: { groupId, user: { state: 'active' } },
    select: { capacity: true, user: { select: HOLDER } },
  });
  return found.map(({ user, capacity }) => ({ ...user, capacity }));
}

/** An active user with their capacity in a group; null for an unknown user. */
export async function userInGroup(
  db: Db,
  id: string,
  groupId: string | null,
): Promise<(Holder & { readonly capacity: string | null }) | null> {
  const found = await db.user.findUnique({
    where: { id, state: 'active' },
    select: { ...HOLDER, memberships: { where: { groupId: groupId ?? '' }, select: { capacity: true } } },
  });
  return found && { ...found, capacity: found.memberships[0]?.capacity ?? null };
}
