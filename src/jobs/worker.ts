/** Takes jobs from the queue and has them done, several at a time; every process of the catalog may have one of these. */
import { setTimeout as sleep } from 'node:timers/promises';
import { serialize } from '../infra/concurrency/serialize.ts';
import type { Logger } from '../infra/log/log.ts';
import { listen } from '../infra/postgres/listen.ts';
import type { Call } from '../kernel/call.ts';
import { createContact } from './contact.ts';
import { failureLog } from './failures.ts';
import {
  DIED,
  failureText,
  isWorthRetrying,
  MAX_DEATHS,
  pauseAfter,
  SET_ASIDE,
  TIMES,
  type Times,
} from './job.rules.ts';
import { beatJob, CHANNEL, endJob, putJobBack, STOP, setJobAside, takeJob, takeOverJob } from './job.sql.ts';
import { type JobRecord, sweepJobs } from './job.store.ts';
import type { JobKind, JobKinds } from './kinds.ts';

export interface WorkerOptions {
  readonly kinds: JobKinds;
  /** Jobs at a time. */
  readonly workers: number;
  /** Address of the catalog database, for the connection that hears of new jobs. */
  readonly databaseUrl: string;
  /** A new call, with the time of now, as a sysadmin without a user. */
  readonly callNow: () => Call;
  /** Days that jobs are kept after their end. */
  readonly keepDays: number;
  readonly log: Logger;
  /** Other times than TIMES, for tests. */
  readonly times?: Times;
}

export interface Worker {
  /** Takes no more; asks what is at work to stop, puts it back into the queue, and waits for that. */
  stop(): Promise<void>;
}

/** Seconds between two sweeps of jobs that ended long ago. */
const SWEEP_INTERVAL = 60 * 60;
/** ms that work is given to come to an end when the process is to stop; after that another process does it again. */
const TIMEOUT = 20_000;

/** Why a job's signal is aborted. */
type End = 'cancelled' | 'stopped' | 'lost';

interface Running {
  readonly job: JobRecord;
  readonly kind: JobKind;
  readonly aborting: AbortController;
  /** When the last sign of life was taken, by this machine's steady clock (ms). */
  heardAt: number;
  done: number | null;
  total: number | null;
}

/** Begins to work. Ends with `stop`. @throws Error when the database cannot be reached */
export async function startWorker({
  kinds,
  workers,
  databaseUrl,
  callNow,
  keepDays,
  log,
  times = TIMES,
}: WorkerOptions): Promise<Worker> {
  const running = new Map<Running, Promise<void>>();
  let stopping = false;
  const names = Object.keys(kinds);
  const short = names.filter((name) => !kinds[name]!.isLong);
  /** One worker is kept free of long jobs, where there are several. */
  const takeable = () =>
    workers > 1 && [...running.keys()].filter(({ kind }) => kind.isLong).length >= workers - 1 ? short : names;
  const failed = (failure: unknown) => log.error({ err: failure }, 'job worker failed');
  const failures = failureLog(log);
  const tryOf = ({ job, done, total }: Running) => ({ id: job.id, attempts: job.attempts, done, total });

  const own = () => [...running.keys()].map(({ job }) => job.id);

  const contact = createContact(times);

  /**
   * Starts a job of a process that is gone, one at a time: if it ends this process too, the others are not suspected. A young process
   * takes none, so a job is blamed only for the end of a process that lived well before.
   */
  const takeOver = async (): Promise<JobRecord | null> =>
    !contact.isSteady() || [...running.keys()].some(({ job }) => job.deaths > 0)
      ? null
      : takeOverJob(callNow().sql, takeable(), own(), times.lease);

  /** Ends jobs that may be what ended their processes. */
  async function setAside(): Promise<void> {
    while (contact.isSteady()) {
      const job = await setJobAside(callNow().sql, names, own(), MAX_DEATHS, SET_ASIDE);
      if (job === null) return;
      log.error({ job: job.id, kind: job.kind, subject: job.subjectId }, 'job disabled: its process ended twice');
      await kinds[job.kind]!.failed?.(callNow(), job, SET_ASIDE).catch(failed);
    }
  }

  /** Takes what is due, as far as there are hands for it. */
  const fill = serialize(async () => {
    if (!stopping) await setAside();
    while (!stopping && running.size < workers && takeable().length > 0) {
      const job = (await takeOver()) ?? (await takeJob(callNow().sql, takeable(), times.lease));
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
          void fill().catch(failed);
        });
      running.set(it, ended);
    }
  });

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
  }

  /**
   * Says how a try ended, again and again while the database is away: what is not said counts as the end of this process.
   */
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
    if (why !== null) return void (await putBack(null, 0, true)); // in vain where another process has the job by now
    const again = isWorthRetrying(thrown) && job.attempts < job.maxAttempts;
    failures.add(job, thrown, again);
    if (!again) return over(it, 'failed', failureText(thrown));
    await putBack(failureText(thrown), pauseAfter(job.attempts));
  }

  async function over(it: Running, state: 'failed' | 'cancelled', error: string | null): Promise<void> {
    if (await report(() => endJob(callNow().sql, tryOf(it), state, error)))
      await it.kind.failed?.(callNow(), it.job, error ?? 'Cancelled');
  }

  /** Says that this process lives, and hears which jobs are to stop. Without an answer for the time of a lease, they are lost. */
  const beat = serialize(async () => {
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
  });

  const heard = async (notice?: string) => {
    if (notice === STOP) await beat();
    await fill();
  };
  const every = (seconds: number, step: () => Promise<unknown>) =>
    setInterval(() => void step().catch(failed), seconds * 1000);
  const timers = [
    every(times.beat, beat),
    every(times.poll, fill),
    every(SWEEP_INTERVAL, () => sweepJobs(callNow().db, keepDays)),
  ];
  const notices = await listen(databaseUrl, { [CHANNEL]: heard }, failed);
  return {
    async stop() {
      stopping = true;
      await notices.stop();
      for (const it of running.keys()) it.aborting.abort('stopped' satisfies End);
      await Promise.race([Promise.all(running.values()), sleep(TIMEOUT, undefined, { ref: false })]);
      // What did not end in time ends with this process, which is not the work's fault.
      for (const it of running.keys()) await putJobBack(callNow().sql, tryOf(it), null, 0, true).catch(failed);
      for (const timer of timers) clearInterval(timer);
      failures.stop();
    },
  };
}
