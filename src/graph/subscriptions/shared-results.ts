/** Shares results of subscriptions: runs an operation once for all subscribers with the same view and the same operation. */
import type { FormattedExecutionResult } from 'graphql';
import { createLru } from '../../infra/concurrency/lru.ts';
import type { EventBlock } from '../../kernel/events.ts';

export type Results = readonly FormattedExecutionResult[];

export interface RequestedResults {
  readonly block: EventBlock;
  /** Equal for equal operations on the same events of the block. */
  readonly key: string;
  /** The cost of the operation for these events (docs/graphql.md). The size of the results grows with it. */
  readonly cost: number;
  readonly run: () => Promise<Results>;
}

/**
 * ms for which results are shared. Later subscribers read the same events, but the other data that the operation reads may have
 * changed or been hidden since. A subscriber can lag the log by the same time, because the feed polls every 2 s.
 */
export const SHARED_FOR = 2_000;

/**
 * Cache of results. `max` limits the cost of all events plus the characters of all keys, over all blocks. The cache is emptied every
 * SHARED_FOR ms. `now` is a clock in ms.
 */
export function createSharedResults(
  max: number,
  now: () => number = () => performance.now(),
): (requested: RequestedResults) => Promise<Results> {
  let cache = createLru<Promise<Results>>(max, 'subscription_results');
  let begun = now();
  const numbers = new WeakMap<EventBlock, number>();
  let last = 0;

  return ({ block, key, cost, run }) => {
    let number = numbers.get(block);
    if (number === undefined) numbers.set(block, (number = ++last));
    const entry = `${number} ${key}`;
    if (now() - begun >= SHARED_FOR) {
      cache = createLru(max, 'subscription_results');
      begun = now();
    }
    const before = cache.get(entry);
    if (before) return before;
    const results = run();
    cache.set(entry, results, entry.length + cost);
    return results;
  };
}
