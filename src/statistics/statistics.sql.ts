/**
 * Reads counts. In SQL because Prisma cannot rank sums of several scopes: `statistics_groups` merges the largest keys
 * of the base with the caller's hidden ones, `statistics_timeline` ranks series.
 */
import type { Sql, Statement } from '../infra/postgres/db.ts';
import type { Scopes } from './scopes.policy.ts';

const SUMS = ['objects', 'resources', 'bytes', 'tables'];

/** Whether a row has one of the actions; $7 is null for all. Not a condition for the index: each action would be a look-up. */
const hasAction = (of = ''): string => `($7::text[] IS NULL OR ${of}action = ANY ($7))`;

const statements = {
  // A key that no hidden object has is among the largest of all only if it is among the largest of the base.
  groups: {
    name: 'statistics_groups',
    text: `WITH extra AS MATERIALIZED (SELECT e.key, b.key AS base_key, ${SUMS.map((it) => `e.${it} + coalesce(b.${it}, 0) AS ${it}`).join(', ')}
        FROM (SELECT key, ${SUMS.map((it) => `sum(${it}) AS ${it}`).join(', ')} FROM statistics_count
          WHERE scope = ANY ($2) AND dimension = $3 GROUP BY key) e
        LEFT JOIN LATERAL (SELECT * FROM statistics_count c WHERE c.scope = $1 AND c.dimension = $3 AND c.key = e.key LIMIT 1) b ON true),
      largest AS (SELECT key, ${SUMS.join(', ')} FROM statistics_count WHERE scope = $1 AND dimension = $3 ORDER BY objects DESC, key LIMIT $4),
      merged AS (SELECT * FROM (SELECT key, ${SUMS.join(', ')} FROM extra UNION ALL SELECT * FROM largest WHERE key NOT IN (SELECT key FROM extra)) u
        ORDER BY objects DESC, key LIMIT $4)
      SELECT m.key, g.name, g.title, ${SUMS.map((it) => `m.${it}::float8 AS ${it}`).join(', ')},
        (SELECT coalesce(sum(objects), 0) FROM statistics_dimension WHERE (scope = $1 OR scope = ANY ($2)) AND dimension = $3)::float8 AS sum,
        ((SELECT coalesce(sum(keys), 0) FROM statistics_dimension WHERE scope = $1 AND dimension = $3)
          + (SELECT count(*) FROM extra WHERE base_key IS NULL))::float8 AS keys
      FROM merged m LEFT JOIN group_account g ON $3 IN ('organization', 'group') AND g.id = m.key ORDER BY m.objects DESC, m.key`,
  },
  // Whole months count once for the ranking. Only the listed keys are read by their periods, one row of lists per key.
  timeline: {
    name: 'statistics_timeline',
    text: `WITH ranked AS MATERIALIZED (SELECT key, sum(count) AS total, count(*) OVER () AS keys FROM (
          SELECT key, count FROM statistics_period WHERE scope = ANY ($1) AND dimension = $2 AND period = 'month'
            AND start >= $9::date AND start < $10::date AND ${hasAction()}
          UNION ALL SELECT key, count FROM statistics_period WHERE scope = ANY ($1) AND dimension = $2 AND period = 'day'
            AND start >= $4::date AND start < $9::date AND ${hasAction()}
          UNION ALL SELECT key, count FROM statistics_period WHERE scope = ANY ($1) AND dimension = $2 AND period = 'day'
            AND start >= $10::date AND start < $5::date AND ${hasAction()}) c
        GROUP BY key HAVING sum(count) <> 0 ORDER BY 2 DESC, 1 LIMIT $8)
      SELECT r.key, r.keys::float8 AS keys, json_agg(s.day) AS days, json_agg(s.count) AS counts
      FROM ranked r CROSS JOIN LATERAL (
        SELECT date_trunc($6, p.start::timestamp)::date - date '1970-01-01' AS day, sum(p.count) AS count FROM statistics_period p
        WHERE p.key = r.key AND p.scope = ANY ($1) AND p.dimension = $2 AND p.period = $3
          AND p.start >= $4::date AND p.start < $5::date AND ${hasAction('p.')} GROUP BY 1) s
      GROUP BY r.total, r.key, r.keys ORDER BY r.total DESC, r.key`,
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
  { base, hidden }: Scopes,
  dimension: string,
  limit: number,
): Promise<(CountRow & { keys: number; sum: number })[]> =>
  sql.rows(statements.groups, [base, hidden, dimension, limit]);

/** Parameters of a timeline. */
export interface PeriodQuery {
  readonly scopes: readonly string[];
  readonly dimension: 'all' | 'user' | 'organization';
  /** The stored periods. */
  readonly period: 'day' | 'month';
  /** The first day, and the day after the last, as `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  /** The whole months between them; both `to` for none. */
  readonly months: readonly [string, string];
  /** The requested periods. */
  readonly interval: string;
  /** Null for all. */
  readonly actions: readonly string[] | null;
  readonly limit: number;
}

/** Changes of one key. */
export interface SeriesRow {
  readonly key: string;
  /** Number of all keys. */
  readonly keys: number;
  /** First days of the periods with changes, in days since 1970, unordered. */
  readonly days: readonly number[];
  /** Number of changes in each of them. */
  readonly counts: readonly number[];
}

/** Changes of the largest keys. The key with the largest sum is first. */
export const seriesOf = (sql: Sql, query: PeriodQuery): Promise<SeriesRow[]> => {
  const { scopes, dimension, period, from, to, months, interval, actions, limit } = query;
  return sql.rows(statements.timeline, [scopes, dimension, period, from, to, interval, actions, limit, ...months]);
};
