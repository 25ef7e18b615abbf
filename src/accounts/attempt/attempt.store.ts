/** Counts attempts, in SQL; several processes count together. */
import type { Sql, Statement } from '../../kernel/db.ts';

export interface AttemptRecord {
  readonly key: string;
  /** This one included. */
  readonly tries: number;
  readonly since: Date;
}

const statements = {
  count: {
    name: 'attempt_count',
    text: `INSERT INTO attempt AS a (key, tries, since) SELECT k, 1, $2 FROM unnest($1::text[]) AS k ORDER BY k
      ON CONFLICT (key) DO UPDATE SET tries = CASE WHEN a.since <= $3 THEN 1 ELSE a.tries + 1 END,
        since = CASE WHEN a.since <= $3 THEN $2 ELSE a.since END
      RETURNING key, tries, since`,
  },
  forget: { name: 'attempt_forget', text: 'DELETE FROM attempt WHERE key = ANY ($1)' },
  takeBack: {
    name: 'attempt_take_back',
    text: 'UPDATE attempt SET tries = tries - 1 WHERE key = ANY ($1) AND tries > 0',
  },
  sweep: {
    name: 'attempt_sweep',
    text: 'DELETE FROM attempt WHERE key IN (SELECT key FROM attempt WHERE since <= $1 LIMIT 1000)',
  },
} satisfies Record<string, Statement>;

/** Counts one more under each key; what began before `oldest` begins anew. */
export const countAttempts = (sql: Sql, keys: readonly string[], now: Date, oldest: Date): Promise<AttemptRecord[]> =>
  sql.rows(statements.count, [keys, now, oldest]);

export const forgetAttempts = (sql: Sql, keys: readonly string[]): Promise<unknown> =>
  sql.rows(statements.forget, [keys]);

/** One less under each key. */
export const takeBackAttempts = (sql: Sql, keys: readonly string[]): Promise<unknown> =>
  sql.rows(statements.takeBack, [keys]);

/** Removes up to a thousand counters that began before `oldest`. */
export const sweepAttempts = (sql: Sql, oldest: Date): Promise<unknown> => sql.rows(statements.sweep, [oldest]);
