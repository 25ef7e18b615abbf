/** Keeps one-time keys to choose a password with, in SQL. */
import type { Sql, Statement } from '../../kernel/db.ts';

/** Somebody who can be written to. */
export interface RecipientRecord {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly email: string;
  readonly state: string;
}

export interface PasswordKeyRecord {
  readonly userId: string;
  readonly expiresAt: Date;
}

const VALID = `k.key_hash = $1 AND k.expires_at > $2 AND EXISTS (SELECT FROM user_account u WHERE u.id = k.user_id AND u.state <> 'deleted')`;
const KEY = 'k.user_id AS "userId", k.expires_at AS "expiresAt"';

const statements = {
  recipients: {
    name: 'recovery_recipients',
    text: `SELECT id, name, coalesce(nullif(btrim(full_name), ''), name) AS "displayName", email, state FROM user_account
      WHERE state IN ('active', 'pending') AND email IS NOT NULL AND (id = $1 OR name = $1 OR lower(email) = lower($1))
      ORDER BY (id = $1 OR name = $1) DESC, created_at, id COLLATE "C" LIMIT $2::int`,
  },
  insert: {
    name: 'password_key_insert',
    text: 'INSERT INTO password_key (id, user_id, key_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)',
  },
  find: { name: 'password_key_find', text: `SELECT ${KEY} FROM password_key k WHERE ${VALID}` },
  use: { name: 'password_key_use', text: `DELETE FROM password_key k WHERE ${VALID} RETURNING ${KEY}` },
  sweep: { name: 'password_key_sweep', text: 'DELETE FROM password_key WHERE expires_at <= $1' },
} satisfies Record<string, Statement>;

/** Active and pending users by id, name or e-mail address in any case; those with that name first, then the oldest accounts. */
export const findRecipients = (sql: Sql, login: string, limit: number): Promise<RecipientRecord[]> =>
  sql.rows(statements.recipients, [login, limit]);

export const insertPasswordKey = (
  sql: Sql,
  key: { id: string; userId: string; keyHash: string; at: Date; expiresAt: Date },
): Promise<unknown> => sql.rows(statements.insert, [key.id, key.userId, key.keyHash, key.at, key.expiresAt]);

/** A key that is valid at `now`; null when there is none. */
export const findPasswordKey = async (sql: Sql, keyHash: string, now: Date): Promise<PasswordKeyRecord | null> =>
  (await sql.rows<PasswordKeyRecord>(statements.find, [keyHash, now]))[0] ?? null;

/** The same, and takes it away: of several callers at once one gets it. */
export const usePasswordKey = async (sql: Sql, keyHash: string, now: Date): Promise<PasswordKeyRecord | null> =>
  (await sql.rows<PasswordKeyRecord>(statements.use, [keyHash, now]))[0] ?? null;

/** Removes what is no longer valid at `now`. */
export const sweepPasswordKeys = (sql: Sql, now: Date): Promise<unknown> => sql.rows(statements.sweep, [now]);
