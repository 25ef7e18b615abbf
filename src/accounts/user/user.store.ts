/** Reads users, in SQL. Lists are in code point order of the display name, then of the name. Password hashes are not read here. */
import type { Sql, Statement } from '../../kernel/db.ts';

export interface UserRecord {
  readonly id: string;
  readonly name: string;
  readonly fullName: string | null;
  readonly displayName: string;
  readonly email: string | null;
  readonly about: string | null;
  readonly openId: string | null;
  readonly apiKeySealed: string | null;
  readonly sysadmin: boolean;
  readonly state: string;
  readonly emailNotifications: boolean;
  /** Address of an image, or the name of one that is kept here; empty when there is none. */
  readonly imageUrl: string;
  readonly createdAt: Date;
  readonly version: number;
  /** Set on the answer to the call that made the user, and nowhere else. */
  readonly createdByCaller?: boolean;
}

/** Which users: active ones; the pattern (ILIKE; null for no condition) fits name, full name or, where `byEmail`, e-mail address. */
export interface UserChoice {
  readonly pattern: string | null;
  readonly byEmail: boolean;
}

/** Whose private datasets and drafts are counted; null stands for everybody's. */
export type Everything = readonly string[] | null;

const DISPLAY = `coalesce(nullif(btrim(u.full_name), ''), u.name)`;
export const COLUMNS = `u.id, u.name, u.full_name AS "fullName", ${DISPLAY} AS "displayName", u.email, u.about, u.open_id AS "openId",
  u.api_key_sealed AS "apiKeySealed", u.sysadmin, u.state, u.email_notifications AS "emailNotifications",
  u.image_url AS "imageUrl", u.created_at AS "createdAt", u.version`;
const ID_OR_NAME = 'WHERE u.id = $1 OR u.name = $1 ORDER BY (u.id = $1) DESC LIMIT 1';
const CHOSEN = `u.state = 'active' AND ($1::text IS NULL OR u.name ILIKE $1 OR u.full_name ILIKE $1 OR ($2::bool AND u.email ILIKE $1))`;
const BY_NAME = `${DISPLAY} COLLATE "C", u.name COLLATE "C"`;

/** Datasets that count for their creator. `$n` is an Everything. */
const counted = (everything: string): string => `((d.state = 'active' AND NOT d.private) OR
  (d.state IN ('active', 'draft') AND (${everything}::text[] IS NULL OR d.creator_id = ANY (${everything}))))`;
/**
 * Revisions per author; `only` is a condition on r. Making or changing an account is no edit, as clients know the number, nor are
 * vocabularies and their tags, works made from the data, ratings, translations and activities that programs write; deleting an account is one, and so is,
 * as recorded of `admin`, being made by the operator, who has no account to count it for.
 */
const edits = (only: string): string => `SELECT r.author_id AS id, count(*)::int AS n FROM revision r
  WHERE ${only} AND NOT EXISTS (SELECT FROM change c WHERE c.revision_id = r.id AND (c.object_type IN ('vocabulary', 'tag', 'related', 'rating', 'translation') OR c.action = 'noted'
    OR (c.object_type = 'user' AND c.action <> 'deleted' AND NOT (c.action = 'created' AND c.object_id = r.author_id AND c.detail @> '{"by": "operator"}')))) GROUP BY 1`;

/** How each order is written; those with a count need `$3`, an Everything, or a table of their own. */
const ORDERS = {
  NAME: '',
  ID: 'u.id COLLATE "C",',
  ABOUT: 'u.about COLLATE "C" NULLS LAST,',
  OPEN_ID: 'u.open_id COLLATE "C" NULLS LAST,',
  CREATED: 'u.created_at,',
  SYSADMIN: 'u.sysadmin,',
  DATASETS: 'coalesce(k.n, 0) DESC,',
  EDITS: 'coalesce(k.n, 0) DESC,',
} as const;
const COUNTS: { [Order in UserOrder]?: string } = {
  DATASETS: `LEFT JOIN (SELECT d.creator_id AS id, count(*)::int AS n FROM dataset d WHERE ${counted('$3')} GROUP BY 1) k ON k.id = u.id`,
  EDITS: `LEFT JOIN (${edits('r.author_id IS NOT NULL')}) k ON k.id = u.id`,
};
export type UserOrder = keyof typeof ORDERS;

const listStatement = (order: UserOrder): Statement => ({
  name: `users_by_${order.toLowerCase()}`,
  text: `SELECT ${COLUMNS} FROM user_account u ${COUNTS[order] ?? ''} WHERE ${CHOSEN} ORDER BY ${ORDERS[order]} ${BY_NAME}`,
});

const statements = {
  find: { name: 'user_find', text: `SELECT ${COLUMNS} FROM user_account u ${ID_OR_NAME}` },
  lock: { name: 'user_lock', text: `SELECT ${COLUMNS} FROM user_account u ${ID_OR_NAME} FOR UPDATE` },
  byIds: { name: 'users_by_ids', text: `SELECT ${COLUMNS} FROM user_account u WHERE u.id = ANY ($1)` },
  page: {
    name: 'users_page',
    text: `SELECT ${COLUMNS} FROM user_account u WHERE ${CHOSEN}
      AND ($3::text IS NULL OR (${DISPLAY} COLLATE "C", u.name COLLATE "C") > ($3, $4)) ORDER BY ${BY_NAME} LIMIT $5::int`,
  },
  count: { name: 'users_count', text: `SELECT count(*)::int AS n FROM user_account u WHERE ${CHOSEN}` },
  edits: { name: 'user_edits', text: edits('r.author_id = ANY ($1)') },
  datasets: {
    name: 'user_datasets',
    text: `SELECT d.creator_id AS id, count(*)::int AS n FROM dataset d WHERE d.creator_id = ANY ($1) AND ${counted('$2')} GROUP BY 1`,
  },
} satisfies Record<string, Statement>;

/** By id or name, an id wins; null when there is none. */
export const findUser = async (sql: Sql, idOrName: string): Promise<UserRecord | null> =>
  (await sql.rows<UserRecord>(statements.find, [idOrName]))[0] ?? null;

/** The same, and nobody else may change it before the transaction ends. */
export const lockUser = async (sql: Sql, idOrName: string): Promise<UserRecord | null> =>
  (await sql.rows<UserRecord>(statements.lock, [idOrName]))[0] ?? null;

/** In any order. */
export const usersByIds = (sql: Sql, ids: readonly string[]): Promise<UserRecord[]> =>
  sql.rows(statements.byIds, [ids]);

/** Up to `limit` users after the one with this display name and name; null begins at the beginning. */
export const pageOfUsers = (
  sql: Sql,
  { pattern, byEmail }: UserChoice,
  after: readonly string[] | null,
  limit: number,
): Promise<UserRecord[]> =>
  sql.rows(statements.page, [pattern, byEmail, after?.[0] ?? null, after?.[1] ?? null, limit]);

export const countUsers = async (sql: Sql, { pattern, byEmail }: UserChoice): Promise<number> =>
  (await sql.rows<{ n: number }>(statements.count, [pattern, byEmail]))[0]!.n;

/** All users of the choice, in the order asked for. */
export const listUsers = (
  sql: Sql,
  { pattern, byEmail }: UserChoice,
  order: UserOrder,
  everything: Everything,
): Promise<UserRecord[]> =>
  sql.rows(listStatement(order), order === 'DATASETS' ? [pattern, byEmail, everything] : [pattern, byEmail]);

/** Edits per user id; ids without any are left out. */
export const editsOfUsers = async (sql: Sql, ids: readonly string[]): Promise<Map<string, number>> =>
  toMap(await sql.rows(statements.edits, [ids]));

/** Counted datasets per creator; ids without any are left out. */
export const datasetsOfUsers = async (
  sql: Sql,
  ids: readonly string[],
  everything: Everything,
): Promise<Map<string, number>> => toMap(await sql.rows(statements.datasets, [ids, everything]));

const toMap = (rows: readonly { id: string; n: number }[]): Map<string, number> =>
  new Map(rows.map(({ id, n }) => [id, n]));
