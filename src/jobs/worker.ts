/** Worker of the job queue: runs several jobs at a time; every process of the catalog may have one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../infra/log/log.ts';
import { startLoop, startNotifiedLoop } from '../infra/worker/loop.ts';
import type { Call } from '../kernel/call.ts';
import { createContact } from './contact.ts';
import { failureLog } from './failures.ts';
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
  /** Jobs at a time. If there are several, one of them takes only urgent jobs. */
  readonly workers: number;
  /** Jobs at a time that download from the same host. */
  readonly maxPerHost: number;
  /** Address of the catalog database, for the connection that hears of new jobs. */
  readonly databaseUrl: string;
  /** A new call with the current time, as a sysadmin without a user. */
  readonly callNow: () => Call;
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

/** Starts the worker. `stop` ends it. @throws Error when the database cannot be reached */
export async function startWorker({
  kinds,
  workers,
  maxPerHost,
  databaseUrl,
  callNow,
  keepDays,
  log,
  times = TIMES,
}: WorkerOptions): Promise<Worker> {
  const running = new Map<Running, Promise<void>>();
  let stopping = false;
  const names = Object.keys(kinds);
  /** A job that is not urgent can take hours, so one worker never takes these, where there are several. */
  const takeable = () => ({
    kinds: names,
    urgentOnly: workers > 1 && [...running.keys()].filter(({ job }) => !job.urgent).length >= workers - 1,
  });
  const failed = (failure: unknown) => log.error({ err: failure }, 'job worker failed');
  const failures = failureLog(log);
  const tryOf = ({ job, done, total }: Running) => ({ id: job.id, attempts: job.attempts, done, total });

  const own = () => [...running.keys()].map(({ job }) => job.id);

  const contact = createContact(times);

  /**
   * Starts a job of a dead process, one at a time: if it kills this process too, other jobs are not suspected. A young
   * process takes none, so a job is only blamed for the end of a process that ran well before.
   */
  const takeOver = async (): Promise<JobRecord | null> =>
    !contact.isSteady() || [...running.keys()].some(({ job }) => job.deaths > 0)
      ? null
      : takeOverJob(callNow().sql, takeable(), own(), times.lease);

  /** Fails jobs that may have killed their processes. */
  async function setAside(): Promise<void> {
    while (contact.isSteady()) {
      const job = await setJobAside(callNow().sql, names, own(), MAX_DEATHS, SET_ASIDE);
      if (job === null) return;
      log.error({ job: job.id, kind: job.kind, subject: job.subjectId }, 'job disabled: its process ended twice');
      await kinds[job.kind]!.failed?.(callNow(), job, SET_ASIDE).catch(failed);
    }
  }

  /** Takes what is due, as far as there are hands for it. */
  async function fill(wake: () => Promise<void>): Promise<void> {
    if (!stopping) await setAside();
    while (!stopping && running.size < workers) {
      const job = (await takeOver()) ?? (await takeJob(callNow().sql, takeable(), maxPerHost, times.lease));
      contact.answered();
      if (job === null) return;
      const it: Running = {
        job,
        kind: kinds[job.kind]!,
        aborting: new AbortController(),
        heardAt: performance.now(),
        done: null,
        total: null,
      };
      const ended = work(it)
        .catch(failed)
        .finally(() => {
          running.delete(it);
          void wake();
        });
      running.set(it, ended);
    }
  }

  async function work(it: Running): Promise<void> {
    const { job, kind, aborting } = it;
    if (job.cancelRequested) return over(it, 'cancelled', null);
    if (job.attempts > job.maxAttempts) return over(it, 'failed', DIED);
    const control = {
      signal: aborting.signal,
      progress: (done: number, total: number | null = null) => void Object.assign(it, { done, total }),
    };
    try {
      await kind.run(callNow(), job, control);
    } catch (thrown) {
      return unfinished(it, thrown);
    }
    await report(() => endJob(callNow().sql, tryOf(it), 'done', null));
    if (job.host !== null) await hostAnswered(callNow().db, job.host);
  }

  /** Reports the result of an attempt, with retries while the database is down: an unreported attempt counts as a dead process. */
  async function report<T>(step: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await step();
      } catch (failure) {
        if (stopping) throw failure;
        failed(failure);
        await sleep(times.poll * 1000, undefined, { ref: false });
      }
  }

  async function unfinished(it: Running, thrown: unknown): Promise<void> {
    const { job, aborting } = it;
    const why = aborting.signal.aborted ? (aborting.signal.reason as End) : null;
    if (why === 'cancelled') return over(it, 'cancelled', null);
    const putBack = (error: string | null, pause: number, uncounted?: boolean) =>
      report(() => putJobBack(callNow().sql, tryOf(it), error, pause, uncounted));
    if (why !== null) return void (await putBack(null, 0, true)); // has no effect if another process has the job by now
    const again = isWorthRetrying(thrown) && job.attempts < job.maxAttempts;
    failures.add(job, thrown, again);
    const error = failureText(thrown);
    if (again) await putBack(error, pauseAfter(job.attempts));
    else await over(it, 'failed', error);
    if (job.host === null) return;
    if (thrown instanceof HostUnavailable) await pauseHost(callNow().sql, job, error, HOST_PAUSES);
    else if (!isWorthRetrying(thrown)) await hostAnswered(callNow().db, job.host);
  }

  async function over(it: Running, state: 'failed' | 'cancelled', error: string | null): Promise<void> {
    if (await report(() => endJob(callNow().sql, tryOf(it), state, error)))
      await it.kind.failed?.(callNow(), it.job, error ?? 'Cancelled');
  }

  /** Says that this process lives, and hears which jobs are to stop. Without an answer for the time of a lease, they are lost. */
  async function beat(): Promise<void> {
    await Promise.all(
      [...running.keys()].map(async (it) => {
        const abort = (why: End) => it.aborting.signal.aborted || it.aborting.abort(why);
        try {
          const heard = await beatJob(callNow().sql, tryOf(it), times.lease);
          if (heard === null) abort('lost');
          else if (heard.cancelRequested) abort('cancelled');
          it.heardAt = performance.now();
          contact.answered();
        } catch (failure) {
          if (performance.now() - it.heardAt > times.lease * 1000) abort('lost');
          throw failure;
        }
      }),
    );
  }

  const every = (seconds: number, look: () => Promise<unknown>) =>
    startLoop({ look, interval: seconds * 1000, onFailure: failed });
  const beats = every(times.beat, beat);
  const sweeps = every(SWEEP_INTERVAL, () => sweepJobs(callNow().db, keepDays));
  const fills = await startNotifiedLoop({
    look: fill,
    url: databaseUrl,
    channels: [CHANNEL],
    interval: times.poll * 1000,
    onNotice: async (notice) => notice === STOP && beats.wake(),
    onFailure: failed,
  }).catch(async (failure: unknown) => {
    await Promise.all([beats.stop(), sweeps.stop()]);
    throw failure;
  });
  return {
    async stop() {
      stopping = true;
      await Promise.race([fills.stop(), sleep(TIMEOUT, undefined, { ref: false })]);
      for (const it of running.keys()) it.aborting.abort('stopped' satisfies End);
      await Promise.race([Promise.all(running.values()), sleep(TIMEOUT, undefined, { ref: false })]);
      // Jobs that did not end in time die with this process, which is not their fault.
      for (const it of running.keys()) await putJobBack(callNow().sql, tryOf(it), null, 0, true).catch(failed);
      await Promise.all([beats.stop(), sweeps.stop()]);
      failures.stop();
    },
  };
}
