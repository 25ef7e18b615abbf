/** Marks news as seen. In SQL because Prisma has no greatest(): a mark never moves back. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { SeenRecord } from './dashboard.store.ts';

const MARK: Statement = {
  name: 'dashboard_mark',
  text: `INSERT INTO dashboard AS d (user_id, seen_at, seen_sequence)
    SELECT $1, $2, coalesce($3::bigint, (SELECT max(sequence) FROM change), 0)
    ON CONFLICT (user_id) DO UPDATE SET seen_at = excluded.seen_at, seen_sequence = greatest(d.seen_sequence, excluded.seen_sequence)
    RETURNING user_id AS "userId", seen_at AS "seenAt", seen_sequence::float8 AS seen`,
};

/** Marks all activities up to a log position (null: up to the newest) as seen. */
export const markSeen = async (sql: Sql, userId: string, now: Date, until: number | null): Promise<SeenRecord> =>
  (await sql.rows<SeenRecord>(MARK, [userId, now, until]))[0]!;
