/** Positions up to which users have seen the change log. In SQL because Prisma has no greatest(), and needs a second statement for users without a mark. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';

export interface SeenRecord {
  readonly userId: string;
  /** When it was marked; without a mark, when the account was created. */
  readonly seenAt: Date;
  /** The newest position in the log at that time. */
  readonly seen: number;
}

/** The position where the account of `u` was created: without a mark, older changes count as seen. */
export const SINCE_ACCOUNT = `(SELECT max(c.sequence) FROM change c WHERE c.object_type = 'user' AND c.object_id = u.id AND c.action = 'created')`;

const statements = {
  find: {
    name: 'dashboard_find',
    text: `SELECT u.id AS "userId", coalesce(d.seen_at, u.created_at) AS "seenAt", coalesce(d.seen_sequence, ${SINCE_ACCOUNT}, 0)::float8 AS seen
      FROM user_account u LEFT JOIN dashboard d ON d.user_id = u.id WHERE u.id = $1`,
  },
  // A mark never moves back.
  mark: {
    name: 'dashboard_mark',
    text: `INSERT INTO dashboard AS d (user_id, seen_at, seen_sequence)
      SELECT $1, $2, coalesce($3::bigint, (SELECT max(sequence) FROM change), 0)
      ON CONFLICT (user_id) DO UPDATE SET seen_at = excluded.seen_at, seen_sequence = greatest(d.seen_sequence, excluded.seen_sequence)
      RETURNING user_id AS "userId", seen_at AS "seenAt", seen_sequence::float8 AS seen`,
  },
} satisfies Record<string, Statement>;

/** What the user has seen; null if there is no such user. */
export const findSeen = async (sql: Sql, userId: string): Promise<SeenRecord | null> =>
  (await sql.rows<SeenRecord>(statements.find, [userId]))[0] ?? null;

/** Marks everything up to a position in the log (null: up to the newest) as seen. */
export const markSeen = async (sql: Sql, userId: string, now: Date, until: number | null): Promise<SeenRecord> =>
  (await sql.rows<SeenRecord>(statements.mark, [userId, now, until]))[0]!;
