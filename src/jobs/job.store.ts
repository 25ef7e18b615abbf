/** Jobs, in SQL. All times are the database's, so that processes need not agree on theirs. */
import type { DatasetFacts } from '../catalog/document/record.ts';
import type { Keyset } from '../kernel/connection.ts';
import type { Sql, Statement } from '../kernel/db.ts';

/** What notices about jobs go over. */
export const CHANNEL = 'job';
/** The notice that some job at work shall stop. */
export const STOP = 'stop';

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export interface JobRecord {
  readonly id: string;
  readonly kind: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly datasetId: string | null;
  readonly payload: Record<string, unknown>;
  readonly key: string | null;
  readonly everySeconds: number | null;
  readonly state: JobState;
  /** Tries begun. Also tells one try from the next: only the latest may report. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Tries in a row, up to this one, that began and never reported. */
  readonly deaths: number;
  readonly runAt: Date;
  readonly cancelRequested: boolean;
  readonly progressDone: number | null;
  readonly progressTotal: number | null;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

const COLUMNS = `j.id, j.kind, j.subject_type AS "subjectType", j.subject_id AS "subjectId", j.dataset_id AS "datasetId", j.payload, j.key,
  j.every_seconds AS "everySeconds", j.state, j.attempts, j.max_attempts AS "maxAttempts", j.deaths, j.run_at AS "runAt",
  j.cancel_requested AS "cancelRequested", j.progress_done::float8 AS "progressDone", j.progress_total::float8 AS "progressTotal",
  j.error, j.created_at AS "createdAt", j.started_at AS "startedAt", j.finished_at AS "finishedAt"`;

/** Parameters: $1 seconds of the lease, then those of the choice. */
const START = `UPDATE job j SET state = 'running', attempts = j.attempts + 1, lease_until = now() + make_interval(secs => $1),
  started_at = now(), finished_at = NULL, error = NULL, progress_done = NULL, progress_total = NULL`;

/** Work that comes again is queued anew when it ends, whichever way. */
const AGAIN = `INSERT INTO job (id, kind, subject_type, subject_id, dataset_id, payload, key, every_seconds, max_attempts, run_at)
  SELECT gen_random_uuid(), kind, subject_type, subject_id, dataset_id, payload, key, every_seconds, max_attempts,
    greatest(now(), coalesce(started_at, now()) + make_interval(secs => every_seconds))
  FROM ended WHERE every_seconds IS NOT NULL
  ON CONFLICT (key) WHERE state = 'queued' DO NOTHING`;

const statements = {
  enqueue: {
    name: 'job_enqueue',
    text: `INSERT INTO job AS j (id, kind, subject_type, subject_id, dataset_id, payload, key, every_seconds, max_attempts, run_at)
      SELECT n.id, n.kind, n."subjectType", n."subjectId", n."datasetId", n.payload, n.key, n."everySeconds", n."maxAttempts",
        now() + make_interval(secs => n.delay)
      FROM jsonb_to_recordset($1) AS n(id text, kind text, "subjectType" text, "subjectId" text, "datasetId" text, payload jsonb,
        key text, "everySeconds" int, "maxAttempts" int, delay float8)
      ORDER BY n.key
      ON CONFLICT (key) WHERE state = 'queued' DO UPDATE SET payload = EXCLUDED.payload, dataset_id = EXCLUDED.dataset_id,
        every_seconds = EXCLUDED.every_seconds, max_attempts = EXCLUDED.max_attempts, attempts = 0, deaths = 0,
        run_at = least(j.run_at, EXCLUDED.run_at)
      RETURNING ${COLUMNS}`,
  },
  notify: { name: 'job_notify', text: `SELECT pg_notify('${CHANNEL}', $1)` },
  take: {
    name: 'job_take',
    text: `${START} WHERE j.id = (SELECT q.id FROM job q WHERE q.state = 'queued' AND q.run_at <= now() AND q.kind = ANY ($2)
        AND NOT EXISTS (SELECT FROM job r WHERE r.key = q.key AND r.state = 'running')
        ORDER BY q.run_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING ${COLUMNS}`,
  },
  takeOver: {
    name: 'job_take_over',
    text: `${START}, deaths = j.deaths + 1 WHERE j.id = (SELECT q.id FROM job q WHERE q.state = 'running' AND q.lease_until < now()
        AND q.kind = ANY ($2) AND q.id <> ALL ($3) ORDER BY q.lease_until LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING ${COLUMNS}`,
  },
  setAside: {
    name: 'job_set_aside',
    text: `WITH ended AS (UPDATE job j SET state = 'failed', error = $4, deaths = j.deaths + 1, lease_until = NULL, cancel_requested = false,
        finished_at = now() WHERE j.id = (SELECT q.id FROM job q WHERE q.state = 'running' AND q.lease_until < now()
          AND q.kind = ANY ($1) AND q.id <> ALL ($2) AND q.deaths >= $3 - 1 LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING j.*),
      again AS (${AGAIN}) SELECT ${COLUMNS} FROM ended j`,
  },
  beat: {
    name: 'job_beat',
    text: `UPDATE job j SET lease_until = now() + make_interval(secs => $1), progress_done = $4, progress_total = $5
      WHERE j.id = $2 AND j.state = 'running' AND j.attempts = $3 RETURNING j.cancel_requested AS "cancelRequested"`,
  },
  end: {
    name: 'job_end',
    text: `WITH ended AS (UPDATE job j SET state = $3, error = $4, progress_done = $5, progress_total = $6, lease_until = NULL,
        cancel_requested = false, finished_at = now() WHERE j.id = $1 AND j.state = 'running' AND j.attempts = $2 RETURNING j.*),
      again AS (${AGAIN}) SELECT id FROM ended`,
  },
  /** Back into the queue, unless a newer one with its key waits there already: that one does the work. */
  putBack: {
    name: 'job_put_back',
    text: `UPDATE job j SET lease_until = NULL, error = $3, attempts = CASE WHEN $5 THEN j.attempts - 1 ELSE j.attempts END,
        deaths = CASE WHEN $5 THEN j.deaths ELSE 0 END,
        state = CASE WHEN newer THEN 'cancelled' ELSE 'queued' END, run_at = now() + make_interval(secs => $4),
        finished_at = CASE WHEN newer THEN now() END
      FROM (SELECT EXISTS (SELECT FROM job q JOIN job own ON own.key = q.key WHERE own.id = $1 AND q.state = 'queued') AS newer) AS it
      WHERE j.id = $1 AND j.state = 'running' AND j.attempts = $2 RETURNING j.id`,
  },
  cancelQueued: {
    name: 'job_cancel_queued',
    text: `WITH ended AS (UPDATE job j SET state = 'cancelled', finished_at = now() WHERE j.id = $1 AND j.state = 'queued' RETURNING j.*),
      again AS (${AGAIN}) SELECT ${COLUMNS} FROM ended j`,
  },
  askToStop: {
    name: 'job_ask_to_stop',
    text: `UPDATE job j SET cancel_requested = true WHERE j.id = $1 AND j.state = 'running' RETURNING ${COLUMNS}`,
  },
  again: {
    name: 'job_again',
    text: `UPDATE job j SET state = 'queued', attempts = 0, deaths = 0, error = NULL, run_at = now(), started_at = NULL, finished_at = NULL,
      progress_done = NULL, progress_total = NULL WHERE j.id = $1 AND j.state IN ('failed', 'cancelled') RETURNING ${COLUMNS}`,
  },
  unschedule: {
    name: 'job_unschedule',
    text: `UPDATE job SET every_seconds = NULL, state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END,
      finished_at = CASE state WHEN 'queued' THEN now() ELSE finished_at END WHERE key = $1 AND state IN ('queued', 'running')`,
  },
  byIds: { name: 'job_by_ids', text: `SELECT ${COLUMNS} FROM job j WHERE j.id = ANY ($1)` },
  latest: {
    name: 'job_latest',
    text: `SELECT ${COLUMNS} FROM unnest($1::text[]) AS s(id) CROSS JOIN LATERAL
      (SELECT * FROM job WHERE subject_id = s.id AND kind = $2 ORDER BY created_at DESC, id DESC LIMIT 1) AS j`,
  },
  list: {
    name: 'job_list',
    text: `SELECT ${COLUMNS} FROM job j WHERE ($1::text IS NULL OR j.dataset_id = $1) AND ($2::text IS NULL OR j.kind = $2)
        AND ($3::text IS NULL OR j.state = $3) AND ($4::text IS NULL OR j.subject_id = $4)
        AND ($5::bigint IS NULL OR (j.created_at, j.id) < (to_timestamp(0) + $5::bigint * interval '1 millisecond', $6))
      ORDER BY j.created_at DESC, j.id DESC LIMIT $7`,
  },
  count: {
    name: 'job_count',
    text: `SELECT count(*)::int AS count FROM job j WHERE ($1::text IS NULL OR j.dataset_id = $1)
      AND ($2::text IS NULL OR j.kind = $2) AND ($3::text IS NULL OR j.state = $3) AND ($4::text IS NULL OR j.subject_id = $4)`,
  },
  datasets: {
    name: 'job_datasets',
    text: `SELECT id, state, private, owner_organization_id AS "ownerOrganizationId", creator_id AS "creatorId" FROM dataset
      WHERE id = ANY ($1)`,
  },
  dataset: {
    name: 'job_dataset',
    text: `SELECT id, state, private, owner_organization_id AS "ownerOrganizationId", creator_id AS "creatorId" FROM dataset
      WHERE id = $1 OR name = $1 ORDER BY id = $1 DESC LIMIT 1`,
  },
  sweep: {
    name: 'job_sweep',
    text: `DELETE FROM job WHERE id IN (SELECT id FROM job WHERE finished_at < now() - make_interval(days => $1) LIMIT 1000)`,
  },
} satisfies Record<string, Statement>;

/** A job as it is asked for. */
export interface NewJob {
  readonly id: string;
  readonly kind: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly datasetId: string | null;
  readonly payload: Record<string, unknown>;
  readonly key: string | null;
  readonly everySeconds: number | null;
  readonly maxAttempts: number;
  /** Seconds from now. */
  readonly delay: number;
}

const one = async (sql: Sql, statement: Statement, values: unknown[]): Promise<JobRecord | null> =>
  (await sql.rows<JobRecord>(statement, values))[0] ?? null;

/** Puts jobs into the queue, or into the place of those of their keys that wait there. No two may have the same key. */
export const enqueueJobs = (sql: Sql, jobs: readonly NewJob[]): Promise<JobRecord[]> =>
  sql.rows(statements.enqueue, [JSON.stringify(jobs)]);

/** Told at the commit, to every process that listens. */
export const notifyWorkers = (sql: Sql, what = ''): Promise<unknown> => sql.rows(statements.notify, [what]);

/** The job whose time came first; null when there is none. One of a key is at work at a time. */
export const takeJob = (sql: Sql, kinds: readonly string[], lease: number): Promise<JobRecord | null> =>
  one(sql, statements.take, [lease, kinds]);

/** A job whose process is not heard of any more: none of `own`, which the caller has at work. */
export const takeOverJob = (
  sql: Sql,
  kinds: readonly string[],
  own: readonly string[],
  lease: number,
): Promise<JobRecord | null> => one(sql, statements.takeOver, [lease, kinds, own]);

/** Ends for good a job whose process was not heard of `deaths` times in a row, and answers it; null when there is none. */
export const setJobAside = (
  sql: Sql,
  kinds: readonly string[],
  own: readonly string[],
  deaths: number,
  error: string,
): Promise<JobRecord | null> => one(sql, statements.setAside, [kinds, own, deaths, error]);

/** One try at a job, and how far it is. */
export interface Try {
  readonly id: string;
  readonly attempts: number;
  readonly done: number | null;
  readonly total: number | null;
}

/** A sign of life: whether to stop, or null when the job is not this try's any more. */
export const beatJob = async (sql: Sql, it: Try, lease: number): Promise<{ cancelRequested: boolean } | null> =>
  (await sql.rows<{ cancelRequested: boolean }>(statements.beat, [lease, it.id, it.attempts, it.done, it.total]))[0] ??
  null;

/** Ends a try for good. False when the job is not this try's any more. */
export const endJob = async (
  sql: Sql,
  it: Try,
  state: 'done' | 'failed' | 'cancelled',
  error: string | null,
): Promise<boolean> =>
  (await sql.rows(statements.end, [it.id, it.attempts, state, error, it.done, it.total])).length > 0;

/** Puts a job back for another try in `pause` seconds; `uncounted` when this one is not to count. */
export const putJobBack = (
  sql: Sql,
  it: Try,
  error: string | null,
  pause: number,
  uncounted = false,
): Promise<unknown> => sql.rows(statements.putBack, [it.id, it.attempts, error, pause, uncounted]);

/** Cancels a job that waits, or asks the one at work to stop; null when it has ended. */
export const cancelJob = async (sql: Sql, id: string): Promise<JobRecord | null> =>
  (await one(sql, statements.cancelQueued, [id])) ?? (await one(sql, statements.askToStop, [id]));

/** Queues a job that failed or was cancelled anew; null when it is in another state. @throws a unique violation when one of its key waits */
export const repeatJob = (sql: Sql, id: string): Promise<JobRecord | null> => one(sql, statements.again, [id]);

/** Ends what comes again and again under this key; the one at work goes on to its end. */
export const unscheduleJobs = (sql: Sql, key: string): Promise<unknown> => sql.rows(statements.unschedule, [key]);

export const jobsByIds = (sql: Sql, ids: readonly string[]): Promise<JobRecord[]> => sql.rows(statements.byIds, [ids]);

/** The latest job of a kind for each of these subjects. */
export const latestJobs = (sql: Sql, subjectIds: readonly string[], kind: string): Promise<JobRecord[]> =>
  sql.rows(statements.latest, [subjectIds, kind]);

/** Which jobs; null leaves it open. */
export interface JobChoice {
  readonly datasetId: string | null;
  readonly kind: string | null;
  readonly state: string | null;
  readonly subjectId: string | null;
}

const valuesOf = (choice: JobChoice): unknown[] => [choice.datasetId, choice.kind, choice.state, choice.subjectId];

/** Sort key of a job in lists, for cursors. */
export const keyOfJob = ({ createdAt, id }: JobRecord): [number, string] => [createdAt.getTime(), id];

/** The newest first. */
export const listJobs = (sql: Sql, choice: JobChoice, after: Keyset['after'], limit: number): Promise<JobRecord[]> =>
  sql.rows(statements.list, [...valuesOf(choice), after?.[0] ?? null, after?.[1] ?? null, limit]);

export const countJobs = async (sql: Sql, choice: JobChoice): Promise<number> =>
  (await sql.rows<{ count: number }>(statements.count, valuesOf(choice)))[0]!.count;

/** What the policy needs to know of datasets that are there. */
export const listJobDatasets = (sql: Sql, ids: readonly string[]): Promise<DatasetFacts[]> =>
  sql.rows(statements.datasets, [ids]);

/** The same of one, by id or name; null when there is none. */
export const findJobDataset = async (sql: Sql, idOrName: string): Promise<DatasetFacts | null> =>
  (await sql.rows<DatasetFacts>(statements.dataset, [idOrName]))[0] ?? null;

/** Removes up to a thousand jobs that ended so many days ago. */
export const sweepJobs = (sql: Sql, days: number): Promise<unknown> => sql.rows(statements.sweep, [days]);
