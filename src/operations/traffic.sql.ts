/** Sums requests by period. In SQL because Prisma cannot group by a part of a time, or fill gaps. Unnamed: operators run it rarely. */
import type { Sql, Statement } from '../infra/postgres/db.ts';

/** Numbers of periods that are returned. */
const PERIODS = { MINUTE: { unit: 'minute', count: 60 }, HOUR: { unit: 'hour', count: 24 } } as const;
export type TrafficInterval = keyof typeof PERIODS;

const traffic: Statement = {
  text: `SELECT p.start, coalesce(sum(m.requests), 0)::float8 AS requests, coalesce(sum(m.refused), 0)::float8 AS refused,
      coalesce(sum(m.failed), 0)::float8 AS failed, sum(m.milliseconds) / nullif(sum(m.requests), 0)::float8 AS "averageMs"
    FROM generate_series(date_trunc($1, $3::timestamptz, 'UTC') - make_interval(mins => $2), date_trunc($1, $3::timestamptz, 'UTC'), make_interval(mins => $4)) p(start)
      LEFT JOIN server_minute m ON m.minute >= p.start AND m.minute < p.start + make_interval(mins => $4)
    GROUP BY p.start ORDER BY p.start`,
};

export interface TrafficRecord {
  readonly start: Date;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly averageMs: number | null;
}

/** The last periods, the current one last. */
export function trafficOf(sql: Sql, interval: TrafficInterval, now: Date): Promise<TrafficRecord[]> {
  const { unit, count } = PERIODS[interval];
  const minutes = interval === 'HOUR' ? 60 : 1;
  return sql.rows(traffic, [unit, (count - 1) * minutes, now, minutes]);
}
