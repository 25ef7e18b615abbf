/** Names of columns from any header: each once, each one that PostgreSQL takes, in time that a header cannot stretch. */
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

it('keeps 63 bytes and no half character', () => {
  const [ascii, wide, twice] = columnNames(['x'.repeat(100), '水'.repeat(100), '水'.repeat(100)]);
  expect(ascii).toBe('x'.repeat(63));
  expect(wide).toBe('水'.repeat(21));
  expect(twice).toBe(`${'水'.repeat(20)}_2`);
});

it('is done with a header of a mebibyte, and with as many equal names as a table may have', () => {
  expect(columnNames(['y'.repeat(2 ** 20)])).toEqual(['y'.repeat(63)]);
  expect(new Set(columnNames(Array.from({ length: 1_590 }, () => 'z'.repeat(200)))).size).toBe(1_590);
});

it('refuses more columns than fit into a table, before it looks at any', () => {
  expect(() => columnNames(Array.from({ length: 500_000 }, () => 'a'))).toThrow(
    '500000 columns; a table can have at most 1590',
  );
});
