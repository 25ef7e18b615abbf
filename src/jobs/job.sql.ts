/**
 * Queues, starts and ends jobs. In SQL because Prisma has no SKIP LOCKED, no ON CONFLICT on a partial index and no clock except the
 * process's: leases and pauses are on the database's clock, and each change of state is one statement.
 */
import { columnsOf } from '../infra/postgres/columns.ts';
import type { Sql, Statement } from '../infra/postgres/db.ts';
import { notify } from '../infra/postgres/notify.sql.ts';
import { JOB_SELECT, type JobRecord } from './job.store.ts';

/** Channel of notifications about jobs. */
export const CHANNEL = 'job';
/** Payload of the notification that a running job must stop. */
export const STOP = 'stop';

export const JOB_COLUMNS: string = columnsOf(JOB_SELECT, 'j');

/** Queues recurring work again when it ends, with any result. */
const AGAIN = `INSERT INTO job (id, kind, subject_type, subject_id, dataset_id, payload, key, urgent, requester_id, host, every_seconds,
    max_attempts, run_at)
  SELECT gen_random_uuid(), kind, subject_type, subject_id, dataset_id, payload, key, urgent, requester_id, host, every_seconds,
    max_attempts, greatest(now(), coalesce(started_at, now()) + make_interval(secs => every_seconds))
  FROM ended WHERE every_seconds IS NOT NULL
  ON CONFLICT (key) WHERE state = 'queued' DO NOTHING`;

/**
 * Starts the first job of a choice, which `before` may prepare; `also` is set too. The parameter $1 is the lease in seconds, the others are
 * those of the choice.
 */
const starting = (name: string, first: string, { also = '', before = '' }): Statement => ({
  name: `job_${name}`,
  text: `${before} UPDATE job j SET state = 'running', attempts = j.attempts + 1, lease_until = now() + make_interval(secs => $1),
      started_at = now(), finished_at = NULL, error = NULL, progress_done = NULL, progress_total = NULL ${also}
    WHERE j.id = (SELECT q.id FROM job q ${first} LIMIT 1 FOR UPDATE OF q SKIP LOCKED) RETURNING ${JOB_COLUMNS}`,
});

/** Ends a job. */
const ending = (name: string, set: string, which: string): Statement => ({
  name: `job_${name}`,
  text: `WITH ended AS (UPDATE job j SET ${set}, lease_until = NULL, cancel_requested = false, finished_at = now() WHERE ${which} RETURNING j.*),
    again AS (${AGAIN}) SELECT ${JOB_COLUMNS} FROM ended j`,
});

const RUNNING = "j.state = 'running' AND j.attempts";
/** Jobs with an expired lease, of the kinds in one parameter, except those in another. */
const lapsed = (kinds: string, own: string): string =>
  `q.state = 'running' AND q.lease_until < now() AND q.kind = ANY (${kinds}) AND q.id <> ALL (${own})`;

/** Kind, requester and urgency of queued jobs: due jobs of a lane wait for each other, and lanes take turns. */
const LANE = `SELECT q.urgent, q.kind, q.requester_id FROM job q WHERE q.state = 'queued'`;

/** Hosts with as many running jobs as are allowed ($4). */
const BUSY = `SELECT r.host FROM job r WHERE r.state = 'running' AND r.host IS NOT NULL GROUP BY r.host HAVING count(*) >= $4`;

/** Jobs of all lanes that are looked at: other workers may lock some of them at the same moment. */
const CANDIDATES = 40;

/** The first due jobs of each lane, with the time when the lane was served last. $2: kinds, $3: whether only urgent jobs, $4: as above. */
const FIRST = `WITH RECURSIVE lane AS (
    (${LANE} ORDER BY q.urgent, q.kind, q.requester_id LIMIT 1)
    UNION ALL
    SELECT after.* FROM lane CROSS JOIN LATERAL (${LANE}
      AND (q.urgent, q.kind, q.requester_id) > (lane.urgent, lane.kind, lane.requester_id)
      ORDER BY q.urgent, q.kind, q.requester_id LIMIT 1) AS after),
  first AS MATERIALIZED (
    SELECT due.*, (SELECT max(s.started_at) FROM job s WHERE s.started_at IS NOT NULL AND s.urgent = lane.urgent
        AND s.kind = lane.kind AND s.requester_id = lane.requester_id) AS served
    FROM lane CROSS JOIN LATERAL (SELECT q.id, q.urgent, q.run_at FROM job q WHERE q.state = 'queued' AND q.run_at <= now()
        AND q.urgent = lane.urgent AND q.kind = lane.kind AND q.requester_id = lane.requester_id
        AND (q.host IS NULL OR q.host <> ALL (ARRAY(${BUSY})))
        AND NOT EXISTS (SELECT FROM job r WHERE r.key = q.key AND r.state = 'running')
      ORDER BY q.run_at LIMIT (SELECT greatest(1, ${CANDIDATES} / count(*)) FROM lane)) AS due
    WHERE lane.kind = ANY ($2) AND (lane.urgent OR NOT $3))`;

const statements = {
  enqueue: {
    name: 'job_enqueue',
    text: `INSERT INTO job AS j (id, kind, subject_type, subject_id, dataset_id, payload, key, urgent, requester_id, host, every_seconds,
        max_attempts, run_at, traceparent)
      SELECT n.id, n.kind, n."subjectType", n."subjectId", n."datasetId", n.payload, n.key, n.urgent, n."requesterId", n.host,
        n."everySeconds", n."maxAttempts", now() + make_interval(secs => n.delay), n.traceparent
      FROM jsonb_to_recordset($1) AS n(id text, kind text, "subjectType" text, "subjectId" text, "datasetId" text, payload jsonb,
        key text, urgent boolean, "requesterId" text, host text, "everySeconds" int, "maxAttempts" int, delay float8, traceparent text)
      ORDER BY n.key
      ON CONFLICT (key) WHERE state = 'queued' DO UPDATE SET payload = EXCLUDED.payload, dataset_id = EXCLUDED.dataset_id,
        urgent = EXCLUDED.urgent, requester_id = EXCLUDED.requester_id, host = EXCLUDED.host,
        every_seconds = EXCLUDED.every_seconds, max_attempts = EXCLUDED.max_attempts, attempts = 0, deaths = 0, run_at = least(j.run_at, EXCLUDED.run_at),
        traceparent = EXCLUDED.traceparent
      RETURNING ${JOB_COLUMNS}`,
  },
  take: starting(
    'take',
    `JOIN first ON first.id = q.id WHERE q.state = 'queued' ORDER BY first.urgent DESC, first.served NULLS FIRST, first.run_at`,
    { before: FIRST },
  ),
  takeOver: starting('take_over', `WHERE ${lapsed('$2', '$4')} AND (q.urgent OR NOT $3) ORDER BY q.lease_until`, {
    also: ', deaths = j.deaths + 1',
  }),
  setAside: ending(
    'set_aside',
    `state = 'failed', error = $4, deaths = j.deaths + 1`,
    `j.id = (SELECT q.id FROM job q WHERE ${lapsed('$1', '$2')} AND q.deaths >= $3 - 1 LIMIT 1 FOR UPDATE SKIP LOCKED)`,
  ),
  end: ending(
    'end',
    'state = $3, error = $4, progress_done = $5, progress_total = $6',
    `j.id = $1 AND ${RUNNING} = $2`,
  ),
  cancelQueued: ending('cancel_queued', `state = 'cancelled'`, `j.id = $1 AND j.state = 'queued'`),
  beat: {
    name: 'job_beat',
    text: `UPDATE job j SET lease_until = now() + make_interval(secs => $1), progress_done = $4, progress_total = $5
      WHERE j.id = $2 AND ${RUNNING} = $3 RETURNING j.cancel_requested AS "cancelRequested"`,
  },
  /** Returns a job to the queue, unless a newer one with its key waits there and replaces it. */
  putBack: {
    name: 'job_put_back',
    text: `UPDATE job j SET lease_until = NULL, error = $3, attempts = CASE WHEN $5 THEN j.attempts - 1 ELSE j.attempts END,
        deaths = CASE WHEN $5 THEN j.deaths ELSE 0 END,
        state = CASE WHEN newer THEN 'cancelled' ELSE 'queued' END, run_at = now() + make_interval(secs => $4),
        finished_at = CASE WHEN newer THEN now() END
      FROM (SELECT EXISTS (SELECT FROM job q JOIN job own ON own.key = q.key WHERE own.id = $1 AND q.state = 'queued') AS newer) AS it
      WHERE j.id = $1 AND ${RUNNING} = $2 RETURNING j.id`,
  },
  /** A failure of a job that started before the pause is not counted again. Without a name, because it is rare. */
  pauseHost: {
    text: `WITH paused AS (INSERT INTO job_host AS h (host, failures, paused_until)
        VALUES ($1, 1, now() + make_interval(secs => ($4::float8[])[1]))
        ON CONFLICT (host) DO UPDATE SET failures = h.failures + 1,
          paused_until = now() + make_interval(secs => ($4::float8[])[least(h.failures + 1, cardinality($4::float8[]))])
          WHERE h.paused_until <= (SELECT started_at FROM job WHERE id = $2)
        RETURNING h.paused_until),
      pause AS (SELECT paused_until FROM paused UNION ALL
        SELECT paused_until FROM job_host WHERE host = $1 AND NOT EXISTS (SELECT FROM paused))
      UPDATE job j SET run_at = pause.paused_until, error = coalesce(j.error, $3) FROM pause
      WHERE j.id IN (SELECT q.id FROM job q WHERE q.host = $1 AND q.state = 'queued' AND q.run_at < (SELECT paused_until FROM pause)
        FOR UPDATE SKIP LOCKED)`,
  },
  latest: {
    name: 'job_latest',
    text: `SELECT ${JOB_COLUMNS} FROM unnest($1::text[]) AS s(id) CROSS JOIN LATERAL
      (SELECT * FROM job WHERE subject_id = s.id AND kind = $2 ORDER BY created_at DESC, id DESC LIMIT 1) AS j`,
  },
} satisfies Record<string, Statement>;

/** A requested job. */
export type NewJob = Readonly<Pick<JobRecord, Requested>> & {
  /** Seconds from now. */
  readonly delay: number;
};

type Requested =
  | ('id' | 'kind' | 'subjectType' | 'subjectId' | 'datasetId' | 'payload' | 'key' | 'urgent' | 'requesterId')
  | ('traceparent' | 'host' | 'everySeconds' | 'maxAttempts');

const one = async (sql: Sql, statement: Statement, values: unknown[]): Promise<JobRecord | null> =>
  (await sql.rows<JobRecord>(statement, values))[0] ?? null;

/** Queues jobs. A queued job with the same key is updated instead. No two of `jobs` may have the same key. */
export const enqueueJobs = (sql: Sql, jobs: readonly NewJob[]): Promise<JobRecord[]> =>
  sql.rows(statements.enqueue, [JSON.stringify(jobs)]);

/** Notifies all workers at the commit. */
export const notifyWorkers = (sql: Sql, what = ''): Promise<void> => notify(sql, CHANNEL, what);

/** Which jobs a worker can start. */
export interface Takeable {
  readonly kinds: readonly string[];
  readonly urgentOnly: boolean;
}

/**
 * Starts a due job; null when there is none. Urgent jobs come first, then lanes take turns. Only one job of a key runs at a time, and
 * `maxPerHost` of a host: a few more when processes take jobs at the same moment.
 */
export const takeJob = (
  sql: Sql,
  { kinds, urgentOnly }: Takeable,
  maxPerHost: number,
  lease: number,
): Promise<JobRecord | null> => one(sql, statements.take, [lease, kinds, urgentOnly, maxPerHost]);

/** Starts a job with an expired lease, except the caller's `own` jobs; null without one. */
export const takeOverJob = (
  sql: Sql,
  { kinds, urgentOnly }: Takeable,
  own: readonly string[],
  lease: number,
): Promise<JobRecord | null> => one(sql, statements.takeOver, [lease, kinds, urgentOnly, own]);

/** Fails a job whose lease has expired `deaths` times in a row, and returns it; null without one. */
export const setJobAside = (
  sql: Sql,
  kinds: readonly string[],
  own: readonly string[],
  deaths: number,
  error: string,
): Promise<JobRecord | null> => one(sql, statements.setAside, [kinds, own, deaths, error]);

/** One attempt at a job, and its progress. */
export type Try = Readonly<Pick<JobRecord, 'id' | 'attempts'>> & {
  readonly done: number | null;
  readonly total: number | null;
};

/** Extends the lease. Returns whether to stop; null if another attempt has the job. */
export const beatJob = async (sql: Sql, it: Try, lease: number): Promise<Stopping | null> =>
  (await sql.rows<Stopping>(statements.beat, [lease, it.id, it.attempts, it.done, it.total]))[0] ?? null;

type Stopping = Pick<JobRecord, 'cancelRequested'>;

/** Ends a job. False if another attempt has it. */
export const endJob = async (
  sql: Sql,
  it: Try,
  state: 'done' | 'failed' | 'cancelled',
  error: string | null,
): Promise<boolean> =>
  (await sql.rows(statements.end, [it.id, it.attempts, state, error, it.done, it.total])).length > 0;

/** Queues a job for another attempt in `pause` seconds; `uncounted` does not count this attempt. */
export const putJobBack = (
  sql: Sql,
  it: Try,
  error: string | null,
  pause: number,
  uncounted = false,
): Promise<unknown> => sql.rows(statements.putBack, [it.id, it.attempts, error, pause, uncounted]);

/** Delays all queued jobs of the host that did not answer this one; `pauses` (s) by failures in a row. */
export const pauseHost = (
  sql: Sql,
  { id, host }: Pick<JobRecord, 'id' | 'host'>,
  error: string,
  pauses: readonly number[],
): Promise<unknown> => sql.rows(statements.pauseHost, [host, id, error, pauses]);

/** Cancels a queued job; null when it is not queued. */
export const cancelQueued = (sql: Sql, id: string): Promise<JobRecord | null> =>
  one(sql, statements.cancelQueued, [id]);

/** The latest job of a kind for each of these subjects, by LATERAL: Prisma would read all of their jobs. */
export const latestJobs = (sql: Sql, subjectIds: readonly string[], kind: string): Promise<JobRecord[]> =>
  sql.rows(statements.latest, [subjectIds, kind]);
