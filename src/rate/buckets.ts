/** Token buckets with the remaining budget per caller. A bucket is one number: the time when it is full again. */
import { createLru } from '../infra/concurrency/lru.ts';

export interface Allowance {
  /** Cost restored per minute. */
  readonly perMinute: number;
  /** Maximum cost that accumulates and can be spent at once. */
  readonly max: number;
}

export interface Taken {
  readonly isAllowed: boolean;
  /** Remaining cost, rounded down; never negative. */
  readonly left: number;
  /** Seconds until the bucket is full. */
  readonly fullIn: number;
  /** Seconds until a retry can succeed; 0 when allowed. */
  readonly retryIn: number;
}

export interface Buckets {
  /**
   * Spends a cost at a time (ms), or returns the wait. A cost above the maximum is allowed when the bucket is full, and delays later
   * requests accordingly.
   */
  take(caller: string, allowance: Allowance, cost: number, now: number): Taken;
  /** Spending per caller since the last call, in ms needed to restore it. */
  spent(): Map<string, number>;
  /** Adds spending in other processes. `fullIn`: ms, excluding local spending since the last call of `spent`. */
  learn(caller: string, fullIn: number, now: number): void;
}

interface Bucket {
  fullAt: number;
  /** ms spent that other processes do not know yet. */
  unsaid: number;
}

/** Maximum callers in memory. A forgotten caller has a full bucket. */
const CALLERS = 100_000;

/** `isShared`: whether to record spending for `spent`. */
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
