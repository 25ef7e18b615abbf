/** Spends from buckets that several processes share. In SQL because Prisma has no clock of the database, and no upsert of several rows. */
import type { Sql, Statement } from '../infra/postgres/db.ts';

const statements = {
  spend: {
    name: 'rate_spend',
    text: `INSERT INTO rate_bucket AS b (caller, full_at)
      SELECT caller, now() + make_interval(secs => seconds) FROM unnest($1::text[], $2::float8[]) AS t (caller, seconds) ORDER BY caller
      ON CONFLICT (caller) DO UPDATE SET full_at = greatest(b.full_at, now()) + (excluded.full_at - now())
      RETURNING caller, extract(epoch FROM full_at - now())::float8 AS "fullIn"`,
  },
} satisfies Record<string, Statement>;

/** Adds seconds to each caller's bucket. Returns the seconds until it is full. */
export const spendAll = (
  sql: Sql,
  callers: readonly string[],
  seconds: readonly number[],
): Promise<{ readonly caller: string; readonly fullIn: number }[]> => sql.rows(statements.spend, [callers, seconds]);
