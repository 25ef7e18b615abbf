/** Retries of jobs, and the texts of their failures. Pure. */
import { CatalogError } from '../kernel/errors.ts';
import { wordsOf } from '../kernel/mutation.ts';

/** Intervals of a worker, in seconds. */
export interface Times {
  /** Lease of a process; after its expiry another process takes over its jobs. */
  readonly lease: number;
  /** Between two heartbeats. */
  readonly beat: number;
  /** Between two polls without notifications: for delayed jobs, and for jobs of dead processes. */
  readonly poll: number;
  /** Steady database contact that a process needs before it takes over jobs of others. */
  readonly steady: number;
}

export const TIMES: Times = { lease: 45, beat: 10, poll: 10, steady: 45 };

/** Seconds until the next attempt, after so many: 5 s, 25 s, 2 min, 10 min, then an hour. */
export const pauseAfter = (attempts: number): number => Math.min(5 ** Math.max(attempts, 1), 3_600);

/** Pauses (s) of a host after so many failures in a row. */
export const HOST_PAUSES: readonly number[] = [1, 2, 3, 4, 5, 6].map(pauseAfter);

/** Refusals that will be the same next time. */
const FINAL: ReadonlySet<CatalogError['kind']> = new Set([
  'NOT_FOUND',
  'NOT_AUTHORIZED',
  'VALIDATION',
  'LIMIT',
  'SEARCH',
]);

/** Whether a retry may succeed: something was unavailable, in conflict, or is unknown. */
export const isWorthRetrying = (thrown: unknown): boolean =>
  !(thrown instanceof CatalogError && FINAL.has(thrown.kind));

/** The failure text for users: a CatalogError's own message; for a defect only a reference to the log. */
export function failureText(thrown: unknown): string {
  if (!(thrown instanceof CatalogError)) return 'Internal server error. The error was logged.';
  const problems = thrown.problems.map(({ path, message }) => [...path, message].join(': '));
  return (problems.length > 0 ? problems.join('; ') : wordsOf(thrown)).slice(0, 10_000);
}

/** Attempts in a row whose process died: the job fails then, because it may be the cause. */
export const MAX_DEATHS = 2;
export const SET_ASIDE = `The server process ended ${MAX_DEATHS} times during this job. The job is not retried automatically.`;
/** The failure of a job whose process died during its last attempt. */
export const DIED = 'The server process ended during the last attempt.';
