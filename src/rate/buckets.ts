/** Token buckets: what each caller may still spend. A bucket is one number, the time at which it is full again. */
import { createLru } from '../infra/concurrency/lru.ts';

export interface Allowance {
  /** Cost that comes back each minute. */
  readonly perMinute: number;
  /** Cost that may be saved up, and spent at once. */
  readonly max: number;
}

export interface Taken {
  readonly isAllowed: boolean;
  /** Cost that is left, rounded down; never negative. */
  readonly left: number;
  /** Seconds until the bucket is full. */
  readonly fullIn: number;
  /** Seconds until asking again is worth it; 0 where it was allowed. */
  readonly retryIn: number;
}

export interface Buckets {
  /**
   * Takes a cost at a time (ms), or tells how long to wait. What costs more than can be saved up is allowed when all is there;
   * it is paid for with time.
   */
  take(caller: string, allowance: Allowance, cost: number, now: number): Taken;
  /** What was spent since the last call, by caller, as the ms that it takes to come back. */
  spent(): Map<string, number>;
  /** Puts right what others spent too. `fullIn`: ms, without what was taken here since `spent` was asked. */
  learn(caller: string, fullIn: number, now: number): void;
}

interface Bucket {
  fullAt: number;
  /** ms spent that nobody else knows of. */
  unsaid: number;
}

/** Callers remembered. Who is forgotten has a full bucket. */
const CALLERS = 100_000;

/** `isShared`: whether what is spent is kept for `spent`. */
export function createBuckets(isShared = false): Buckets {
  const buckets = createLru<Bucket>(CALLERS);
  const changed = new Map<string, Bucket>();

  return {
    take(caller, { perMinute, max }, cost, now) {
      const perMs = perMinute / 60_000;
      let bucket = buckets.get(caller);
      if (!bucket) buckets.set(caller, (bucket = { fullAt: now, unsaid: 0 }));
      const level = max - Math.max(0, bucket.fullAt - now) * perMs;
      const missing = Math.min(cost, max) - level;
      if (missing <= 0) {
        const time = cost / perMs;
        bucket.fullAt = Math.max(bucket.fullAt, now) + time;
        if (isShared) {
          bucket.unsaid += time;
          changed.set(caller, bucket);
        }
      }
      return {
        isAllowed: missing <= 0,
        left: Math.max(0, Math.floor(missing <= 0 ? level - cost : level)),
        fullIn: Math.max(0, Math.ceil((bucket.fullAt - now) / 1_000)),
        retryIn: missing <= 0 ? 0 : Math.ceil(missing / perMs / 1_000),
      };
    },
    spent() {
      const said = new Map([...changed].map(([caller, { unsaid }]) => [caller, unsaid]));
      for (const bucket of changed.values()) bucket.unsaid = 0;
      changed.clear();
      return said;
    },
    learn(caller, fullIn, now) {
      const bucket = buckets.get(caller);
      if (bucket) bucket.fullAt = now + fullIn + bucket.unsaid;
    },
  };
}
