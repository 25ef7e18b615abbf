import { describe, expect, it } from '@jest/globals';
import { createBuckets } from '../../../src/rate/buckets.ts';

const ALLOWANCE = { perMinute: 60, max: 300 };
const START = 1_800_000_000_000;

describe('a bucket', () => {
  it('allows costs up to the remaining amount, and no more', () => {
    const buckets = createBuckets();
    const take = (cost: number, at = 0) => buckets.take('ann', ALLOWANCE, cost, START + at);
    expect(take(300)).toEqual({ isAllowed: true, left: 0, fullIn: 300, retryIn: 0 });
    expect(take(1)).toEqual({ isAllowed: false, left: 0, fullIn: 300, retryIn: 1 });
    const other = createBuckets();
    expect(other.take('ann', ALLOWANCE, 299, START).isAllowed).toBe(true);
    expect(other.take('ann', ALLOWANCE, 2, START)).toMatchObject({ isAllowed: false, left: 1, retryIn: 1 });
    expect(other.take('ann', ALLOWANCE, 1, START)).toMatchObject({ isAllowed: true, left: 0 });
  });

  it('refills over time up to its capacity', () => {
    const buckets = createBuckets();
    const take = (cost: number, seconds: number) => buckets.take('ann', ALLOWANCE, cost, START + seconds * 1_000);
    take(300, 0);
    expect(take(10, 9.9)).toMatchObject({ isAllowed: false, retryIn: 1 });
    expect(take(10, 10)).toMatchObject({ isAllowed: true, left: 0 });
    expect(take(300, 100_000)).toMatchObject({ isAllowed: true, left: 0 });
    expect(take(1, 100_000).isAllowed).toBe(false);
  });

  it('allows a cost above its capacity when it is full, and then takes longer to refill', () => {
    const buckets = createBuckets();
    const take = (cost: number, seconds: number) => buckets.take('ann', ALLOWANCE, cost, START + seconds * 1_000);
    expect(take(900, 0)).toEqual({ isAllowed: true, left: 0, fullIn: 900, retryIn: 0 });
    expect(take(1, 0)).toMatchObject({ isAllowed: false, retryIn: 601 });
    expect(take(1, 601).isAllowed).toBe(true);
  });

  it('is separate for each caller', () => {
    const buckets = createBuckets();
    buckets.take('ann', ALLOWANCE, 300, START);
    expect(buckets.take('ben', ALLOWANCE, 300, START).isAllowed).toBe(true);
  });
});

describe('usage in other processes', () => {
  it('is included, and local usage is reported once', () => {
    const buckets = createBuckets(true);
    buckets.take('ann', ALLOWANCE, 100, START);
    expect([...buckets.spent()]).toEqual([['ann', 100_000]]);
    expect(buckets.spent().size).toBe(0);
    buckets.take('ann', ALLOWANCE, 10, START);
    buckets.learn('ann', 280_000, START); // 180 were spent elsewhere, and the 10 are not reported yet
    expect(buckets.take('ann', ALLOWANCE, 11, START)).toMatchObject({ isAllowed: false, left: 10 });
    expect(buckets.take('ann', ALLOWANCE, 10, START).isAllowed).toBe(true);
    expect([...buckets.spent()]).toEqual([['ann', 20_000]]);
  });
});
