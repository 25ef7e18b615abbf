/** Reads and writes what signing in needs, in SQL. */
import type { Sql, Statement } from '../../kernel/db.ts';

export interface SessionRecord {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly usedAt: Date;
  readonly expiresAt: Date;
}

/** A user who might be signing in. */
export interface CandidateRecord {
  readonly id: string;
  readonly name: string;
  readonly passwordHash: string | null;
  /** Whether this user has signed in from the address before. */
  readonly known: boolean;
}

const COLUMNS = 'id, user_id AS "userId", created_at AS "createdAt", used_at AS "usedAt", expires_at AS "expiresAt"';
const CANDIDATE = `SELECT u.id, u.name, u.password_hash AS "passwordHash",
  EXISTS (SELECT FROM sign_in_place p WHERE p.user_id = u.id AND p.address_hash = $2) AS known FROM user_account u WHERE u.state = 'active'`;

const statements = {
  byLogin: {
    name: 'sign_in_by_login',
    text: `${CANDIDATE} AND (u.name = $1 OR lower(u.email) = lower($1)) ORDER BY (u.name = $1) DESC, u.created_at, u.id COLLATE "C" LIMIT 1`,
  },
  byId: { name: 'sign_in_by_id', text: `${CANDIDATE} AND u.id = $1` },
  insert: {
    name: 'session_insert',
    text: `INSERT INTO user_session (id, user_id, secret_hash, created_at, used_at, expires_at) VALUES ($1, $2, $3, $4, $4, $5) RETURNING ${COLUMNS}`,
  },
  remember: {
    name: 'sign_in_place_remember',
    text: `INSERT INTO sign_in_place (user_id, address_hash, used_at) VALUES ($1, $2, $3)
      ON CONFLICT (user_id, address_hash) DO UPDATE SET used_at = $3`,
  },
  end: { name: 'session_end', text: 'DELETE FROM user_session WHERE id = $1' },
  endAll: { name: 'session_end_all', text: 'DELETE FROM user_session WHERE user_id = $1' },
  sweep: {
    name: 'session_sweep',
    text: 'DELETE FROM user_session WHERE id IN (SELECT id FROM user_session WHERE expires_at <= $1 LIMIT 1000)',
  },
  sweepPlaces: {
    name: 'sign_in_place_sweep',
    text: 'DELETE FROM sign_in_place WHERE user_id = $1 AND used_at < $2',
  },
} satisfies Record<string, Statement>;

/**
 * The active user of that name, else the one who has had an account with that e-mail address (in any case) for longest; null when there
 * is none. Addresses are not verified: an account that somebody makes with another's address must not keep the other out.
 */
export const findCandidate = async (sql: Sql, login: string, addressHash: string): Promise<CandidateRecord | null> =>
  (await sql.rows<CandidateRecord>(statements.byLogin, [login, addressHash]))[0] ?? null;

/** An active user by id; null when there is none. */
export const findCandidateById = async (sql: Sql, id: string, addressHash: string): Promise<CandidateRecord | null> =>
  (await sql.rows<CandidateRecord>(statements.byId, [id, addressHash]))[0] ?? null;

export const insertSession = async (
  sql: Sql,
  session: { id: string; userId: string; secretHash: string; at: Date; expiresAt: Date },
): Promise<SessionRecord> =>
  (
    await sql.rows<SessionRecord>(statements.insert, [
      session.id,
      session.userId,
      session.secretHash,
      session.at,
      session.expiresAt,
    ])
  )[0]!;

/** Remembers that a user signed in from an address, and forgets addresses last used before `oldest`. */
export async function rememberPlace(
  sql: Sql,
  userId: string,
  addressHash: string,
  at: Date,
  oldest: Date,
): Promise<void> {
  await sql.rows(statements.remember, [userId, addressHash, at]);
  await sql.rows(statements.sweepPlaces, [userId, oldest]);
}

export const endSession = (sql: Sql, id: string): Promise<unknown> => sql.rows(statements.end, [id]);

export const endSessionsOf = (sql: Sql, userId: string): Promise<unknown> => sql.rows(statements.endAll, [userId]);

/** Removes up to a thousand sessions that are over at `now`. */
export const sweepSessions = (sql: Sql, now: Date): Promise<unknown> => sql.rows(statements.sweep, [now]);
