/**
 * Reads counts. In SQL because Prisma cannot rank sums of several scopes: `statistics_groups` merges the largest public
 * keys with the caller's hidden ones, `statistics_timeline` ranks series.
 */
import type { Sql, Statement } from '../infra/postgres/db.ts';
import { PUBLIC } from './scopes.policy.ts';

const SUMS = ['objects', 'resources', 'bytes', 'tables'];

const statements = {
  // A key that only public datasets have is among the largest of all only if it is among the largest public ones.
  groups: {
    name: 'statistics_groups',
    text: `WITH extra AS MATERIALIZED (SELECT key, ${SUMS.map((it) => `sum(${it}) AS ${it}`).join(', ')} FROM statistics_count
        WHERE scope = ANY ($1) AND dimension = $2 GROUP BY key),
      largest AS (SELECT key FROM statistics_count WHERE scope = '${PUBLIC}' AND dimension = $2 ORDER BY objects DESC, key LIMIT $3),
      merged AS (SELECT k.key, ${SUMS.map((it) => `coalesce(p.${it}, 0) + coalesce(e.${it}, 0) AS ${it}`).join(', ')}
        FROM (SELECT key FROM largest UNION SELECT key FROM extra) k LEFT JOIN extra e ON e.key = k.key
        LEFT JOIN statistics_count p ON p.scope = '${PUBLIC}' AND p.dimension = $2 AND p.key = k.key ORDER BY 2 DESC, 1 LIMIT $3)
      SELECT m.key, g.name, g.title, ${SUMS.map((it) => `m.${it}::float8 AS ${it}`).join(', ')},
        (SELECT coalesce(sum(objects), 0) FROM statistics_dimension WHERE (scope = '${PUBLIC}' OR scope = ANY ($1)) AND dimension = $2)::float8 AS sum,
        ((SELECT coalesce(sum(keys), 0) FROM statistics_dimension WHERE scope = '${PUBLIC}' AND dimension = $2) + (SELECT count(*) FROM extra e
          WHERE NOT EXISTS (SELECT FROM statistics_count p WHERE p.scope = '${PUBLIC}' AND p.dimension = $2 AND p.key = e.key)))::float8 AS keys
      FROM merged m LEFT JOIN group_account g ON $2 IN ('organization', 'group') AND g.id = m.key ORDER BY m.objects DESC, m.key`,
  },
  timeline: {
    name: 'statistics_timeline',
    text: `WITH counts AS MATERIALIZED (SELECT key, date_trunc($6, start::timestamp) AS start, sum(count) AS count FROM statistics_period
        WHERE scope = ANY ($1) AND dimension = $2 AND period = $3 AND start >= $4::date AND start < $5::date AND action = ANY ($7)
        GROUP BY 1, 2),
      ranked AS (SELECT key, sum(count) AS total, count(*) OVER () AS keys FROM counts GROUP BY key HAVING sum(count) <> 0
        ORDER BY 2 DESC, 1 LIMIT $8)
      SELECT r.key, r.keys::float8 AS keys, (extract(epoch FROM c.start) * 1000)::float8 AS start, c.count::float8 AS count
      FROM ranked r JOIN counts c ON c.key = r.key ORDER BY r.total DESC, r.key, c.start`,
  },
} satisfies Record<string, Statement>;

/** Numbers of one key. `name` and `title`: those of an organization or group. */
export interface CountRow {
  readonly key: string;
  readonly name: string | null;
  readonly title: string | null;
  readonly objects: number;
  readonly resources: number;
  readonly bytes: number;
  readonly tables: number;
}

/** The largest keys of a dimension, with the number of all keys and the sum of their objects. */
export const largestKeys = (
  sql: Sql,
  hiddenScopes: readonly string[],
  dimension: string,
  limit: number,
): Promise<(CountRow & { keys: number; sum: number })[]> =>
  sql.rows(statements.groups, [hiddenScopes, dimension, limit]);

/** What a timeline counts. */
export interface PeriodQuery {
  readonly scopes: readonly string[];
  readonly dimension: 'all' | 'user' | 'organization';
  /** The stored periods. */
  readonly period: 'day' | 'month';
  /** The first day, and the day after the last, as `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  /** The requested periods. */
  readonly interval: string;
  readonly actions: readonly string[];
  readonly limit: number;
}

/** Changes of one key in a period that starts at `start` (ms since 1970). */
export interface PeriodRow {
  readonly key: string;
  /** Number of all keys. */
  readonly keys: number;
  readonly start: number;
  readonly count: number;
}

/** Periods with changes of the keys with the most, which are listed first. */
export const periodsOf = (sql: Sql, query: PeriodQuery): Promise<PeriodRow[]> => {
  const { scopes, dimension, period, from, to, interval, actions, limit } = query;
  return sql.rows(statements.timeline, [scopes, dimension, period, from, to, interval, actions, limit]);
};
