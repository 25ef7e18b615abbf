/** Pages of a group's users and of a user's groups. Readers of a group or user may also see its memberships. */
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../kernel/connection.ts';
import type { PageOf } from '../../kernel/pages.ts';
import type { ListedMember, UserMembershipRecord } from './membership.sql.ts';
import type { MembershipRecord } from './membership.store.ts';

export type GroupMembershipPage = Connection<MembershipRecord>;
export type UserMembershipPage = Connection<UserMembershipRecord>;

interface Loaders {
  memberPages: { load(requested: PageOf): Promise<ListedMember[]> };
  memberCounts: { load(groupId: string): Promise<number> };
  userGroupPages: { load(requested: PageOf): Promise<UserMembershipRecord[]> };
  userGroupCounts: { load(userId: string): Promise<number> };
}

/** A page of the users in a group, by name. @throws CatalogError LIMIT, VALIDATION (cursor) */
export async function membershipConnection(
  call: Call,
  loaders: Loaders,
  groupId: string,
  args: PageArgs,
): Promise<GroupMembershipPage> {
  const page = pageOf(call, args);
  const rows = await loaders.memberPages.load({ id: groupId, page });
  return connection(
    rows,
    page,
    ({ userName }) => [userName],
    () => loaders.memberCounts.load(groupId),
  );
}

/** A page of the active groups and organizations of a user, by name. @throws CatalogError LIMIT, VALIDATION (cursor) */
export async function userMemberships(
  call: Call,
  loaders: Loaders,
  userId: string,
  args: PageArgs,
): Promise<UserMembershipPage> {
  const page = pageOf(call, args);
  const rows = await loaders.userGroupPages.load({ id: userId, page });
  return connection(
    rows,
    page,
    ({ group }) => [group.name],
    () => loaders.userGroupCounts.load(userId),
  );
}

const pageOf = (call: Call, args: PageArgs): Keyset => keyset(args, ['string'], call.settings['catalog.limits.rows']);
