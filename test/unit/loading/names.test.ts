/** Column names from any header: unique, valid in PostgreSQL, and computed in bounded time. */
import { expect, it } from '@jest/globals';
import { columnNames } from '../../../src/loading/read/sniff.ts';

it.each([
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [
    ['a', '', 'a', 'a_2', 'a'],
    ['a', 'column_2', 'a_2', 'a_2_2', 'a_3'],
  ],
  [
    ['_id', ' x\ty ', '"q"'],
    ['id', 'x y', 'q'],
  ],
])('%j → %j', (given, names) => {
  expect(columnNames(given)).toEqual(names);
});

it('truncates names to 63 bytes without splitting a character', () => {
  const [ascii, wide, twice] = columnNames(['x'.repeat(100), '水'.repeat(100), '水'.repeat(100)]);
  expect(ascii).toBe('x'.repeat(63));
  expect(wide).toBe('水'.repeat(21));
  expect(twice).toBe(`${'水'.repeat(20)}_2`);
});

it('reads a header of 1 MiB, and the maximum number of equal names', () => {
  expect(columnNames(['y'.repeat(2 ** 20)])).toEqual(['y'.repeat(63)]);
  expect(new Set(columnNames(Array.from({ length: 1_590 }, () => 'z'.repeat(200)))).size).toBe(1_590);
});

it('refuses more columns than a table can have', () => {
  expect(() => columnNames(Array.from({ length: 500_000 }, () => 'a'))).toThrow(
    '500000 columns; a table can have at most 1590',
  );
});
