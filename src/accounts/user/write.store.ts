/** Writes users, in SQL. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { Taken } from './user.rules.ts';
import { COLUMNS, type UserRecord } from './user.store.ts';

/** A row to insert; keys and passwords come sealed and hashed. */
export interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly fullName: string | null;
  readonly email: string | null;
  readonly about: string | null;
  readonly openId: string | null;
  readonly passwordHash: string | null;
  readonly apiKeySealed: string | null;
  readonly apiKeyHash: string | null;
  readonly sysadmin: boolean;
  readonly state: string;
  readonly emailNotifications: boolean;
  readonly createdAt: Date;
  readonly imageUrl: string;
}

/** What an update writes. The password stays when its hash is null. */
export type UserUpdate = Pick<
  UserRow,
  | 'name'
  | 'fullName'
  | 'email'
  | 'about'
  | 'openId'
  | 'passwordHash'
  | 'sysadmin'
  | 'state'
  | 'emailNotifications'
  | 'imageUrl'
>;

const INSERT = `INSERT INTO user_account AS u (id, name, full_name, email, about, open_id, password_hash, api_key_sealed, api_key_hash, sysadmin,
  state, email_notifications, created_at, image_url) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

const statements = {
  taken: {
    name: 'user_taken',
    text: `SELECT EXISTS (SELECT FROM user_account WHERE name = $1 AND id IS DISTINCT FROM $4) AS name,
      EXISTS (SELECT FROM user_account WHERE id = $2) AS id, EXISTS (SELECT FROM user_account WHERE api_key_hash = $3) AS "apiKey"`,
  },
  insert: { name: 'user_insert', text: `${INSERT} RETURNING ${COLUMNS}` },
  insertMissing: { name: 'user_insert_missing', text: `${INSERT} ON CONFLICT (name) DO NOTHING RETURNING ${COLUMNS}` },
  missingNames: {
    name: 'user_missing_names',
    text: 'SELECT n.name FROM unnest($1::text[]) AS n(name) WHERE NOT EXISTS (SELECT FROM user_account u WHERE u.name = n.name)',
  },
  update: {
    name: 'user_update',
    text: `UPDATE user_account u SET name = $2, full_name = $3, email = $4, about = $5, open_id = $6,
      password_hash = coalesce($7, password_hash), sysadmin = $8, state = $9, email_notifications = $10, image_url = $11, version = version + 1
      WHERE id = $1 RETURNING ${COLUMNS}`,
  },
  setKey: {
    name: 'user_set_key',
    text: `UPDATE user_account u SET api_key_sealed = $2, api_key_hash = $3, version = version + 1 WHERE id = $1 RETURNING ${COLUMNS}`,
  },
  hasPassword: {
    name: 'user_has_password',
    text: 'SELECT password_hash IS NOT NULL AS has FROM user_account WHERE id = $1',
  },
  setPassword: {
    name: 'user_set_password',
    text: `UPDATE user_account u SET password_hash = $2, state = 'active', version = version + 1,
      api_key_sealed = coalesce($3, api_key_sealed), api_key_hash = coalesce($4, api_key_hash) WHERE id = $1 RETURNING ${COLUMNS}`,
  },
  endMemberships: {
    name: 'user_end_memberships',
    text: 'DELETE FROM membership WHERE user_id = $1 RETURNING group_id AS "groupId"',
  },
  endSessions: {
    name: 'user_end_sessions',
    text: 'DELETE FROM user_session WHERE user_id = $1 AND id IS DISTINCT FROM $2',
  },
  dropTokens: { name: 'user_drop_tokens', text: 'DELETE FROM api_token WHERE user_id = $1' },
  dropPasswordKeys: { name: 'user_drop_password_keys', text: 'DELETE FROM password_key WHERE user_id = $1' },
} satisfies Record<string, Statement>;

/** What of these somebody else has; `self` is the id of the user they are for. Null is had by nobody. */
export async function findTaken(
  sql: Sql,
  wanted: { name?: string | null; id?: string | null; keyHash?: string | null },
  self: string | null = null,
): Promise<Taken> {
  const [row] = await sql.rows<Taken>(statements.taken, [
    wanted.name ?? null,
    wanted.id ?? null,
    wanted.keyHash ?? null,
    self,
  ]);
  return row!;
}

export const insertUser = async (sql: Sql, row: UserRow): Promise<UserRecord> =>
  (await sql.rows<UserRecord>(statements.insert, values(row)))[0]!;

/** The user that was inserted; null when the name was taken meanwhile. */
export const insertMissingUser = async (sql: Sql, row: UserRow): Promise<UserRecord | null> =>
  (await sql.rows<UserRecord>(statements.insertMissing, values(row)))[0] ?? null;

/** Those of the names that no user has. */
export const missingNames = async (sql: Sql, names: readonly string[]): Promise<string[]> =>
  (await sql.rows<{ name: string }>(statements.missingNames, [names])).map(({ name }) => name);

/** Writes a locked user. */
export async function updateUser(sql: Sql, id: string, user: UserUpdate): Promise<UserRecord> {
  const [row] = await sql.rows<UserRecord>(statements.update, [
    id,
    user.name,
    user.fullName,
    user.email,
    user.about,
    user.openId,
    user.passwordHash,
    user.sysadmin,
    user.state,
    user.emailNotifications,
    user.imageUrl,
  ]);
  return row!;
}

/** Replaces the API key of a locked user. */
export const setApiKey = async (sql: Sql, id: string, sealed: string, hash: string): Promise<UserRecord> =>
  (await sql.rows<UserRecord>(statements.setKey, [id, sealed, hash]))[0]!;

export const hasPassword = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.rows<{ has: boolean }>(statements.hasPassword, [id]))[0]?.has === true;

/** An API key as it is kept. */
export interface SealedKey {
  readonly sealed: string;
  readonly hash: string;
}

/** Replaces the password of a locked user who is not deleted, and the API key where one is given. Who was pending is active. */
export const setPassword = async (
  sql: Sql,
  id: string,
  passwordHash: string,
  key: SealedKey | null,
): Promise<UserRecord> =>
  (await sql.rows<UserRecord>(statements.setPassword, [id, passwordHash, key?.sealed ?? null, key?.hash ?? null]))[0]!;

/** Takes a user out of every group and organization. Answers their ids. */
export const endMemberships = async (sql: Sql, userId: string): Promise<string[]> =>
  (await sql.rows<{ groupId: string }>(statements.endMemberships, [userId])).map(({ groupId }) => groupId);

/** Ends a user's sessions but for the one to keep, and makes the keys worthless that were mailed to choose a password with. */
export async function endSignIns(sql: Sql, userId: string, keptSession: string | null): Promise<void> {
  await sql.rows(statements.endSessions, [userId, keptSession]);
  await dropPasswordKeys(sql, userId);
}

/** Makes the keys worthless that were mailed to a user to choose a password with. */
export const dropPasswordKeys = (sql: Sql, userId: string): Promise<unknown> =>
  sql.rows(statements.dropPasswordKeys, [userId]);

/** Ends a user's tokens. */
export const dropTokens = (sql: Sql, userId: string): Promise<unknown> => sql.rows(statements.dropTokens, [userId]);

const values = (row: UserRow): unknown[] => [
  row.id,
  row.name,
  row.fullName,
  row.email,
  row.about,
  row.openId,
  row.passwordHash,
  row.apiKeySealed,
  row.apiKeyHash,
  row.sysadmin,
  row.state,
  row.emailNotifications,
  row.createdAt,
  row.imageUrl,
];
