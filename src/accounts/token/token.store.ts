/** Keeps tokens, in SQL; of their secrets only hashes. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { Scope } from './token.rules.ts';

export interface TokenRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly scope: Scope;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
  readonly expiresAt: Date | null;
}

const COLUMNS = `id, user_id AS "userId", name, scope, created_at AS "createdAt", used_at AS "usedAt", expires_at AS "expiresAt"`;

const statements = {
  ofUsers: {
    name: 'tokens_of_users',
    text: `SELECT ${COLUMNS} FROM api_token WHERE user_id = ANY ($1) ORDER BY created_at, id COLLATE "C"`,
  },
  count: { name: 'tokens_count', text: 'SELECT count(*)::int AS n FROM api_token WHERE user_id = $1' },
  insert: {
    name: 'token_insert',
    text: `INSERT INTO api_token (id, user_id, name, token_hash, scope, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`,
  },
  find: { name: 'token_find', text: `SELECT ${COLUMNS} FROM api_token WHERE id = $1 OR token_hash = $2` },
  remove: { name: 'token_remove', text: 'DELETE FROM api_token WHERE id = $1' },
} satisfies Record<string, Statement>;

/** Tokens of these users, expired ones too; the oldest first. */
export const tokensOfUsers = (sql: Sql, userIds: readonly string[]): Promise<TokenRecord[]> =>
  sql.rows(statements.ofUsers, [userIds]);

export const countTokens = async (sql: Sql, userId: string): Promise<number> =>
  (await sql.rows<{ n: number }>(statements.count, [userId]))[0]!.n;

export const insertToken = async (
  sql: Sql,
  { id, userId, name, scope, createdAt, expiresAt }: Omit<TokenRecord, 'usedAt'>,
  tokenHash: string,
): Promise<TokenRecord> =>
  (await sql.rows<TokenRecord>(statements.insert, [id, userId, name, tokenHash, scope, createdAt, expiresAt]))[0]!;

/** By id or by the hash of its secret; null when there is none. */
export const findToken = async (
  sql: Sql,
  by: { id: string | null; hash: string | null },
): Promise<TokenRecord | null> => (await sql.rows<TokenRecord>(statements.find, [by.id, by.hash]))[0] ?? null;

export const removeToken = (sql: Sql, id: string): Promise<unknown> => sql.rows(statements.remove, [id]);
