/** Logs failures of jobs: expected ones as a line each at `debug`, and one summary line a minute per kind. */

import type { Logger } from '../infra/log/log.ts';
import { CatalogError } from '../kernel/errors.ts';
import { failureText } from './job.rules.ts';
import type { JobRecord } from './job.store.ts';

/** Maximum characters of a failure in the log: the job stores all of it. */
const MAX_TEXT = 300;
const MINUTE = 60_000;

interface Sum {
  /** Failed attempts, and jobs that are not retried. */
  tries: number;
  jobs: number;
  last: string;
}

export interface FailureLog {
  /** `again`: the job is retried. A failure that is not a CatalogError is a defect, and logged in full. */
  add(job: JobRecord, thrown: unknown, again: boolean): void;
  /** Writes pending summaries. */
  stop(): void;
}

export function failureLog(log: Logger): FailureLog {
  const sums = new Map<string, Sum>();
  function write(): void {
    for (const [kind, sum] of sums) log.info({ kind, ...sum }, 'job attempts refused');
    sums.clear();
  }
  const timer = setInterval(write, MINUTE).unref();
  return {
    add(job, thrown, again) {
      const about = { job: job.id, kind: job.kind, again };
      if (!(thrown instanceof CatalogError)) {
        log[again ? 'warn' : 'error']({ err: thrown, ...about }, 'job attempt failed');
        return;
      }
      const reason = failureText(thrown).slice(0, MAX_TEXT);
      log.debug({ ...about, reason }, 'job attempt failed');
      const sum = sums.get(job.kind) ?? { tries: 0, jobs: 0, last: '' };
      sums.set(job.kind, { tries: sum.tries + 1, jobs: sum.jobs + (again ? 0 : 1), last: reason });
    },
    stop() {
      clearInterval(timer);
      write();
    },
  };
}
