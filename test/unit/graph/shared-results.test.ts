import { describe, expect, it } from '@jest/globals';
import { createSharedResults, type Results, SHARED_FOR } from '../../../src/graph/subscriptions/shared-results.ts';
import type { EventBlock } from '../../../src/kernel/events.ts';

const blockOf = (length: number): EventBlock => ({
  events: Array.from({ length }, () => ({})),
  touchesRights: false,
});

/** Counts the runs of operations. */
function counting(max: number) {
  const seen = { runs: 0, time: 0 };
  const resultsOf = createSharedResults(max, () => seen.time);
  const ask = (block: EventBlock, key: string, cost = 10): Promise<Results> =>
    resultsOf({
      block,
      key,
      cost: cost * block.events.length,
      run: async () => {
        seen.runs += 1;
        return [];
      },
    });
  return { ask, seen };
}

describe('shared results', () => {
  it('are computed once for equal operations on one block', async () => {
    const { ask, seen } = counting(1_000);
    const [one, other] = [blockOf(5), blockOf(5)];
    expect(ask(one, 'a')).toBe(ask(one, 'a'));
    expect(seen.runs).toBe(1);
    ask(other, 'a');
    ask(one, 'b');
    expect(seen.runs).toBe(3);
  });

  it('are bounded across all blocks and operations, and keep the most recently used', () => {
    const { ask, seen } = counting(1_000);
    const [hot, ...others] = Array.from({ length: 50 }, () => blockOf(20));
    for (const [n, block] of others.entries()) {
      ask(hot!, 'hot');
      ask(block, `other ${n}`);
    }
    expect(seen.runs).toBe(1 + others.length);
    ask(others[0]!, 'other 0');
    expect(seen.runs).toBe(2 + others.length);
  });

  it('are bounded for empty blocks, and not cached if they are too large', () => {
    const { ask, seen } = counting(1_000);
    const empty = blockOf(0);
    for (let n = 0; n < 500; n += 1) ask(empty, `question ${n}`);
    ask(empty, 'question 0');
    expect(seen.runs).toBe(501);
    const big = blockOf(500);
    ask(big, 'a');
    ask(big, 'a');
    expect(seen.runs).toBe(503);
  });

  it('expire, because objects may have been hidden since', () => {
    const { ask, seen } = counting(1_000);
    const block = blockOf(5);
    const first = ask(block, 'a');
    seen.time = SHARED_FOR - 1;
    expect(ask(block, 'a')).toBe(first);
    seen.time = SHARED_FOR;
    expect(ask(block, 'a')).not.toBe(first);
    expect(seen.runs).toBe(2);
  });
});
