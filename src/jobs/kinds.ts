/** What a feature says of a kind of job that it has. The table of all kinds is handlers.ts. */
import type { Call } from '../kernel/call.ts';
import type { JobRecord } from './job.store.ts';

/** How a handler tells of its work, and is told to stop. */
export interface Control {
  /**
   * Aborted when the job is cancelled, the server stops, or another process has taken the job over. What is thrown afterwards is not
   * looked at.
   */
  readonly signal: AbortSignal;
  /** How much is done, and of how much where that is known; shown within some ten seconds. */
  progress(done: number, total?: number | null): void;
}

export interface JobKind {
  /**
   * Does the work, as a sysadmin without a user. May be begun again from the beginning at any time: a process can end at any line. What
   * it throws is a failure; refusals other than UNAVAILABLE and CONFLICT are not tried again.
   */
  run(call: Call, job: JobRecord, control: Control): Promise<void>;
  /** Told when the job has ended without success: cancelled, or failed for good. */
  failed?(call: Call, job: JobRecord, error: string): Promise<void>;
  /** Takes long, so that others must not wait behind it: one worker of a process that has several is kept free of these. */
  readonly isLong?: boolean;
}

export type JobKinds = Readonly<Record<string, JobKind>>;
