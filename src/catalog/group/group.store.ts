/** Reads groups and organizations. Policy is the caller's. */
import type { Sql, Statement } from '../../kernel/db.ts';

/** A group's or organization's own fields. */
export interface GroupRecord {
  id: string;
  name: string;
  title: string;
  description: string;
  imageUrl: string;
  type: string;
  isOrganization: boolean;
  approvalStatus: string;
  state: string;
  createdAt: Date;
  revisionId: string;
  version: number;
}

export const GROUP_COLUMNS = `g.id, g.name, g.title, g.description, g.image_url AS "imageUrl", g.type, g.is_organization AS "isOrganization",
  g.approval_status AS "approvalStatus", g.state, g.created_at AS "createdAt", g.revision_id AS "revisionId", g.version`;

/** Order of people's lists: what is shown, without regard to case; equals by name. */
const DISPLAYED = `lower(COALESCE(NULLIF(g.title, ''), g.name)) COLLATE "C"`;
const NAME = 'g.name COLLATE "C"';
const LISTED = "g.state = 'active' AND g.is_organization = $1";
const COUNTED = `CASE WHEN g.is_organization
  THEN (SELECT count(*) FROM dataset_document d WHERE d.owner_organization_id = g.id AND d.state = 'active' AND NOT d.private)
  ELSE (SELECT count(*) FROM dataset_group f JOIN dataset_document d ON d.dataset_id = f.dataset_id
    WHERE f.group_id = g.id AND d.state = 'active' AND NOT d.private) END`;

const statements = {
  // An id wins over a name: a group cannot be hidden behind another one's name.
  one: {
    name: 'group_by_ref',
    text: `SELECT ${GROUP_COLUMNS} FROM group_account g WHERE g.id = $1 UNION ALL SELECT ${GROUP_COLUMNS} FROM group_account g WHERE g.name = $1 LIMIT 1`,
  },
  byIds: { name: 'groups_by_id', text: `SELECT ${GROUP_COLUMNS} FROM group_account g WHERE g.id = ANY ($1)` },
  page: {
    name: 'group_page',
    text: `SELECT ${GROUP_COLUMNS} FROM group_account g WHERE ${LISTED} AND ($2::text IS NULL OR g.type = $2)
      AND ($3::text IS NULL OR ${NAME} > $3) ORDER BY ${NAME} LIMIT $4`,
  },
  count: {
    name: 'group_count',
    text: `SELECT count(*)::int AS n FROM group_account g WHERE ${LISTED} AND ($2::text IS NULL OR g.type = $2)`,
  },
  suggest: {
    name: 'group_suggestions',
    text: `SELECT ${GROUP_COLUMNS} FROM group_account g WHERE ${LISTED} AND (g.name ILIKE $2 OR g.title ILIKE $2) ORDER BY ${DISPLAYED}, ${NAME} LIMIT $3`,
  },
  permitted: {
    name: 'groups_permitted',
    text: `SELECT ${GROUP_COLUMNS} FROM group_account g WHERE ${LISTED} AND ($2::text[] IS NULL OR g.id = ANY ($2)) ORDER BY ${DISPLAYED}, ${NAME}`,
  },
  own: {
    name: 'groups_own',
    text: `SELECT ${GROUP_COLUMNS} FROM group_account g JOIN membership m ON m.group_id = g.id AND m.user_id = $2 AND m.capacity = ANY ($3)
      WHERE ${LISTED} ORDER BY ${DISPLAYED}, ${NAME}`,
  },
  capacity: { name: 'group_capacity', text: 'SELECT capacity FROM membership WHERE group_id = $1 AND user_id = $2' },
} satisfies Record<string, Statement>;

/** A group or organization by id or name; null when there is none. */
export async function findGroup(sql: Sql, idOrName: string): Promise<GroupRecord | null> {
  const [row] = await sql.rows<GroupRecord>(statements.one, [idOrName]);
  return row ?? null;
}

/** Groups and organizations by id, in no order. */
export const groupsByIds = (sql: Sql, ids: readonly string[]): Promise<GroupRecord[]> =>
  sql.rows(statements.byIds, [ids]);

/** Active ones after a name, by name. */
export const listGroupPage = (sql: Sql, of: GroupsOf, after: string | null, limit: number): Promise<GroupRecord[]> =>
  sql.rows(statements.page, [of.isOrganization, of.type ?? null, after, limit]);

export async function countGroups(sql: Sql, of: GroupsOf): Promise<number> {
  const [row] = await sql.rows<{ n: number }>(statements.count, [of.isOrganization, of.type ?? null]);
  return row!.n;
}

/** Active ones whose name or title contains the text, by what is displayed. */
export const suggestGroups = (sql: Sql, isOrganization: boolean, text: string, limit: number): Promise<GroupRecord[]> =>
  sql.rows(statements.suggest, [isOrganization, `%${text.replace(/[\\%_]/g, '\\$&')}%`, limit]);

/** Active ones, of these ids or (null) all, by what is displayed. */
export const listPermitted = (
  sql: Sql,
  isOrganization: boolean,
  ids: readonly string[] | null,
): Promise<GroupRecord[]> => sql.rows(statements.permitted, [isOrganization, ids]);

/** Active ones in which a user has one of these capacities of their own, by what is displayed. */
export const listOwn = (
  sql: Sql,
  isOrganization: boolean,
  userId: string | null,
  capacities: readonly string[],
): Promise<GroupRecord[]> => sql.rows(statements.own, [isOrganization, userId, capacities]);

/** A user's own capacity in a group, whatever the group's state; null when they have none. */
export async function findCapacity(sql: Sql, groupId: string, userId: string): Promise<string | null> {
  const [row] = await sql.rows<{ capacity: string }>(statements.capacity, [groupId, userId]);
  return row?.capacity ?? null;
}

export interface GroupsOf {
  readonly isOrganization: boolean;
  readonly type?: string | null;
}

export interface GroupListChoice extends GroupsOf {
  /** Ids or names; null is all. */
  readonly only: readonly string[] | null;
  readonly sort: 'NAME' | 'TITLE' | 'DATASET_COUNT';
  readonly descending: boolean;
  /** Null is all. */
  readonly limit: number | null;
  readonly offset: number;
}

const SORT_KEYS = { NAME, TITLE: DISPLAYED, DATASET_COUNT: COUNTED } as const;

/** Active ones in the order asked for; equals by name. */
export function listGroups(sql: Sql, choice: GroupListChoice): Promise<GroupRecord[]> {
  const direction = choice.descending ? 'DESC' : 'ASC';
  const second = choice.sort === 'NAME' ? '' : `, ${NAME}`;
  const statement = {
    name: `group_list_${choice.sort}_${direction}`,
    text: `SELECT ${GROUP_COLUMNS} FROM group_account g WHERE ${LISTED} AND ($2::text IS NULL OR g.type = $2)
      AND ($3::text[] IS NULL OR g.id = ANY ($3) OR g.name = ANY ($3)) ORDER BY ${SORT_KEYS[choice.sort]} ${direction}${second} LIMIT $4 OFFSET $5`,
  };
  return sql.rows(statement, [choice.isOrganization, choice.type ?? null, choice.only, choice.limit, choice.offset]);
}
