/** Searches by time return the same datasets as a plain filter, also after rows were read again. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { FacetColumns, type FacetRow, type TimeField } from '../../../src/search/postgres/columns.ts';
import { filtered } from '../../../src/search/postgres/numbers.ts';

/** Pseudorandom numbers below `limit`, the same in each run. */
function generator(seed: number) {
  let state = seed;
  return (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % limit;
  };
}

const TIMES = 50; // fewer than datasets, so that many share a time
const INFINITE = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

describe('between', () => {
  let next: (limit: number) => number;
  let columns: FacetColumns;
  let rows: Map<number, FacetRow>;

  const row = (number: number): FacetRow => ({
    number,
    public: next(4) > 0,
    facets: [next(5)],
    modifiedAt: next(TIMES),
    createdAt: next(TIMES),
    hidden: null,
  });
  const learn = (numbers: readonly number[]) => {
    const fresh = numbers.map(row);
    for (const one of fresh) rows.set(one.number, one);
    columns.learn(fresh, String(rows.size));
  };
  const range = (count: number, first = 1) => Array.from({ length: count }, (_, at) => first + at);
  const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);

  function compare(): void {
    const all = columns.publicNumbers();
    const spans = Array.from({ length: 30 }, () => [next(TIMES), next(TIMES)] as const); // some are empty
    for (const field of ['modifiedAt', 'createdAt'] satisfies TimeField[])
      for (const [from, to] of [...spans, INFINITE, [-1, 0], [TIMES - 1, TIMES], [TIMES, TIMES + 1], [7, 7]] as const) {
        const expected = [...rows.values()].filter((one) => one.public && one[field] >= from && one[field] <= to);
        const numbers = expected.map(({ number }) => number);
        expect([field, from, to, sorted(columns.between(field, all, from, to))]).toEqual([
          ...[field, from, to, sorted(numbers)],
        ]);
        const some = all.filter((number) => number % 3 > 0);
        expect(sorted(columns.between(field, some, from, to))).toEqual(sorted(numbers.filter((it) => it % 3 > 0)));
      }
  }

  beforeEach(() => {
    next = generator(20_261_126);
    columns = new FacetColumns();
    rows = new Map();
  });

  it('returns nothing without rows', () => compare());

  it('reads rows that are not in the arrays yet', () => {
    learn(range(100));
    compare();
  });

  it('reads the arrays, then rows changed since, and new ones beyond the arrays', () => {
    learn(range(3_000));
    compare();
    learn(range(40, 500));
    compare();
    learn(range(40, 3_001));
    compare();
    learn(range(2_500, 1_000));
    compare();
  });

  it('returns numbers that later searches do not change', () => {
    learn(range(3_000));
    const before = columns.between('createdAt', columns.publicNumbers(), 0, 20);
    const copy = [...before];
    columns.between('createdAt', columns.publicNumbers(), 10, 40);
    columns.between('modifiedAt', columns.publicNumbers().subarray(5), 10, 40);
    expect([...before]).toEqual(copy);
  });
});

describe('filtered', () => {
  it.each([
    [[], [], []],
    [[5, 900_000], [], []],
    [[], [5, 900_000], []],
    [
      [3, 1, 2],
      [2, 3],
      [3, 2],
    ],
    [[3, 900_000, 2], [2], [2]],
    [[2], [900_000, 2], [2]],
  ])('%j by %j', (list, other, included) => {
    const [numbers, others] = [Int32Array.from(list), Int32Array.from(other)];
    expect([...filtered(numbers, others, true)]).toEqual(included);
    expect([...filtered(numbers, others, false)]).toEqual(list.filter((it) => !included.includes(it)));
    expect([...filtered(numbers, others, true)]).toEqual(included);
  });
});
