/** How features put work into the queue. */
import { type Call, inTransaction } from '../kernel/call.ts';
import { newId } from '../kernel/ids.ts';
import { enqueueJobs, notifyWorkers } from './job.sql.ts';
import { type JobRecord, unscheduleJobs } from './job.store.ts';

export interface JobRequest {
  /** One of handlers.ts. */
  readonly kind: string;
  /** What the work is about, such as `resource`, and its id. */
  readonly subjectType: string;
  readonly subjectId: string;
  /** The dataset whose editors may see, stop and repeat the job; without it only sysadmins may. The job goes when it is purged. */
  readonly datasetId?: string | null;
  /** What the handler needs to know besides; JSON. */
  readonly payload?: Record<string, unknown>;
  /**
   * Of jobs with the same key one waits at most (asking again gives that one the new payload), and one is at work at most: what is asked
   * for while it is comes after it.
   */
  readonly key?: string | null;
  /** Seconds from one start to the next: the job comes again, whichever way it ended, until `unschedule`. Needs a key. */
  readonly everySeconds?: number | null;
  /** Tries at most; 5 when left out. */
  readonly maxAttempts?: number;
  /** Seconds until it may begin. */
  readonly delay?: number;
}

/**
 * Puts a job into the queue. Inside a transaction it is part of it: committed with what it is about, or not there at all. Whether the
 * caller may is the asking service's to say.
 */
export const enqueue = async (call: Call, request: JobRequest): Promise<JobRecord> =>
  (await enqueueAll(call, [request]))[0]!;

/** The same for many, in two statements. In no order. */
export function enqueueAll(call: Call, requests: readonly JobRequest[]): Promise<JobRecord[]> {
  if (requests.length === 0) return Promise.resolve([]);
  return inTransaction(call, async (call) => {
    const jobs = requests.map((request) => ({ ...NOTHING, ...request, id: newId() }));
    const [queued] = await Promise.all([enqueueJobs(call.sql, jobs), notifyWorkers(call.sql)]);
    return queued;
  });
}

const NOTHING = { datasetId: null, payload: {}, key: null, everySeconds: null, maxAttempts: 5, delay: 0 };

/** Ends what comes again and again under this key. The job at work goes on to its end, and is the last. */
export const unschedule = ({ db }: Call, key: string): Promise<void> => unscheduleJobs(db, key);
