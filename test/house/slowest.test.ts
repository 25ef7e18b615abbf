/** The report of slow test files at the end of a run. */
import { expect, it } from '@jest/globals';
import { slowest } from '../runner/slowest.mjs';

it('lists the 20 slowest test files, slowest first', () => {
  const results = Array.from({ length: 30 }, (_, n) => ({
    testFilePath: `/home/me/test/${n}.test.ts`,
    perfStats: { start: 1_000, end: 1_000 + n * 1_000 },
  }));
  const lines = slowest(results, '/home/me').split('\n');
  expect(lines.slice(0, 2)).toEqual(['Slowest test files:', '   29.0 s  test/29.test.ts']);
  expect(lines).toHaveLength(21);
});
