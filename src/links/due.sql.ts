/** Takes due links, one of each host, and stores results. In SQL because Prisma has no SKIP LOCKED and no clock of the database. */
import type { RowOf, Sql, Statement } from '../infra/postgres/db.ts';

/** A link that this process checks. */
export type TakenLink = RowOf<'ResourceLink', 'resourceId' | 'url' | 'verdict' | 'httpStatus' | 'size' | 'since'> &
  RowOf<'ResourceLink', Checked> &
  RowOf<'LinkHost', 'host'> &
  RowOf<'Resource', 'format'> & {
    /** Whether its dataset is active; links of others are not checked. */
    readonly isShown: boolean;
  };

type Checked = 'reason' | 'finalUrl' | 'mediaType' | 'etag' | 'lastModified' | 'changedAt' | 'failures';

/** Seconds for which a taken link belongs to its process; another one checks it after that. */
const CLAIM = 600;
const MAX_EVENTS = 20;

const statements = {
  new: {
    text: 'SELECT resource_id AS "resourceId", url FROM resource_link WHERE next_at IS NULL ORDER BY resource_id LIMIT $1',
  },
  plan: {
    text: `WITH planned AS (UPDATE resource_link l SET host = g.host, next_at = now() + make_interval(secs => $2 * (1 + random()))
        FROM jsonb_to_recordset($1::jsonb) AS g("resourceId" text, url text, host text)
        WHERE l.resource_id = g."resourceId" AND l.url = g.url AND l.next_at IS NULL RETURNING l.host, l.next_at)
      INSERT INTO link_host AS h (host, due_at) SELECT host, min(next_at) FROM planned GROUP BY host ORDER BY host
      ON CONFLICT (host) DO UPDATE SET due_at = least(h.due_at, EXCLUDED.due_at)`,
  },
  take: {
    text: `WITH hosts AS MATERIALIZED (SELECT host FROM link_host WHERE due_at <= now() AND free_at <= now()
          AND (held_until IS NULL OR held_until < now()) AND host <> ALL ($2) ORDER BY due_at LIMIT $1),
        chosen AS MATERIALIZED (SELECT l.resource_id FROM hosts h CROSS JOIN LATERAL (SELECT resource_id FROM resource_link
          WHERE host = h.host AND next_at <= now() ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED) l),
        taken AS (UPDATE resource_link l SET next_at = now() + make_interval(secs => ${CLAIM}) FROM chosen c
          WHERE l.resource_id = c.resource_id RETURNING l.*)
      SELECT t.resource_id AS "resourceId", h.host, t.url, t.verdict, t.http_status AS "httpStatus", t.reason,
        t.final_url AS "finalUrl", t.size::text AS size, t.media_type AS "mediaType", t.etag, t.last_modified AS "lastModified", t.changed_at AS "changedAt",
        t.since, t.failures, r.format, d.state = 'active' AS "isShown"
      FROM hosts h LEFT JOIN taken t ON t.host = h.host LEFT JOIN resource r ON r.id = t.resource_id LEFT JOIN dataset d ON d.id = r.dataset_id`,
  },
  due: {
    text: `UPDATE link_host h SET due_at = (SELECT min(next_at) FROM resource_link WHERE host = h.host) WHERE h.host = ANY ($1)`,
  },
  next: {
    text: `SELECT (extract(epoch FROM min(greatest(due_at, free_at, held_until)) - now()) * 1000)::float8 AS ms FROM link_host
      WHERE due_at <= now() + interval '5 seconds' AND host <> ALL ($1)`,
  },
  postpone: {
    text: `UPDATE resource_link SET next_at = now() + make_interval(secs => $3) WHERE resource_id = $1 AND url = $2`,
  },
  settle: {
    text: `UPDATE resource_link l SET verdict = g.verdict, http_status = g.status, reason = g.reason, final_url = g."finalUrl",
        redirects = g.redirects, size = g.size, media_type = g."mediaType", etag = g.etag, last_modified = g."lastModified",
        changed_at = g."changedAt", checked_at = g.at, since = CASE WHEN l.verdict IS DISTINCT FROM g.verdict THEN g.at ELSE l.since END,
        last_ok_at = CASE WHEN g."isOk" THEN g.at ELSE l.last_ok_at END,
        first_failure_at = CASE WHEN g.failures > 0 THEN coalesce(l.first_failure_at, g.at) END,
        failures = g.failures, next_at = now() + make_interval(secs => g.pause),
        is_indexed = l.is_indexed AND l.verdict IS NOT DISTINCT FROM g.verdict
      FROM jsonb_to_record($3::jsonb) AS g(verdict text, status int, reason text, "finalUrl" text, redirects int, size bigint,
        "mediaType" text, etag text, "lastModified" text, "changedAt" timestamptz, at timestamptz, "isOk" boolean, failures int, pause float8)
      WHERE l.resource_id = $1 AND l.url = $2 RETURNING l.resource_id`,
  },
  note: {
    text: `WITH old AS (DELETE FROM resource_link_event WHERE resource_id = $1 AND number <= (
        SELECT number FROM resource_link_event WHERE resource_id = $1 ORDER BY number DESC OFFSET ${MAX_EVENTS - 1} LIMIT 1))
      INSERT INTO resource_link_event (resource_id, url, verdict, http_status, reason, final_url, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
  },
  forget: {
    text: `DELETE FROM link_host h WHERE due_at IS NULL AND free_at < now() - interval '1 day' AND (held_until IS NULL OR held_until < now())
      AND NOT EXISTS (SELECT FROM resource_link WHERE host = h.host)`,
  },
} satisfies Record<string, Statement>;

/** Links without a time of their first check. */
export const newLinks = (sql: Sql, limit: number): Promise<Pick<TakenLink, 'resourceId' | 'url'>[]> =>
  sql.rows(statements.new, [limit]);

/** Plans first checks, from `delay` to twice as many seconds from now. */
export const planLinks = async (
  sql: Sql,
  links: readonly Pick<TakenLink, 'resourceId' | 'url' | 'host'>[],
  delay: number,
): Promise<void> => void (await sql.rows(statements.plan, [JSON.stringify(links), delay]));

/** Takes a due link of each of up to `limit` free hosts, except `busy` ones. `idle`: hosts that had none after all. */
export async function takeLinks(
  sql: Sql,
  limit: number,
  busy: readonly string[],
): Promise<{ taken: TakenLink[]; idle: string[] }> {
  const rows = await sql.rows<TakenLink>(statements.take, [limit, busy]);
  const isTaken = ({ resourceId }: TakenLink) => (resourceId as string | null) !== null;
  return { taken: rows.filter(isTaken), idle: rows.filter((row) => !isTaken(row)).map(({ host }) => host) };
}

/** Sets the times at which these hosts have a due link. */
export const refreshHosts = async (sql: Sql, hosts: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.due, [hosts]));

/** ms until a link of other hosts can be checked; null if none is due within five seconds. */
export const nextTurn = async (sql: Sql, busy: readonly string[]): Promise<number | null> =>
  (await sql.rows<{ ms: number | null }>(statements.next, [busy]))[0]!.ms;

/** Checks a taken link later, without a result. */
export const postponeLink = async (sql: Sql, { resourceId, url }: TakenLink, seconds: number): Promise<void> =>
  void (await sql.rows(statements.postpone, [resourceId, url, seconds]));

/** The result of a check. */
export type Result = RowOf<'ResourceLink', 'redirects' | Checked> & {
  readonly verdict: string;
  readonly status: number | null;
  readonly size: number | null;
  readonly at: Date;
  readonly isOk: boolean;
  /** Seconds until the next check. */
  readonly pause: number;
};

/** Stores a result. False if the link has another address by now. */
export const settleLink = async (sql: Sql, { resourceId, url }: TakenLink, result: Result): Promise<boolean> =>
  (await sql.rows(statements.settle, [resourceId, url, JSON.stringify(result)])).length > 0;

/** Adds a result to the history, whose oldest entries end. */
export const noteResult = async (sql: Sql, { resourceId, url }: TakenLink, result: Result): Promise<void> => {
  const { verdict, status, reason, finalUrl, at } = result;
  await sql.rows(statements.note, [resourceId, url, verdict, status, reason, finalUrl, at]);
};

/** Removes hosts without links. */
export const forgetHosts = async (sql: Sql): Promise<void> => void (await sql.rows(statements.forget));
