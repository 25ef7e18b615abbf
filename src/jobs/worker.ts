/** Worker of the job queue: runs several jobs at a time; every process of the catalog may have one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../infra/log/log.ts';
import { startLoop, startNotifiedLoop } from '../infra/worker/loop.ts';
import { type Call, withSpan } from '../kernel/call.ts';
import { type Meter, noMeter } from '../kernel/meter.ts';
import { Description, descriptions } from '../kernel/trace.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { type Contact, createContact } from './contact.ts';
import { type FailureLog, failureLog } from './failures.ts';
import {
  DIED,
  failureText,
  HOST_PAUSES,
  isWorthRetrying,
  MAX_DEATHS,
  pauseAfter,
  SET_ASIDE,
  TIMES,
  type Times,
} from './job.rules.ts';
import { beatJob, CHANNEL, endJob, pauseHost, putJobBack, STOP, setJobAside, takeJob, takeOverJob } from './job.sql.ts';
import { hostAnswered, type JobRecord, sweepJobs } from './job.store.ts';
import { HostUnavailable, type JobKind, type JobKinds } from './kinds.ts';

export interface WorkerOptions {
  readonly kinds: JobKinds;
  /** Jobs at a time. With 2 or more, one of them takes only urgent jobs. */
  readonly workers: number;
  /** Jobs at a time that download from the same host. */
  readonly maxPerHost: number;
  /** Address of the catalog database, for the connection that hears of new jobs. */
  readonly databaseUrl: string;
  /** A new call with the current time, as a sysadmin without a user. */
  readonly callNow: () => Call;
  /** Counts events for metrics. */
  readonly meter?: Meter;
  /** Null without traces. */
  readonly tracer?: Tracer | null;
  /** Retention of ended jobs in days. */
  readonly keepDays: number;
  readonly log: Logger;
  /** Replaces TIMES in tests. */
  readonly times?: Times;
}

export interface Worker {
  /** Takes no more jobs, signals running ones to stop, requeues them, and waits for that. */
  stop(): Promise<void>;
}

/** Seconds between two prunes of ended jobs. */
const SWEEP_INTERVAL = 60 * 60;
/** Timeout in ms for running jobs to end when the process stops; after that another process repeats them. */
const TIMEOUT = 20_000;

/** Why a job's signal is aborted. */
type End = 'cancelled' | 'stopped' | 'lost';

interface Running {
  readonly job: JobRecord;
  readonly kind: JobKind;
  readonly aborting: AbortController;
  /** Time of the last heartbeat, by this machine's monotonic clock (ms). */
  heardAt: number;
  done: number | null;
  total: number | null;
}

/** The jobs of this process. */
interface Pool
  extends Required<
    Pick<WorkerOptions, 'kinds' | 'workers' | 'maxPerHost' | 'callNow' | 'log' | 'meter' | 'times' | 'tracer'>
  > {
  readonly names: readonly string[];
  readonly running: Map<Running, Promise<void>>;
  readonly contact: Contact;
  readonly failures: FailureLog;
  stopping: boolean;
}

/** Starts the worker. `stop` ends it. @throws Error when the database cannot be reached */
export async function startWorker({
  databaseUrl,
  keepDays,
  times = TIMES,
  meter = noMeter,
  tracer = null,
  ...options
}: WorkerOptions): Promise<Worker> {
  const { kinds, callNow, log } = options;
  const pool: Pool = {
    ...options,
    times,
    meter,
    tracer,
    names: Object.keys(kinds),
    running: new Map(),
    contact: createContact(times),
    failures: failureLog(log),
    stopping: false,
  };
  const onFailure = (failure: unknown) => failed(pool, failure);
  const every = (seconds: number, look: () => Promise<unknown>) =>
    startLoop({ look, interval: seconds * 1000, onFailure });
  const beats = every(times.beat, () => beat(pool));
  const sweeps = every(SWEEP_INTERVAL, () => sweepJobs(callNow().db, keepDays));
  const stopLoops = () => Promise.all([beats.stop(), sweeps.stop()]);
  const fills = await startNotifiedLoop({
    look: (wake) => fill(pool, wake),
    url: databaseUrl,
    channels: [CHANNEL],
    interval: times.poll * 1000,
    onNotice: async (notice) => notice === STOP && beats.wake(),
    onFailure,
  }).catch(async (failure: unknown) => {
    await stopLoops();
    throw failure;
  });
  return {
    async stop() {
      pool.stopping = true;
      await Promise.race([fills.stop(), sleep(TIMEOUT, undefined, { ref: false })]);
      await stopJobs(pool);
      await stopLoops();
      pool.failures.stop();
    },
  };
}

async function stopJobs(pool: Pool): Promise<void> {
  const { running } = pool;
  for (const it of running.keys()) it.aborting.abort('stopped' satisfies End);
  await Promise.race([Promise.all(running.values()), sleep(TIMEOUT, undefined, { ref: false })]);
  // Jobs that did not end in time die with this process, which is not their fault.
  for (const it of running.keys())
    await putJobBack(pool.callNow().sql, tryOf(it), null, 0, true).catch((failure: unknown) => failed(pool, failure));
}

/** A job that is not urgent can take hours, so one worker never takes these, where there are several. */
const takeable = (pool: Pool) => ({
  kinds: pool.names,
  urgentOnly: pool.workers > 1 && [...pool.running.keys()].filter(({ job }) => !job.urgent).length >= pool.workers - 1,
});

const failed = (pool: Pool, failure: unknown) => pool.log.error({ err: failure }, 'job worker failed');

const tryOf = ({ job, done, total }: Running) => ({ id: job.id, attempts: job.attempts, done, total });

const own = (pool: Pool) => [...pool.running.keys()].map(({ job }) => job.id);

/**
 * Starts a job of a dead process, one at a time: if it kills this process too, other jobs are not suspected. A young
 * process takes none, so a job is only blamed for the end of a process that ran well before.
 */
const takeOver = async (pool: Pool): Promise<JobRecord | null> =>
  !pool.contact.isSteady() || [...pool.running.keys()].some(({ job }) => job.deaths > 0)
    ? null
    : takeOverJob(pool.callNow().sql, takeable(pool), own(pool), pool.times.lease);

/** Fails jobs that may have killed their processes. */
async function setAside(pool: Pool): Promise<void> {
  while (pool.contact.isSteady()) {
    const job = await setJobAside(pool.callNow().sql, pool.names, own(pool), MAX_DEATHS, SET_ASIDE);
    if (job === null) return;
    pool.log.error({ job: job.id, kind: job.kind, subject: job.subjectId }, 'job disabled: its process ended twice');
    await pool.kinds[job.kind]!.failed?.(pool.callNow(), job, SET_ASIDE).catch((failure: unknown) =>
      failed(pool, failure),
    );
  }
}

/** Takes what is due, as far as there are hands for it. */
async function fill(pool: Pool, wake: () => Promise<void>): Promise<void> {
  if (!pool.stopping) await setAside(pool);
  while (!pool.stopping && pool.running.size < pool.workers) {
    const job =
      (await takeOver(pool)) ?? (await takeJob(pool.callNow().sql, takeable(pool), pool.maxPerHost, pool.times.lease));
    pool.contact.answered();
    if (job === null) return;
    const it: Running = {
      job,
      kind: pool.kinds[job.kind]!,
      aborting: new AbortController(),
      heardAt: performance.now(),
      done: null,
      total: null,
    };
    const ended = work(pool, it)
      .catch((failure: unknown) => failed(pool, failure))
      .finally(() => {
        pool.running.delete(it);
        void wake();
      });
    pool.running.set(it, ended);
  }
}

const jobBy = descriptions((kind) => new Description(`job ${kind}`, 'consumer', { 'catalog.job.kind': kind }));

async function work(pool: Pool, it: Running): Promise<void> {
  const { job, kind, aborting } = it;
  if (job.cancelRequested) return over(pool, it, 'cancelled', null);
  if (job.attempts > job.maxAttempts) return over(pool, it, 'failed', DIED);
  const began = performance.now();
  const control = {
    signal: aborting.signal,
    progress: (done: number, total: number | null = null) => void Object.assign(it, { done, total }),
  };
  const span = pool.tracer?.work(jobBy(job.kind), [job.traceparent]);
  let hasFailed = true;
  try {
    await kind.run(withSpan(pool.callNow(), span), job, control);
    hasFailed = false;
  } catch (thrown) {
    return unfinished(pool, it, thrown);
  } finally {
    span?.end(hasFailed);
    pool.meter.add('catalog_job_seconds_total', [job.kind], (performance.now() - began) / 1_000);
  }
  await report(pool, () => endJob(pool.callNow().sql, tryOf(it), 'done', null));
  pool.meter.add('catalog_jobs_finished_total', [job.kind, 'done']);
  if (job.host !== null) await hostAnswered(pool.callNow().db, job.host);
}

/** Reports the result of an attempt, with retries while the database is down: an unreported attempt counts as a dead process. */
async function report<T>(pool: Pool, step: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await step();
    } catch (failure) {
      if (pool.stopping) throw failure;
      failed(pool, failure);
      await sleep(pool.times.poll * 1000, undefined, { ref: false });
    }
}

async function unfinished(pool: Pool, it: Running, thrown: unknown): Promise<void> {
  const { job, aborting } = it;
  const why = aborting.signal.aborted ? (aborting.signal.reason as End) : null;
  if (why === 'cancelled') return over(pool, it, 'cancelled', null);
  const putBack = (error: string | null, pause: number, uncounted?: boolean) =>
    report(pool, () => putJobBack(pool.callNow().sql, tryOf(it), error, pause, uncounted));
  if (why !== null) return void (await putBack(null, 0, true)); // has no effect if another process has the job by now
  const again = isWorthRetrying(thrown) && job.attempts < job.maxAttempts;
  pool.failures.add(job, thrown, again);
  const error = failureText(thrown);
  if (again) pool.meter.add('catalog_jobs_finished_total', [job.kind, 'retried']);
  if (again) await putBack(error, pauseAfter(job.attempts));
  else await over(pool, it, 'failed', error);
  if (job.host === null) return;
  if (thrown instanceof HostUnavailable) await pauseHost(pool.callNow().sql, job, error, HOST_PAUSES);
  else if (!isWorthRetrying(thrown)) await hostAnswered(pool.callNow().db, job.host);
}

async function over(pool: Pool, it: Running, state: 'failed' | 'cancelled', error: string | null): Promise<void> {
  pool.meter.add('catalog_jobs_finished_total', [it.job.kind, state]);
  if (await report(pool, () => endJob(pool.callNow().sql, tryOf(it), state, error)))
    await it.kind.failed?.(pool.callNow(), it.job, error ?? 'Cancelled');
}

/** Says that this process lives, and hears which jobs are to stop. Without an answer for the time of a lease, they are lost. */
async function beat(pool: Pool): Promise<void> {
  await Promise.all(
    [...pool.running.keys()].map(async (it) => {
      const abort = (why: End) => it.aborting.signal.aborted || it.aborting.abort(why);
      try {
        const heard = await beatJob(pool.callNow().sql, tryOf(it), pool.times.lease);
        if (heard === null) abort('lost');
        else if (heard.cancelRequested) abort('cancelled');
        it.heardAt = performance.now();
        pool.contact.answered();
      } catch (failure) {
        if (performance.now() - it.heardAt > pool.times.lease * 1000) abort('lost');
        throw failure;
      }
    }),
  );
}
