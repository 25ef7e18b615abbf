/** Counts links, and sets due times of links and hosts. In SQL because Prisma has no clock of the database and no CTE. */
import type { RowOf, Sql, Statement } from '../infra/postgres/db.ts';

export interface DueCounts {
  readonly due: number;
  readonly unplanned: number;
  /** Hosts that accept no request for more than a minute. */
  readonly paused: number;
}

const statements = {
  verdicts: {
    text: 'SELECT verdict, count(*)::int AS count FROM resource_link GROUP BY 1 ORDER BY 1 NULLS LAST',
  },
  due: {
    text: `SELECT count(*) FILTER (WHERE next_at <= now())::int AS due, count(*) FILTER (WHERE next_at IS NULL)::int AS unplanned,
      (SELECT count(*)::int FROM link_host WHERE free_at > now() + interval '1 minute') AS paused FROM resource_link`,
  },
  // Links without a host are planned first.
  make: {
    text: `WITH made AS (UPDATE resource_link l SET next_at = now() FROM resource r WHERE r.id = l.resource_id AND l.host IS NOT NULL
        AND ($1::text IS NULL OR r.dataset_id = $1) RETURNING l.host),
      hosts AS (INSERT INTO link_host AS h (host, due_at) SELECT DISTINCT host, now() FROM made ORDER BY host
        ON CONFLICT (host) DO UPDATE SET due_at = least(h.due_at, EXCLUDED.due_at))
      SELECT count(*)::int AS n FROM made`,
  },
} satisfies Record<string, Statement>;

export const countByVerdict = (sql: Sql): Promise<(RowOf<'ResourceLink', 'verdict'> & { count: number })[]> =>
  sql.rows(statements.verdicts);

export const countDue = async (sql: Sql): Promise<DueCounts> => (await sql.rows<DueCounts>(statements.due))[0]!;

/** Makes the links of a dataset due now, or all. Returns their number. */
export const makeDue = async (sql: Sql, datasetId: string | null): Promise<number> =>
  (await sql.rows<{ n: number }>(statements.make, [datasetId]))[0]!.n;
