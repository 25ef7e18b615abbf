/** Who has which capacity, as role lists need it. Users that are not active have no roles. */
import type { Sql, Statement } from '../../kernel/db.ts';

export interface MemberRow {
  readonly id: string;
  readonly name: string;
  readonly capacity: string;
}

const statements = {
  users: {
    name: 'role_users',
    text: `SELECT id, name FROM user_account WHERE name = ANY ($1) AND state = 'active'`,
  },
  find: {
    name: 'role_user',
    text: 'SELECT id, name FROM user_account WHERE id = $1 OR name = $1 ORDER BY (id = $1) DESC LIMIT 1',
  },
  members: {
    name: 'role_members',
    text: `SELECT u.id, u.name, m.capacity FROM membership m JOIN user_account u ON u.id = m.user_id AND u.state = 'active'
      WHERE m.group_id = $1`,
  },
  creator: {
    name: 'role_creator',
    text: `SELECT u.id, u.name, u.sysadmin, m.capacity FROM user_account u LEFT JOIN membership m ON m.user_id = u.id AND m.group_id = $2
      WHERE u.id = $1 AND u.state = 'active'`,
  },
} satisfies Record<string, Statement>;

/** Active users by name, in any order. */
export const usersByName = (sql: Sql, names: readonly string[]): Promise<{ id: string; name: string }[]> =>
  sql.rows(statements.users, [names]);

/** By id or name, an id wins; null when there is none. */
export const findRoleUser = async (sql: Sql, idOrName: string): Promise<{ id: string; name: string } | null> =>
  (await sql.rows<{ id: string; name: string }>(statements.find, [idOrName]))[0] ?? null;

/** Members of a group or organization, in any order. */
export const membersOf = (sql: Sql, groupId: string): Promise<MemberRow[]> => sql.rows(statements.members, [groupId]);

/** A user with their capacity in a group; null when there is no such active user. */
export const userInGroup = async (
  sql: Sql,
  userId: string,
  groupId: string | null,
): Promise<{ id: string; name: string; sysadmin: boolean; capacity: string | null } | null> =>
  (
    await sql.rows<{ id: string; name: string; sysadmin: boolean; capacity: string | null }>(statements.creator, [
      userId,
      groupId,
    ])
  )[0] ?? null;
