/** Values derived from lists and columns equal a plain computation. */
import { describe, expect, it } from '@jest/globals';
import { FacetColumns } from '../../../src/search/postgres/columns.ts';
import { derived } from '../../../src/search/postgres/derived.ts';
import { split } from '../../../src/search/postgres/numbers.ts';
import { addTimes, countPeriods, type Days } from '../../../src/search/postgres/periods.ts';

const list = (...numbers: number[]) => Int32Array.from(numbers);

describe('split', () => {
  it.each([
    ['the first, the last and one between', [7, 3, 9, 1, 4], [9, 4, 7]],
    ['adjacent ones', [7, 3, 9, 1, 4], [3, 9, 1]],
    ['all', [7, 3], [3, 7]],
    ['numbers that the list lacks', [7, 3, 9], [3, 8, 100_000, 0]],
    ['none of an empty list', [], [1]],
  ])('takes %s', (_what, numbers, others) => {
    const [left, taken] = split(list(...numbers), list(...others));
    expect([...left]).toEqual(numbers.filter((number) => !others.includes(number)));
    expect([...taken]).toEqual(numbers.filter((number) => others.includes(number)));
  });

  it('returns the list itself if it takes nothing', () => {
    const numbers = list(5, 2);
    expect(split(numbers, list())[0]).toBe(numbers);
    expect(split(numbers, list(3, 9))[0]).toBe(numbers);
  });
});

describe('countPeriods', () => {
  const micros = (...days: string[]) => Float64Array.from(days, (day) => Date.parse(day) * 1_000);
  const daysOf = (...days: string[]): Days => addTimes(new Map(), micros(...days), 1);

  it('counts by day, week, month and year, in any order and before 1970', () => {
    const days = daysOf('2026-03-01', '1969-12-31T23:59:59.999Z', '2026-03-02', '1970-01-01', '2026-03-01T12:00:00Z');
    const valuesOf = (period: 'DAY' | 'WEEK' | 'MONTH' | 'YEAR') =>
      countPeriods(days, period).map(({ value, count }) => `${value} ${count}`);
    expect(valuesOf('DAY')).toEqual(['1969-12-31 1', '1970-01-01 1', '2026-03-01 2', '2026-03-02 1']);
    expect(valuesOf('WEEK')).toEqual(['1969-12-29 2', '2026-02-23 2', '2026-03-02 1']);
    expect(valuesOf('MONTH')).toEqual(['1969-12-01 1', '1970-01-01 1', '2026-03-01 3']);
    expect(valuesOf('YEAR')).toEqual(['1969-01-01 1', '1970-01-01 1', '2026-01-01 3']);
  });

  it('omits days whose times were all subtracted', () => {
    const days = daysOf('2026-03-01', '2026-03-02', '2026-03-02');
    expect(countPeriods(addTimes(days, micros('2026-03-01', '2026-03-02'), -1), 'DAY')).toEqual([
      { value: '2026-03-02', count: 1 },
    ]);
    expect(countPeriods(new Map(), 'YEAR')).toEqual([]);
  });
});

describe('a derived value', () => {
  const bytesOf = ({ bytes }: { bytes: number }) => bytes;

  it('is computed once, until the columns or a source change', () => {
    const columns = new FacetColumns();
    let times = 0;
    const read = (source: object) => derived(columns, 'one', [source], () => ({ bytes: ++times }), bytesOf).bytes;
    const [first, second] = [{}, {}];
    expect([read(first), read(first), read(second), read(second), read(first)]).toEqual([1, 1, 2, 2, 3]);
    columns.learn([], '1');
    expect([read(first), read(first)]).toEqual([4, 4]);
  });

  it('is evicted when others need its space, and not cached if it is too large', () => {
    const columns = new FacetColumns();
    const computed: string[] = [];
    const read = (key: string, bytes: number) =>
      derived(columns, key, [], () => ({ bytes, at: computed.push(key) }), bytesOf);
    const third = 11 * 1024 * 1024;
    for (const key of ['a', 'b', 'b', 'a', 'c', 'a', 'b']) read(key, third);
    expect(computed).toEqual(['a', 'b', 'c', 'b']);
    for (const key of ['huge', 'huge']) read(key, 4 * third);
    expect(computed.slice(4)).toEqual(['huge', 'huge']);
  });
});
