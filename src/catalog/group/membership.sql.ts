/** Pages of members and memberships. In SQL because a page of 50 groups costs 25 ms by LATERAL and 130 ms by Prisma's join. */

import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { GROUP_COLUMNS } from './group.sql.ts';
import type { GroupRecord } from './group.store.ts';
import type { MembershipRecord } from './membership.store.ts';

/** A user in a group, with their name: the key of the page. */
export type ListedMember = MembershipRecord & { readonly userName: string };

/** A group that a user is in. */
export interface UserMembershipRecord {
  userId: string;
  capacity: string;
  group: GroupRecord;
}

/** One page of memberships for each of the ids $1, by name after $2, $3 rows each. */
const pages = (columns: string, from: string, parent: string, name: string, shownName: string): string =>
  `SELECT page.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (
    SELECT m.capacity, ${columns} FROM membership m JOIN ${from} WHERE ${parent} = k.id AND ($2::text IS NULL OR ${name} > $2)
    ORDER BY ${name} LIMIT $3) AS page ORDER BY page.${shownName}`;

const statements = {
  members: {
    name: 'membership_pages_of_groups',
    text: pages(
      'm.group_id AS "groupId", m.user_id AS "userId", u.name AS "userName"',
      "user_account u ON u.id = m.user_id AND u.state <> 'deleted'",
      'm.group_id',
      'u.name',
      '"userName"',
    ),
  },
  groups: {
    name: 'membership_pages_of_users',
    text: pages(
      `m.user_id AS "userId", ${GROUP_COLUMNS}`,
      "group_account g ON g.id = m.group_id AND g.state = 'active'",
      'm.user_id',
      'g.name',
      'name',
    ),
  },
} satisfies Record<string, Statement>;

const values = (ids: readonly string[], { after, limit }: Keyset) => [ids, after?.[0] ?? null, limit + 1];

/** One page of each group's users, by name, one more than its limit. */
export const pagesOfMembers = (sql: Sql, ids: readonly string[], page: Keyset): Promise<ListedMember[]> =>
  sql.rows(statements.members, values(ids, page));

/** One page of the groups of each user, by name, one more than its limit. */
export async function pagesOfUserGroups(
  sql: Sql,
  ids: readonly string[],
  page: Keyset,
): Promise<UserMembershipRecord[]> {
  const rows = await sql.rows<GroupRecord & { userId: string; capacity: string }>(statements.groups, values(ids, page));
  return rows.map(({ userId, capacity, ...group }) => ({ userId, capacity, group }));
}
