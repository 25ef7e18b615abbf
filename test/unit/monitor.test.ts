/** Sums by labels, and their limits. */
import { expect, it } from '@jest/globals';
import { createHistogram, createTally } from '../../src/monitor/tally.ts';

it('sums by labels', () => {
  const tally = createTally();
  tally.add(['a', 'b'], 1);
  tally.add(['a', 'b'], 2.5);
  tally.add(['ab', ''], 1);
  expect(tally.samples(['x', 'y'])).toEqual([
    { labels: { x: 'a', y: 'b' }, value: 3.5 },
    { labels: { x: 'ab', y: '' }, value: 1 },
  ]);
  const plain = createTally();
  plain.add([], 2);
  expect(plain.samples([])).toEqual([{ labels: {}, value: 2 }]);
});

it('stores up to 2,000 sets of labels, and sums the rest under `other`', () => {
  const tally = createTally();
  for (let n = 0; n < 5_000; n += 1) tally.add([String(n), 'x'], 1);
  const samples = tally.samples(['n', 'x']);
  expect(samples).toHaveLength(2_001);
  expect(samples.at(-1)).toEqual({ labels: { n: 'other', x: 'other' }, value: 3_000 });
});

it('counts values up to each bound', () => {
  const histogram = createHistogram('h', [1, 10]);
  for (const value of [0, 1, 1.5, 10, 11]) histogram.add(['a'], value);
  const bucket = (le: number | string, value: number) => ({ metricName: 'h_bucket', labels: { of: 'a', le }, value });
  expect(histogram.samples(['of'])).toEqual([
    bucket(1, 2),
    bucket(10, 4),
    bucket('+Inf', 5),
    { metricName: 'h_sum', labels: { of: 'a' }, value: 23.5 },
    { metricName: 'h_count', labels: { of: 'a' }, value: 5 },
  ]);
});
