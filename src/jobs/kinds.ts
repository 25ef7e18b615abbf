/** Declaration of a feature's kind of job. handlers.ts lists all kinds. */
import type { Call } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';
import type { JobRecord } from './job.store.ts';

/** A handler throws this when the `host` of its job does not answer. Queued jobs of the host then wait too. */
export class HostUnavailable extends CatalogError {
  constructor(message: string) {
    super('UNAVAILABLE', message);
  }
}

/** Reports the progress of a handler, and stops it. */
export interface Control {
  /** Aborted when the job is cancelled, the server stops, or another process has taken over the job. Later errors are ignored. */
  readonly signal: AbortSignal;
  /** Completed and total amount, if known; shown within about ten seconds. */
  progress(done: number, total?: number | null): void;
}

export interface JobKind {
  /**
   * Does the work, as a sysadmin without a user. May restart from the beginning at any time, because a process can die
   * at any line. Every error is a failure; a CatalogError other than UNAVAILABLE and CONFLICT is not retried.
   */
  run(call: Call, job: JobRecord, control: Control): Promise<void>;
  /** Called when the job has ended without success: cancelled, or permanently failed. */
  failed?(call: Call, job: JobRecord, error: string): Promise<void>;
}

export type JobKinds = Readonly<Record<string, JobKind>>;
