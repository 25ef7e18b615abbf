/** Puts work of features into the job queue. */
import { type Call, inTransaction, traceparentOf } from '../kernel/call.ts';
import { newId } from '../kernel/ids.ts';
import { enqueueJobs, notifyWorkers } from './job.sql.ts';
import { type JobRecord, unscheduleJobs } from './job.store.ts';

export interface JobRequest {
  /** A kind in handlers.ts. */
  readonly kind: string;
  /** Type of the work's object, such as `resource`, and its id. */
  readonly subjectType: string;
  readonly subjectId: string;
  /** The dataset whose editors may see, cancel and retry the job; without it only sysadmins may. Purging the dataset deletes the job. */
  readonly datasetId?: string | null;
  /** Further input of the handler; JSON. */
  readonly payload?: Record<string, unknown>;
  /**
   * Deduplication: at most one job per key waits (enqueuing again replaces its payload) and at most one runs. A job
   * enqueued during a run starts after it.
   */
  readonly key?: string | null;
  /** Someone waits for the result, and it takes no server elsewhere: it goes before all jobs that are not urgent. */
  readonly urgent?: boolean;
  /** Server that the job downloads from: few jobs of a host run at a time, and they pause while it does not answer. */
  readonly host?: string | null;
  /** Seconds from one start to the next: the job runs again after any result, until `unschedule`. Needs a key. */
  readonly everySeconds?: number | null;
  /** Maximum number of attempts; 5 by default. */
  readonly maxAttempts?: number;
  /** Seconds until the earliest start. */
  readonly delay?: number;
}

/**
 * Puts a job into the queue, in the lane of its kind and of the caller. Inside a transaction it is part of it: committed with what it is about, or not there at all. Whether the
 * caller may is the asking service's to say.
 */
export const enqueue = async (call: Call, request: JobRequest): Promise<JobRecord> =>
  (await enqueueAll(call, [request]))[0]!;

/** The same for many jobs, in two statements. Unordered. */
export function enqueueAll(call: Call, requests: readonly JobRequest[]): Promise<JobRecord[]> {
  if (requests.length === 0) return Promise.resolve([]);
  return inTransaction(call, async (call) => {
    const requesterId = call.actor.userId ?? '';
    const caused = { requesterId, traceparent: traceparentOf(call) };
    const jobs = requests.map((request) => ({ ...NOTHING, ...caused, ...request, id: newId() }));
    const [queued] = await Promise.all([enqueueJobs(call.sql, jobs), notifyWorkers(call.sql)]);
    return queued;
  });
}

const NOTHING = {
  datasetId: null,
  payload: {},
  key: null,
  urgent: false,
  host: null,
  everySeconds: null,
  maxAttempts: 5,
  delay: 0,
};

/** Ends the repetition under this key. A running job completes and is the last. */
export const unschedule = ({ db }: Call, key: string): Promise<void> => unscheduleJobs(db, key);
