/**
 * Reads counts. In SQL because Prisma has no CTE and no slices of arrays: `statistics_groups` merges the largest keys of the base with the
 * caller's hidden ones, `statistics_timeline` ranks series.
 */
import type { Sql, Statement } from '../infra/postgres/db.ts';
import type { Scopes } from './scopes.policy.ts';

const SUMS = ['objects', 'resources', 'bytes', 'tables'];

/** Whether a row has one of the actions; $8 is null for all. Not a condition for the index: each action would be a look-up. */
const hasAction = (of = ''): string => `($8::text[] IS NULL OR ${of}action = ANY ($8))`;

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
      FROM merged m LEFT JOIN group_account g ON ($3 IN ('organization', 'group') OR starts_with($3, 'organization ')) AND g.id = m.key ORDER BY m.objects DESC, m.key`,
  },
  // Whole months count once for the ranking. Only the listed keys are read by their days, one row of lists per key.
  timeline: {
    name: 'statistics_timeline',
    text: `WITH ranked AS MATERIALIZED (SELECT key, sum(count) AS total, count(*) OVER () AS keys FROM (
          SELECT key, CASE WHEN month >= $6::date AND month < $7::date THEN count
            ELSE (SELECT sum(d)::bigint FROM unnest(days[$4::date - month + 1 : $5::date - month]) d) END AS count
          FROM statistics_month WHERE scope = ANY ($1) AND dimension = $2 AND month >= $3::date AND month < $5::date AND ${hasAction()}
          OFFSET 0) c
        GROUP BY key HAVING sum(count) <> 0 ORDER BY 2 DESC, 1 LIMIT $9)
      SELECT r.key, r.keys::float8 AS keys, s.months, s.days FROM ranked r CROSS JOIN LATERAL (
        SELECT array_agg(m.month - date '1970-01-01') AS months, array_to_json(array_agg(CASE WHEN $10 THEN m.days ELSE ARRAY[m.count] END)) AS days FROM statistics_month m
        WHERE m.key = r.key AND m.scope = ANY ($1) AND m.dimension = $2 AND m.month >= $3::date AND m.month < $5::date
          AND ${hasAction('m.')}) s
      ORDER BY r.total DESC, r.key`,
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

/** Parameters of a timeline. Days are `YYYY-MM-DD`. */
export interface PeriodQuery {
  readonly scopes: readonly string[];
  readonly dimension: 'all' | 'user' | 'organization';
  /** The month of the first day. */
  readonly since: string;
  /** The first day, and the day after the last. */
  readonly from: string;
  readonly to: string;
  /** The whole months between them; both `to` for none. */
  readonly months: readonly [string, string];
  /** Whether numbers of days are read; else those of months. */
  readonly daily: boolean;
  /** Null for all. */
  readonly actions: readonly string[] | null;
  readonly limit: number;
}

/** Changes of one key. */
export interface SeriesRow {
  readonly key: string;
  /** Number of all keys. */
  readonly keys: number;
  /** First days of months with changes, in days since 1970, unordered and repeated. */
  readonly months: readonly number[];
  /** Number of changes on each of 31 days of each of them; one number for the month if not `daily`. */
  readonly days: readonly (readonly number[])[];
}

/** Changes of the largest keys. The key with the largest sum is first. */
export const seriesOf = (sql: Sql, query: PeriodQuery): Promise<SeriesRow[]> => {
  const { scopes, dimension, since, from, to, months, daily, actions, limit } = query;
  return sql.rows(statements.timeline, [scopes, dimension, since, from, to, ...months, actions, limit, daily]);
};
