/**
 * Reads the state of queues for metrics. In SQL because Prisma has no clock of the database, and this is one statement
 * in place of eleven. Its result is cached.
 */
import type { Probe } from '../infra/postgres/probe.ts';

/** Rows that are counted at most: a long queue must not make its own measurement slow. */
const MAX = 10_000;
const age = (moment: string): string => `greatest(0, extract(epoch FROM now() - ${moment}))::float8`;
const upTo = (rows: string): string => `(SELECT count(*) FROM (SELECT ${rows} LIMIT ${MAX}) q)::float8`;

const STATE = `WITH last AS (SELECT max(position) AS position FROM change),
    due AS (SELECT kind, CASE WHEN urgent THEN 'urgent' ELSE 'normal' END AS lane, run_at FROM job
      WHERE state = 'queued' AND run_at <= now() LIMIT ${MAX}),
    ran AS (SELECT DISTINCT ON (s.id) r.state FROM harvest_source s LEFT JOIN LATERAL
      (SELECT state FROM harvest_run WHERE source_id = s.id ORDER BY number DESC LIMIT 1) r ON true)
    SELECT 'catalog_jobs_waiting' AS name, ARRAY[kind, lane] AS labels, count(*)::float8 AS value FROM due GROUP BY kind, lane
    UNION ALL SELECT 'catalog_jobs_waiting_seconds', ARRAY[kind, lane], ${age('min(run_at)')} FROM due GROUP BY kind, lane
    UNION ALL SELECT 'catalog_jobs_running', ARRAY[kind], count(*)::float8 FROM job WHERE state = 'running' GROUP BY kind
    UNION ALL SELECT 'catalog_change_feed_pending', '{}'::text[], ${upTo('FROM change WHERE position IS NULL')}
    UNION ALL SELECT 'catalog_change_feed_pending_seconds', '{}'::text[], coalesce((SELECT ${age('created_at')} FROM change
      WHERE position IS NULL ORDER BY sequence LIMIT 1), 0)
    UNION ALL SELECT 'catalog_webhooks', ARRAY[state], count(*)::float8 FROM webhook GROUP BY state
    UNION ALL SELECT 'catalog_webhook_lag_seconds', '{}'::text[], coalesce((SELECT ${age('c.created_at')} FROM change c
      WHERE c.position > (SELECT min(w.cursor) FROM webhook w, last WHERE w.state = 'active' AND w.cursor < last.position)
      ORDER BY c.position LIMIT 1), 0)
    UNION ALL SELECT 'catalog_webhook_dead_letters', '{}'::text[], ${upTo('FROM webhook_dead_letter')}
    UNION ALL SELECT 'catalog_harvest_sources', ARRAY[coalesce(state, 'never')], count(*)::float8 FROM ran GROUP BY coalesce(state, 'never')
    UNION ALL SELECT 'catalog_backlog', ARRAY['statistics'], ${upTo('FROM statistics_pending')}
    UNION ALL SELECT 'catalog_backlog', ARRAY['quality'], ${upTo('FROM quality_pending')}`;

export interface SiteRow {
  readonly name: string;
  readonly labels: readonly string[];
  readonly value: number;
}

/** Over a connection of its own, so that a busy pool does not hide its queues. @throws Error if it fails */
export const siteState = (probe: Probe, signal: AbortSignal): Promise<SiteRow[]> => probe.query(STATE, [], signal);
