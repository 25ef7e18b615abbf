/** Who is in groups, and in which groups users are: for many at once. Only active groups and users that are not deleted are told of. */
import type { Keyset } from '../../kernel/connection.ts';
import type { Sql, Statement } from '../../kernel/db.ts';
import { GROUP_COLUMNS, type GroupRecord } from './group.store.ts';

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

const USERS = `m.group_id AS "groupId", m.user_id AS "userId", u.name AS "userName", m.capacity FROM membership m
  JOIN user_account u ON u.id = m.user_id AND u.state <> 'deleted'`;
const GROUPS = `membership m JOIN group_account g ON g.id = m.group_id AND g.state = 'active'`;
const USER_NAME = 'u.name COLLATE "C"';
const GROUP_NAME = 'g.name COLLATE "C"';

const statements = {
  ofGroups: {
    name: 'memberships_of_groups',
    text: `SELECT ${USERS} WHERE m.group_id = ANY ($1) ORDER BY m.group_id, ${USER_NAME}`,
  },
  groupPages: {
    name: 'membership_pages_of_groups',
    text: `SELECT page.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${USERS}
        WHERE m.group_id = k.id AND ($2::text IS NULL OR ${USER_NAME} > $2) ORDER BY ${USER_NAME} LIMIT $3) AS page
      ORDER BY page."groupId", page."userName" COLLATE "C"`,
  },
  groupCounts: {
    name: 'membership_counts_of_groups',
    text: `SELECT m.group_id AS id, count(*)::int AS n FROM membership m JOIN user_account u ON u.id = m.user_id AND u.state <> 'deleted'
      WHERE m.group_id = ANY ($1) GROUP BY m.group_id`,
  },
  userPages: {
    name: 'membership_pages_of_users',
    text: `SELECT page.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (
        SELECT m.user_id AS "userId", m.capacity, ${GROUP_COLUMNS} FROM ${GROUPS}
        WHERE m.user_id = k.id AND ($2::text IS NULL OR ${GROUP_NAME} > $2) ORDER BY ${GROUP_NAME} LIMIT $3) AS page
      ORDER BY page."userId", page.name COLLATE "C"`,
  },
  userCounts: {
    name: 'membership_counts_of_users',
    text: `SELECT m.user_id AS id, count(*)::int AS n FROM ${GROUPS} WHERE m.user_id = ANY ($1) GROUP BY m.user_id`,
  },
} satisfies Record<string, Statement>;

/** Users in these groups, by group and user name. */
export const membershipsOfGroups = (sql: Sql, ids: readonly string[]): Promise<MembershipRecord[]> =>
  sql.rows(statements.ofGroups, [ids]);

/** One page of each group's users, by name, one more than its limit. */
export const pagesOfMembers = (sql: Sql, ids: readonly string[], page: Keyset): Promise<MembershipRecord[]> =>
  sql.rows(statements.groupPages, [ids, page.after?.[0] ?? null, page.limit + 1]);

/** How many users a group has; groups without any are left out. */
export const countsOfMembers = (sql: Sql, ids: readonly string[]): Promise<{ id: string; n: number }[]> =>
  sql.rows(statements.groupCounts, [ids]);

/** One page of the groups of each user, by name, one more than its limit. */
export async function pagesOfUserGroups(
  sql: Sql,
  ids: readonly string[],
  page: Keyset,
): Promise<UserMembershipRecord[]> {
  const rows = await sql.rows<GroupRecord & { userId: string; capacity: string }>(statements.userPages, [
    ids,
    page.after?.[0] ?? null,
    page.limit + 1,
  ]);
  return rows.map(({ userId, capacity, ...group }) => ({ userId, capacity, group }));
}

/** How many groups a user is in; users who are in none are left out. */
export const countsOfUserGroups = (sql: Sql, ids: readonly string[]): Promise<{ id: string; n: number }[]> =>
  sql.rows(statements.userCounts, [ids]);
