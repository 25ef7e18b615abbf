/** Results of subscriptions, run once for all who are told the same and ask the same. */
import type { FormattedExecutionResult } from 'graphql';
import { createLru } from '../../infra/concurrency/lru.ts';
import type { EventBlock } from '../../kernel/events.ts';

export type Results = readonly FormattedExecutionResult[];

export interface AskedResults {
  readonly block: EventBlock;
  /** Equal for those who ask the same of the same events of the block. */
  readonly key: string;
  /** What the events cost to answer (docs/graphql.md): results grow with it. */
  readonly cost: number;
  readonly run: () => Promise<Results>;
}

/**
 * ms for which results count. An event is told again to who comes later, and what its operation reads besides may have been changed,
 * hidden even, in the meantime; who follows the log is no further ahead of it than this either.
 */
export const KEPT_FOR = 2_000;

/**
 * `max` bounds what is kept of all blocks together: the cost of all events, and the characters of all keys. All of it is forgotten
 * every KEPT_FOR; `now` is a clock in ms.
 */
export function createKeptResults(
  max: number,
  now: () => number = () => performance.now(),
): (asked: AskedResults) => Promise<Results> {
  let kept = createLru<Promise<Results>>(max);
  let begun = now();
  const numbers = new WeakMap<EventBlock, number>();
  let last = 0;

  return ({ block, key, cost, run }) => {
    let number = numbers.get(block);
    if (number === undefined) numbers.set(block, (number = ++last));
    const place = `${number} ${key}`;
    if (now() - begun >= KEPT_FOR) {
      kept = createLru(max);
      begun = now();
    }
    const before = kept.get(place);
    if (before) return before;
    const results = run();
    kept.set(place, results, place.length + cost);
    return results;
  };
}
