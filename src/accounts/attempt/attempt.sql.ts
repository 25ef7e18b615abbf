/** Counts attempts. In SQL because Prisma has no upsert of several rows, and no CASE, by which old counters restart. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { AttemptRecord } from './attempt.store.ts';

const COUNT: Statement = {
  name: 'attempt_count',
  text: `INSERT INTO attempt AS a (key, tries, since) SELECT k, 1, $2 FROM unnest($1::text[]) AS k ORDER BY k
    ON CONFLICT (key) DO UPDATE SET tries = CASE WHEN a.since <= $3 THEN 1 ELSE a.tries + 1 END,
      since = CASE WHEN a.since <= $3 THEN $2 ELSE a.since END
    RETURNING key, tries, since`,
};

/** Adds one attempt under each key, and returns the counters. Counters older than `oldest` restart. */
export const countAttempts = (sql: Sql, keys: readonly string[], now: Date, oldest: Date): Promise<AttemptRecord[]> =>
  sql.rows(COUNT, [keys, now, oldest]);
