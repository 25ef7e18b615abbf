/** Index selection without a database: shapes of searches and statements, and the choice within a budget. */
import { describe, expect, it } from '@jest/globals';
import {
  chooseIndexes,
  type IndexPlan,
  type Limits,
  type ReadTable,
} from '../../../src/datastore/indexes/choose.rules.ts';
import {
  MAX_SHAPES,
  MAX_TABLES,
  noteLoad,
  noteRead,
  noteWrite,
  takeCounts,
} from '../../../src/datastore/indexes/counter.ts';
import { shapeOfSearch, textOf } from '../../../src/datastore/indexes/shape.rules.ts';
import { shapeOfStatement } from '../../../src/datastore/indexes/statement-shape.rules.ts';
import { planSearch } from '../../../src/datastore/rows/search.plan.ts';
import { parseStatement } from '../../../src/datastore/statement/statement.parser.ts';
import type { Datastore } from '../../../src/infra/postgres/datastore.ts';

const columns = ['_id', 'a', 'b', 'c', 'd'].map((id) => ({ id, type: 'int4', info: null }));
const search = (filters: object, ...sort: string[]) => shapeOfSearch(planSearch({ filters, sort }, columns).plan);

describe('the shape of a search', () => {
  it.each([
    [{ b: 1, a: 2 }, ['c desc'], [['a', 'b'], [['c', 'DESC']], []]],
    [{ a: null }, ['c', '_id'], [['a'], [['c', '']], []]],
    [{ a: [1, 2] }, ['c'], [['a'], [], []]], // alternatives have no common order
    [{ a: 1, b: { gte: 1, lt: 5 } }, [], [['a'], [['b', '']], []]],
    [{ a: 1, b: { gte: 1 } }, ['b desc'], [['a'], [['b', 'DESC']], []]],
    [{}, ['c nulls first'], [[], [['c', 'NULLS FIRST']], []]],
    [{}, ['a desc nulls first'], [[], [['a', 'DESC']], []]],
    [{ a: 1 }, ['a', 'b'], [['a'], [['b', '']], []]],
    [{ a: 1 }, ['b', '_id', 'c'], [['a'], [['b', '']], []]], // rows with equal _id are one row
  ])('%j in the order %j', (filters, sort, shape) => {
    expect(JSON.parse(search(filters, ...sort)!)).toEqual(shape);
  });
  it.each([[{}], [{ _id: 5 }]])('is null for %j', (filters) => expect(search(filters)).toBeNull());
  it('is null beyond its limits', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(textOf({ eq: names, sort: [], more: [] })).toBeNull();
    expect(textOf({ eq: names.slice(1), sort: [], more: [] })).not.toBeNull();
    expect(textOf({ eq: [], sort: names.slice(0, 4).map((id) => [id, '']), more: [] })).toBeNull();
    expect(textOf({ eq: ['x'], sort: [], more: names.slice(1) })).toBeNull();
  });
});

describe('the shape of a statement', () => {
  const of = async (sql: string) => shapeOfStatement((await parseStatement(sql)).tree);
  it.each([
    ['SELECT b, count(*) FROM t WHERE a = 1 GROUP BY b', [['a'], [['b', '']], []]],
    [
      'SELECT x.b AS n, avg(x.c) FROM t x WHERE x.a = 1 AND x.d BETWEEN 2 AND 3 GROUP BY 1',
      [['a'], [['d', '']], ['b', 'c']],
    ],
    ["SELECT max(b) FROM t WHERE a IN (1, 2) AND d < '2020-01-01'::date", [['a'], [['d', '']], ['b']]],
    ['SELECT count(*) FROM t WHERE a = 1', [['a'], [], []]],
    ['SELECT b AS "person 4711", count(*) FROM t WHERE a = 1 GROUP BY "person 4711"', [['a'], [], ['b']]],
    ["SELECT date_trunc('month', d) AS m, count(*) FROM t WHERE a = 1 GROUP BY m", [['a'], [], ['d']]],
    [
      'SELECT x.b AS c, count(*) FROM t x WHERE a = 1 GROUP BY x.c, b',
      [
        ['a'],
        [
          ['b', ''],
          ['c', ''],
        ],
        [],
      ],
    ],
    [
      'SELECT c, b, max(d) FROM t WHERE a = 1 GROUP BY c, b',
      [
        ['a'],
        [
          ['b', ''],
          ['c', ''],
        ],
        ['d'],
      ],
    ],
    ['SELECT b, count(*) FROM t WHERE a = 1 GROUP BY b, _id', [['a'], [['b', '']], []]],
    ['SELECT max(b) FROM t WHERE a = 1 AND _id > 5', [['a'], [], ['b']]],
    ['SELECT b, max(c) FROM t WHERE a = 1 AND d > 2 GROUP BY b', [['a'], [['d', '']], ['b', 'c']]],
    ['SELECT a, count(*) FROM t WHERE a IN (1, 2) GROUP BY a', [['a'], [], []]],
    ['SELECT b, max(c) FROM t WHERE a = 1 GROUP BY b, d % 2', [['a'], [], ['b', 'c', 'd']]],
    ['SELECT count(*) FROM t WHERE a = 1 GROUP BY b, c, d, e', [['a'], [], ['b', 'c', 'd', 'e']]],
    ['SELECT round(avg(b), 2), 1 + max(c) FROM t WHERE a = 1', [['a'], [], ['b', 'c']]],
    ['SELECT * FROM t WHERE a = 1', [['a'], [], []]],
    ['SELECT b, (SELECT max(c) FROM u) FROM t WHERE a = 1', [['a'], [], []]],
    ['SELECT b, sum(b) OVER () FROM t WHERE a = 1', [['a'], [], []]],
    ['SELECT a, b FROM t WHERE b = 2 AND a = 1 ORDER BY c DESC, _id LIMIT 5', [['a', 'b'], [['c', 'DESC']], []]],
    ['SELECT * FROM t x ORDER BY x.c DESC NULLS LAST LIMIT 5', [[], [['c', 'DESC NULLS LAST']], []]],
    ['SELECT * FROM t ORDER BY c NULLS FIRST LIMIT 5', [[], [['c', 'NULLS FIRST']], []]],
    ['SELECT * FROM t WHERE a = 1 ORDER BY c', [['a'], [], []]], // all rows are sorted
    ['SELECT * FROM t WHERE a IN (1, 2) ORDER BY c LIMIT 5', [['a'], [], []]],
    ['SELECT * FROM t WHERE a IN (1) ORDER BY c ASC LIMIT 5', [['a'], [['c', '']], []]],
    ['SELECT * FROM t WHERE a = 1 AND b > 2 ORDER BY b DESC LIMIT 5', [['a'], [['b', 'DESC']], []]],
    ['SELECT * FROM t WHERE a = 1 AND b > 2 ORDER BY c LIMIT 5', [['a'], [['b', '']], []]],
    ['SELECT b AS "person 4711" FROM t WHERE a = 1 ORDER BY "person 4711" LIMIT 5', [['a'], [], []]],
    ['SELECT * FROM t WHERE a = 1 ORDER BY c % 2 LIMIT 5', [['a'], [], []]],
    ['SELECT * FROM t WHERE a = 1 ORDER BY c LIMIT ALL', [['a'], [], []]],
    ['SELECT c::numeric FROM t WHERE a = 1 ORDER BY c LIMIT 5', [['a'], [], []]], // the result has the name c
    ['SELECT c::numeric FROM t x WHERE a = 1 ORDER BY x.c LIMIT 5', [['a'], [['c', '']], []]],
    ['SELECT lower(b) FROM t x WHERE a = 1 ORDER BY x.c LIMIT 5', [['a'], [['c', '']], []]],
    ['SELECT x.a FROM t "secret me" WHERE a = 1 ORDER BY "secret me" LIMIT 5', [['a'], [], []]],
  ])('%s', async (sql, shape) => expect(JSON.parse((await of(sql))!)).toEqual(shape));
  it.each([
    'SELECT b, count(*) FROM t GROUP BY b',
    'SELECT * FROM t',
    'SELECT a FROM t AS x("john@x.org") WHERE "john@x.org" = 1',
    "SELECT x.a FROM t x WHERE x = '(1,2)'",
    'SELECT * FROM t ORDER BY a',
    'SELECT DISTINCT a FROM t WHERE b = 1',
    'SELECT * FROM t WHERE a = 1 OR b = 2',
    'SELECT * FROM t WHERE a = 1 UNION SELECT * FROM t',
    'SELECT b, count(*) FROM t WHERE a = 1 OR b = 2 GROUP BY b',
    'SELECT b, count(*) FROM t WHERE a = b GROUP BY b',
    'SELECT count(*) FROM t, u WHERE a = 1',
    'SELECT count(*) FROM t WHERE a = (SELECT 1)',
    'SELECT count(t.*) FROM t WHERE a = 1',
    'SELECT count(t) FROM t WHERE a = 1',
    'SELECT count("person 4711") FROM t "person 4711" WHERE a = 1',
    'WITH t AS (SELECT 1 AS a) SELECT count(*) FROM t WHERE a = 1',
    'VALUES (1)',
  ])('is null for %s', async (sql) => expect(await of(sql)).toBeNull());
});

describe('the choice of indexes', () => {
  const limits: Limits = { max: 4, maxSize: 2 ** 30, minRows: 100, minUses: 20 };
  const wide = { type: 'text', width: 500 };
  const base: ReadTable = {
    table: 't',
    rows: 1_000,
    columns: new Map([
      ...['_id', 'a', 'b', 'c', 'd'].map((id) => [id, { type: 'int4', width: 4 }] as const),
      ['w', wide],
      ['j', { type: 'json', width: 5 }],
    ]),
    declared: [],
    shapes: [],
    existing: new Map(),
  };
  const shape = (eq: string[], sort: string[] = [], more: string[] = []) =>
    textOf({ eq, sort: sort.map((id) => [id, '']), more })!;
  const existingOf = (plans: readonly IndexPlan[]) =>
    new Map(plans.map(({ name, columns }) => [name, columns.slice(0, -1).map(([id]) => id)]));
  const chosen = (about: Partial<ReadTable>, changed: Partial<Limits> = {}) =>
    chooseIndexes({ ...base, ...about }, { ...limits, ...changed }).map(({ columns, included }) =>
      [...columns.map(([id]) => id), ...included.map((id) => `+${id}`)].join(' '),
    );

  it('puts filter columns first, starting with the most read ones', () => {
    const shapes = [
      { shape: shape(['a', 'b'], ['c']), uses: 50 },
      { shape: shape(['b'], []), uses: 40 },
      { shape: shape(['a'], [], ['d']), uses: 30 },
    ];
    expect(chosen({ shapes })).toEqual(['b a c _id', 'b _id', 'a _id +d']);
  });

  it('chooses no index for few reads, few rows, unsupported types, wide values or more writes than reads', () => {
    const many = [{ shape: shape(['a']), uses: 50 }];
    expect(chosen({ shapes: many })).toEqual(['a _id']);
    expect(chosen({ shapes: [{ shape: shape(['a']), uses: 19 }] })).toEqual([]);
    expect(chosen({ shapes: many, rows: 99 })).toEqual([]);
    for (const id of ['w', 'j', 'gone']) expect(chosen({ shapes: [{ shape: shape([id]), uses: 50 }] })).toEqual([]);
    expect(chosen({ shapes: [...many, { shape: '', uses: 51 }] })).toEqual([]);
  });

  it('keeps an existing index within looser limits', () => {
    const [index] = chooseIndexes({ ...base, shapes: [{ shape: shape(['a']), uses: 50 }] }, limits);
    const existing = existingOf([index!]);
    expect(chosen({ existing, shapes: [{ shape: shape(['a']), uses: 5 }] })).toEqual(['a _id']);
    expect(chosen({ existing, shapes: [{ shape: shape(['a']), uses: 4.9 }] })).toEqual([]);
    const writes = (uses: number) => [
      { shape: shape(['a']), uses: 50 },
      { shape: '', uses },
    ];
    expect([50, 49].map((n) => chosen({ existing, shapes: writes(1), rows: n }))).toEqual([['a _id'], []]);
    const width = (n: number) => new Map([...base.columns, ['a', { type: 'text', width: n }]]);
    expect([150, 151].map((n) => chosen({ existing, shapes: writes(1), columns: width(n) }))).toEqual([['a _id'], []]);
    const size = 1_000 * 28; // of the index, which may be a quarter larger than a new one
    expect(
      [size / 1.25, size / 1.25 - 1].map((maxSize) => chosen({ existing, shapes: writes(1) }, { maxSize })),
    ).toEqual([['a _id'], []]);
    expect([chosen({ existing, shapes: writes(99) }), chosen({ existing, shapes: writes(100) })]).toEqual([
      ['a _id'],
      [],
    ]);
  });

  it('adds no further index if the table has as many writes as reads', () => {
    const shapes = [
      { shape: shape(['a']), uses: 50 },
      { shape: shape(['b']), uses: 50 },
    ];
    const [first] = chooseIndexes({ ...base, shapes }, limits);
    const existing = existingOf([first!]);
    expect(chosen({ existing, shapes: [...shapes, { shape: '', uses: 99 }] })).toEqual(['a _id', 'b _id']);
    expect(chosen({ existing, shapes: [...shapes, { shape: '', uses: 100 }] })).toEqual(['a _id']);
    expect(chosen({ existing, shapes: [...shapes, { shape: '', uses: 200 }] })).toEqual([]);
  });

  it('keeps an index if another column order or another index is used only slightly more', () => {
    const shapesOf = (a: number, b: number) => [
      { shape: shape(['a', 'b']), uses: 60 },
      { shape: shape(['a'], ['c']), uses: a },
      { shape: shape(['b'], ['d']), uses: b },
    ];
    const existing = existingOf(chooseIndexes({ ...base, shapes: shapesOf(40, 30) }, limits));
    expect(chosen({ existing, shapes: shapesOf(40, 30) })).toEqual(['a b _id', 'a c _id', 'b d _id']);
    expect(chosen({ existing, shapes: shapesOf(30, 40) })).toEqual(['a b _id', 'b d _id', 'a c _id']);
    expect(chosen({ shapes: shapesOf(30, 40) })).toContain('b a _id');
    const [kept] = chooseIndexes({ ...base, shapes: [{ shape: shape(['a']), uses: 100 }] }, limits);
    const rival = (uses: number) => ({
      existing: existingOf([kept!]),
      shapes: [
        { shape: shape(['a']), uses: 100 },
        { shape: shape(['b']), uses },
      ],
    });
    const serving = (uses: number) => ({
      existing: existingOf(chooseIndexes({ ...base, shapes: [{ shape: shape(['a'], ['c']), uses: 60 }] }, limits)),
      shapes: [
        { shape: shape(['a'], ['c']), uses: 60 },
        { shape: shape(['a', 'c']), uses: 91 },
        { shape: shape(['b']), uses },
      ],
    });
    expect(chosen(serving(0))).toEqual(['a c _id']); // it serves both filters too
    const unread = [
      { shape: shape(['a'], ['c']), uses: 4 },
      { shape: shape(['a', 'c']), uses: 40 },
    ];
    expect(chosen({ ...serving(0), shapes: unread })).toEqual(['a c _id']);
    expect(chosen({ shapes: unread })).toEqual(['a c _id']);
    expect(chosen({ ...serving(0), shapes: [{ shape: shape(['a'], ['c']), uses: 4.9 }] })).toEqual([]);
    expect(chosen({ shapes: [{ shape: shape(['a'], ['c']), uses: 30 }, unread[1]!] })).toEqual(['a c _id']); // not both
    expect(chosen(serving(226), { max: 1 })).toEqual(['a c _id']);
    expect(chosen(serving(227), { max: 1 })).toEqual(['b _id']);
    expect(chosen(rival(149), { max: 1 })).toEqual(['a _id']);
    expect(chosen(rival(151), { max: 1 })).toEqual(['b _id']);
  });

  it('keeps a separate index for filtered pages, which are sorted by `_id`', () => {
    const existing = existingOf(chooseIndexes({ ...base, shapes: [{ shape: shape(['a']), uses: 600 }] }, limits));
    const shapes = [
      { shape: shape(['a']), uses: 600 },
      { shape: shape(['a'], ['c']), uses: 21 },
    ];
    expect(chosen({ existing, shapes })).toEqual(['a _id', 'a c _id']);
  });

  it('chooses the most used index first, also if a rarely used shape shares it', () => {
    const shapes = [
      { shape: shape(['a'], ['b']), uses: 1_000 },
      ...['c', 'd'].map((id) => ({ shape: shape([], [id]), uses: 30 })),
      { shape: shape(['a', 'b']), uses: 1 },
    ];
    expect(chosen({ shapes }, { max: 1 })).toEqual(['a b _id']);
  });

  /** Repeats the server's index maintenance until nothing changes. Returns the number of rounds with a change. */
  function looksUntilRest(read: ReadTable, own: Limits, made: readonly IndexPlan[] = []): number {
    let built = [...made];
    const choose = (fits?: (plan: IndexPlan) => boolean) =>
      chooseIndexes({ ...read, existing: existingOf(built) }, own, fits);
    const isBuilt = ({ name }: IndexPlan) => built.some((one) => one.name === name);
    const settle = () => {
      const best = choose(isBuilt);
      built = built.filter(({ name }) => best.some((one) => one.name === name));
    };
    for (let look = 0; look < 20; look += 1) {
      const plans = choose();
      const drop = built.filter(({ name }) => !plans.some((one) => one.name === name));
      let work = drop.length;
      if (drop.length > 0) settle();
      for (const plan of plans.filter((one) => !isBuilt(one))) {
        work += 1;
        built.push(plan);
        settle();
      }
      if (work === 0) return look;
    }
    return Number.POSITIVE_INFINITY;
  }

  it.each([
    [
      { shape: shape(['a', 'b']), uses: 60 },
      { shape: shape(['a'], ['b']), uses: 50 },
      { shape: shape(['a', 'b'], ['c']), uses: 30 },
    ],
    [
      { shape: shape(['a']), uses: 60 },
      { shape: shape([], ['a']), uses: 50 },
      { shape: shape(['a'], ['c']), uses: 30 },
    ],
  ])('converges with two shapes of one index', (...shapes) => {
    expect(looksUntilRest({ ...base, shapes }, limits)).toBeLessThan(5);
  });

  it('converges for 3,000 random tables', () => {
    let seed = 20;
    const random = (n: number) => {
      seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return Math.floor((seed / 2 ** 32) * n);
    };
    const some = (n: number) => ['a', 'b', 'c', 'd'].sort(() => random(2) - 0.5).slice(0, n);
    for (let table = 0; table < 3_000; table += 1) {
      const uses = () => Math.round(10 ** (random(300) / 100));
      const texts = Array.from({ length: 1 + random(9) }, () => {
        const ids = some(4);
        const [filters, sorts] = [random(4), random(3)];
        const rest = filters + sorts;
        return shape(ids.slice(0, filters), ids.slice(filters, rest), random(3) === 0 ? ids.slice(rest) : []);
      });
      const shapes = [...new Set(texts.filter((text) => text !== null))]
        .map((text) => ({ shape: text, uses: uses() }))
        .sort((one, other) => other.uses - one.uses);
      const own = { ...limits, max: 1 + random(5), maxSize: 1_000 * (30 + random(300)) };
      const made = chooseIndexes({ ...base, shapes: shapes.map((one) => ({ ...one, uses: uses() })) }, own);
      expect([looksUntilRest({ ...base, shapes }, own, made) < 10, shapes]).toEqual([true, shapes]);
    }
  });

  it('stays within the limits of number and size, and reuses declared indexes', () => {
    const shapes = ['a', 'b', 'c'].map((id, at) => ({ shape: shape([id]), uses: 90 - at }));
    expect(chosen({ shapes }, { max: 2 })).toEqual(['a _id', 'b _id']);
    expect(chosen({ shapes }, { maxSize: 1_000 * 28 })).toEqual(['a _id']);
    expect(chosen({ shapes }, { maxSize: 1_000 * 28 - 1 })).toEqual([]);
    expect(
      chosen({
        shapes,
        declared: [
          { unique: false, columns: ['a', 'd'] },
          { unique: true, columns: ['b'] },
        ],
      }),
    ).toEqual(['c _id']);
    expect(
      chosen({ shapes: [{ shape: shape(['a'], ['c']), uses: 50 }], declared: [{ unique: false, columns: ['a'] }] }),
    ).toEqual(['a c _id']);
  });
});

it('bounds the counts of a process', () => {
  const store = { pools: {} } as Datastore;
  const traced = { ...store }; // a traced request has its own object
  for (let n = 0; n <= MAX_TABLES; n += 1) noteRead(store, `t${n}`, 's');
  for (let n = 0; n <= MAX_SHAPES; n += 1) noteRead(store, 't0', `s${n}`);
  noteWrite(store, 't0', 500);
  noteLoad(traced, 't0', 50_000);
  noteRead(store, null, 's');
  const counts = takeCounts(store);
  expect(new Set(counts.map(({ table }) => table)).size).toBe(MAX_TABLES);
  expect(counts.filter(({ table }) => table === 't0')).toHaveLength(MAX_SHAPES + 1); // plus the writes
  expect(counts).toContainEqual({ table: 't0', shape: '', uses: 3 });
  expect(takeCounts(store)).toEqual([]);
});
