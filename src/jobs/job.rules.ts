/** When a job is tried again, and what is told of its failure. Pure. */
import { CatalogError } from '../kernel/errors.ts';
import { wordsOf } from '../kernel/mutation.ts';

/** Times of a worker, in seconds. */
export interface Times {
  /** What a process promises to be heard of again in; after that another one takes its jobs over. */
  readonly lease: number;
  /** Between two signs of life. */
  readonly beat: number;
  /** Between two looks for work when nothing is heard: for jobs whose time comes, and for processes that are gone. */
  readonly poll: number;
  /** How long a process must be in steady contact with the database before it takes over jobs of others. */
  readonly steady: number;
}

export const TIMES: Times = { lease: 45, beat: 10, poll: 10, steady: 45 };

/** Seconds until the next try after so many: 5 s, 25 s, 2 min, 10 min, then an hour. */
export const pauseAfter = (attempts: number): number => Math.min(5 ** Math.max(attempts, 1), 3_600);

/** Refusals that will be the same next time. */
const FINAL: ReadonlySet<CatalogError['kind']> = new Set([
  'NOT_FOUND',
  'NOT_AUTHORIZED',
  'VALIDATION',
  'LIMIT',
  'SEARCH',
]);

/** Whether the next try may go better: something was away, in the way, or is not known. */
export const isWorthRetrying = (thrown: unknown): boolean =>
  !(thrown instanceof CatalogError && FINAL.has(thrown.kind));

/** What people are told: a refusal in its own words; of a defect only that it is in the log. */
export function failureText(thrown: unknown): string {
  if (!(thrown instanceof CatalogError)) return 'Internal server error. The error was logged.';
  const problems = thrown.problems.map(({ path, message }) => [...path, message].join(': '));
  return (problems.length > 0 ? problems.join('; ') : wordsOf(thrown)).slice(0, 10_000);
}

/** Tries in a row after whose process nothing was heard: the job is set aside then, for it may be what ends its process. */
export const MAX_DEATHS = 2;
export const SET_ASIDE = `The server process ended ${MAX_DEATHS} times during this job. It is not retried automatically.`;
/** Of a job whose process ended at the last of its tries. */
export const DIED = 'The server process ended during the last attempt.';
