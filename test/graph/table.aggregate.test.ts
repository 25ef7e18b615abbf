/** Groups of a table's records: figures, buckets, conditions, order and pages, compared with separate SQL. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGroups, type Group, listed } from '../helpers/groups.ts';

let groups: Awaited<ReturnType<typeof createGroups>>;
beforeAll(async () => {
  groups = await createGroups();
});
afterAll(() => groups.tables.world.end());

describe('groups and figures equal SQL', () => {
  it.each([
    ['', 'SELECT count(*)::text FROM TABLE'],
    ['groupBy: [{ field: "station" }]', 'SELECT station, count(*)::text FROM TABLE GROUP BY 1 ORDER BY 1'],
    [
      'groupBy: [{ field: "k0" }, { field: "is_open" }], figures: [{ figure: SUM, field: "big" }, { figure: COUNT }]',
      'SELECT k0, is_open::text, count(*)::text, sum(big)::text, count(*)::text AS again FROM TABLE GROUP BY k0, is_open ORDER BY k0, is_open',
    ],
    [
      `groupBy: [{ field: "station" }], figures: [{ figure: COUNT, field: "amount" }, { figure: COUNT_DISTINCT, field: "amount" },
        { figure: SUM, field: "price" }, { figure: AVG, field: "price" }, { figure: MIN, field: "station" }, { figure: MAX, field: "seen" },
        { figure: STDDEV, field: "amount" }, { figure: MEDIAN, field: "amount" }, { figure: SUM, field: "lasts" }, { figure: AVG, field: "small" }]`,
      `SELECT station, count(*)::text, count(amount)::text AS b, count(DISTINCT amount)::text AS c, sum(price)::text AS d, avg(price)::text AS e,
        min(station) AS f, to_json(max(seen)) #>> '{}' AS g, stddev(amount)::text AS h, percentile_cont(0.5) WITHIN GROUP (ORDER BY amount)::text AS i,
        sum(lasts)::text AS j, avg(small)::text AS k FROM TABLE GROUP BY station ORDER BY station`,
    ],
    [
      'groupBy: [{ field: "k0" }], filter: [{ field: "amount", gte: 5 }], orderBy: [{ field: "k0", direction: DESC }]',
      'SELECT k0, count(*)::text FROM TABLE WHERE amount >= 5 GROUP BY k0 ORDER BY k0 DESC',
    ],
    [
      'groupBy: [{ field: "at", interval: YEAR }], figures: [{ figure: MAX, field: "amount" }]',
      `SELECT to_json(date_trunc('year', at)) #>> '{}' AS a, count(*)::text AS b, max(amount)::text AS c FROM TABLE GROUP BY date_trunc('year', at) ORDER BY date_trunc('year', at)`,
    ],
    [
      'groupBy: [{ field: "day", interval: QUARTER }]',
      `SELECT to_char(extract(year FROM day), 'FM0000') || CASE extract(quarter FROM day) WHEN 1 THEN '-01-01' WHEN 2 THEN '-04-01' WHEN 3 THEN '-07-01' WHEN 4 THEN '-10-01' END AS a,
        count(*)::text AS b FROM TABLE GROUP BY 1 ORDER BY 1`,
    ],
    [
      'groupBy: [{ field: "amount", width: 10, offset: 5 }]',
      'SELECT (floor((amount - 5) / 10.0) * 10 + 5)::int::text AS a, count(*)::text AS b FROM TABLE GROUP BY floor((amount - 5) / 10.0), 1 ORDER BY floor((amount - 5) / 10.0)',
    ],
  ])('%s', async (args, text) => {
    const found = await groups.ask(`${args && `${args}, `}first: 100`);
    const expected = await groups.rowsOf(text);
    expect(listed(found.nodes)).toEqual(expected);
    expect(found.totalCount).toBe(expected.length);
  });

  it('name each figure once, in the order of the request', async () => {
    const [{ figures }] = (await groups.groupsOf(
      'figures: [{ figure: MAX, field: "amount" }, { figure: COUNT }, { figure: MAX, field: "amount" }]',
    )) as [Group];
    expect(figures).toEqual([
      { figure: 'MAX', field: 'amount', value: '20' },
      { figure: 'COUNT', field: null, value: '700' },
    ]);
  });

  it('of no records are one group, or none with groupBy', async () => {
    const none = 'filter: [{ field: "amount", gt: 1000 }], figures: [{ figure: SUM, field: "amount" }]';
    expect(await groups.groupsOf(none)).toEqual([
      { key: [], count: 0, figures: [{ figure: 'SUM', field: 'amount', value: null }] },
    ]);
    expect(await groups.ask(`${none}, groupBy: [{ field: "k0" }]`)).toMatchObject({ nodes: [], totalCount: 0 });
  });
});

describe('a group can be passed back as a filter', () => {
  it.each([
    '{ field: "station" }',
    '{ field: "ratio" }',
    '{ field: "small" }',
    '{ field: "big" }',
    '{ field: "seen" }',
    '{ field: "is_open" }',
    '{ field: "amount", width: 7 }',
    '{ field: "amount", width: 1000000000000 }',
    '{ field: "big", width: 2, offset: 1 }',
    '{ field: "price", width: 12.5 }',
    '{ field: "ratio", width: 0.1 }',
    '{ field: "ratio", width: 0.3, offset: 0.1 }',
    '{ field: "small", width: 0.1 }',
    '{ field: "day", interval: WEEK }',
    '{ field: "day", interval: MONTH }',
    '{ field: "at", interval: HOUR }',
    '{ field: "at", interval: QUARTER }',
    '{ field: "seen", interval: DAY }',
    '{ field: "seen", interval: YEAR }',
  ])('%s', async (key) => {
    const found = (await groups.groupsOf(`groupBy: [${key}], first: 100`)).slice(0, 60);
    const isBucket = /interval|width/.test(key);
    const conditions = found.map(({ key: [{ field, value, from, to }] }) =>
      isBucket && (from !== null || to !== null)
        ? { field, ...(from !== null && { gte: from }), ...(to !== null && { lt: to }) }
        : { field, eq: value },
    );
    const names = conditions.map((_one, at) => `$c${at}: TableConditionInput!`);
    const counts = conditions.map((_one, at) => `c${at}: records(first: 1, filter: [$c${at}]) { totalCount }`);
    const { body } = await groups.tables.world.graph(
      `query (${names.join(', ')}) { table(id: "${groups.id}") { ${counts.join(' ')} } }`,
      Object.fromEntries(conditions.map((condition, at) => [`c${at}`, condition])),
    );
    expect(body.errors).toBeUndefined();
    const counted = conditions.map((condition, at) => [condition, body.data.table[`c${at}`].totalCount]);
    expect(counted).toEqual(conditions.map((condition, at) => [condition, found[at]!.count]));
  });

  it('has the bounds of its bucket, and null for values without one', async () => {
    const [first, ...others] = await groups.groupsOf('groupBy: [{ field: "ratio", width: 5 }]');
    expect(first!.key).toEqual([{ field: 'ratio', value: '0', from: '0', to: '5' }]);
    expect(others.map(({ key: [{ value, from, to }] }) => [value, from, to])).toEqual([
      ['5', '5', '10'],
      ['Infinity', null, null],
      ['NaN', null, null],
      [null, null, null],
    ]);
    const years = await groups.groupsOf('groupBy: [{ field: "seen", interval: YEAR }], first: 1');
    expect(years[0]!.key).toEqual([
      {
        field: 'seen',
        value: '2020-01-01T00:00:00+00:00',
        from: '2020-01-01T00:00:00+00:00',
        to: '2021-01-01T00:00:00+00:00',
      },
    ]);
  });

  /** Numbers at, just below and just above bounds, odd ones, and extreme values of the type. */
  function floats(): number[] {
    const bits = new BigInt64Array(1);
    const float = new Float64Array(bits.buffer);
    const moved = (value: number, by: bigint): number => {
      float[0] = value;
      bits[0] = bits[0]! + by;
      return float[0]!;
    };
    const tenths = Array.from({ length: 241 }, (_none, n) => (n - 120) / 10);
    const near = tenths.flatMap((value) => (value === 0 ? [0, -0] : [value, moved(value, 1n), moved(value, -1n)]));
    const products = tenths.map((_value, n) => n * 0.1);
    const ends = [1e15, 1e15 + 1, 1e15 - 0.125, 1e14 + 0.1, 1e6, 1e6 - 1e-9, 2 ** 53, 1e300, 5e-324].flatMap((one) => [
      one,
      -one,
    ]);
    return [...near, ...products, ...ends];
  }

  it('has exact bounds for floats', async () => {
    const { tables } = groups;
    const records = floats().map((x) => ({ x: Object.is(x, -0) ? '-0' : String(x) }));
    const id = await tables.table({ fields: [{ id: 'x', type: 'float8' }], records });
    const store = tables.world.app.callAs(tables.world.system).stores.datastore!;
    for (const [width, offset] of [
      ['0.1', '0'],
      ['0.3', '0.1'],
      ['1', '0'],
      ['2.5', '-0.5'],
      ['10', '1000000000000000'],
      ['1e-9', '0'],
      ['1e-9', '100000000'],
      ['1000000000000000', '7'],
    ]) {
      const bucket = `x::text::numeric - mod(mod(x::text::numeric - ${offset}::numeric, ${width}::numeric) + ${width}::numeric, ${width}::numeric)`;
      const expected = await store.write((sql) =>
        sql.rows<{ value: string; count: number }>({
          text: `SELECT trim_scale(${bucket})::text AS value, count(*)::int AS count FROM "${id}" GROUP BY ${bucket} ORDER BY ${bucket}`,
        }),
      );
      const found: { value: string; count: number }[] = [];
      for (let after: string | null = null, isMore = true; isMore; ) {
        const query = `query ($after: String) { table(id: "${id}") { aggregate(groupBy: [{ field: "x", width: ${width}, offset: ${offset} }], first: 100, after: $after) {
          nodes { key { value } count } pageInfo { hasNextPage endCursor } } } }`;
        const { body } = await tables.world.graph(query, { after });
        expect(body.errors).toBeUndefined();
        const { nodes, pageInfo } = body.data.table.aggregate;
        found.push(...nodes.map(({ key: [{ value }], count }: Group) => ({ value, count })));
        [after, isMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
      }
      expect([width, offset, found]).toEqual([width, offset, expected]);
    }
  });

  it('has null for a bound beyond the range of the type', async () => {
    const found = await groups.groupsOf('groupBy: [{ field: "amount", width: 1000000000000000 }]');
    expect(found.map(({ key: [{ from, to }] }) => [from, to])).toEqual([
      [null, '0'],
      ['0', null],
      [null, null],
    ]);
  });
});

describe('pages', () => {
  it.each([
    'groupBy: [{ field: "station" }, { field: "k0" }]',
    'groupBy: [{ field: "station" }, { field: "k0" }], orderBy: [{ figure: SUM, field: "amount", direction: DESC }]',
    'groupBy: [{ field: "ratio", width: 0.5 }, { field: "station" }], orderBy: [{ figure: AVG, field: "small" }]',
    'groupBy: [{ field: "seen", interval: MONTH }], orderBy: [{ figure: COUNT }, { field: "seen", direction: DESC }]',
    'groupBy: [{ field: "price" }], orderBy: [{ field: "price", direction: DESC }], having: [{ figure: COUNT, gte: 1 }]',
    'groupBy: [{ field: "tags" }, { field: "amount" }], orderBy: [{ figure: MAX, field: "at" }]',
    'figures: [{ figure: COUNT }]',
  ])('contain each group once: %s', async (args) => {
    const all: Group[] = [];
    let after: string | null = null;
    for (let page = 0; page < 400; page += 1) {
      const found: any = await groups.ask(`${args}, first: ${page === 0 ? 3 : 40}`, after);
      all.push(...found.nodes);
      expect([args, all.length <= found.totalCount]).toEqual([args, true]);
      if (!found.pageInfo.hasNextPage) break;
      after = found.pageInfo.endCursor;
    }
    const { body } = await groups.tables.world.graph(
      `{ table(id: "${groups.id}") { aggregate(${args}, first: 1) { totalCount } } }`,
    );
    expect(all).toHaveLength(body.data.table.aggregate.totalCount);
    expect(new Set(all.map(({ key }) => JSON.stringify(key))).size).toBe(all.length);
    const whole: any = await groups.ask(`${args}, first: 100`);
    expect(all.slice(0, 100)).toEqual(whole.nodes);
    const back: Group[] = [];
    for (let before: string | null = null; ; ) {
      const found: any = await groups.ask(`${args}, last: 50`, before);
      back.unshift(...found.nodes);
      if (!found.pageInfo.hasPreviousPage) break;
      before = found.pageInfo.startCursor;
    }
    expect(back).toEqual(all);
  });

  it('can be ordered by a figure outside the request, with null last in both directions', async () => {
    const sums = 'SELECT station, sum(amount) AS s FROM TABLE WHERE k0 = $$k1$$ GROUP BY station';
    for (const direction of ['ASC', 'DESC']) {
      const found = await groups.groupsOf(
        `groupBy: [{ field: "station" }], filter: [{ field: "k0", eq: "k1" }], orderBy: [{ figure: SUM, field: "amount", direction: ${direction} }]`,
      );
      const expected = await groups.rowsOf(
        `SELECT station FROM (${sums}) x ORDER BY s ${direction} NULLS LAST, station`,
      );
      expect(found.map(({ key }) => [key[0].value])).toEqual(expected);
    }
    for (const direction of ['ASC', 'DESC'])
      expect(
        (
          await groups.groupsOf(
            `groupBy: [{ field: "day", interval: YEAR }], orderBy: [{ field: "day", direction: ${direction} }]`,
          )
        ).at(-1)!.key[0].value,
      ).toBeNull();
  });

  it('refuse cursors of other groups or orders, and forged ones', async () => {
    const { pageInfo } = await groups.ask('groupBy: [{ field: "station" }], first: 1');
    const mark = JSON.parse(Buffer.from(pageInfo.endCursor, 'base64url').toString())[0];
    const forged = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
    for (const [args, cursor] of [
      ['groupBy: [{ field: "k0" }]', pageInfo.endCursor],
      ['groupBy: [{ field: "station" }], orderBy: [{ field: "station", direction: DESC }]', pageInfo.endCursor],
      ['groupBy: [{ field: "station" }]', 'x'],
      ['groupBy: [{ field: "station" }]', forged(mark, '{}')],
      ['groupBy: [{ field: "station" }]', forged(mark, '[1]')],
      ['groupBy: [{ field: "station" }]', forged(mark, '["a","b"]')],
      ['groupBy: [{ field: "station" }]', forged(mark)],
    ]) {
      const { error } = await groups.ask(args!, cursor);
      expect([args, cursor, error?.extensions.code]).toEqual([args, cursor, 'VALIDATION']);
    }
    const days = await groups.ask('groupBy: [{ field: "day", interval: DAY }], first: 1');
    const ofDays = JSON.parse(Buffer.from(days.pageInfo.endCursor, 'base64url').toString())[0];
    const { error } = await groups.ask('groupBy: [{ field: "day", interval: DAY }]', forged(ofDays, '["soon"]'));
    expect(error.extensions.code).toBe('VALIDATION');
  });
});

describe('having', () => {
  const by = 'groupBy: [{ field: "station" }, { field: "k0" }], first: 100';
  it.each([
    ['{ figure: COUNT, gt: 29 }', 'count(*) > 29'],
    ['{ figure: COUNT, gte: 28.5 }', 'count(*) >= 28.5'],
    ['{ figure: COUNT, eq: "29" }', 'count(*) = 29'],
    ['{ figure: SUM, field: "amount", gte: -20, lte: 20 }', 'sum(amount) BETWEEN -20 AND 20'],
    ['{ figure: SUM, field: "big", gt: "250000000000000000.5" }', 'sum(big) > 250000000000000000.5'],
    ['{ figure: AVG, field: "ratio", lt: 4 }', 'avg(ratio) < 4'],
    ['{ figure: MAX, field: "seen", lt: "2024-11-01" }', "max(seen) < '2024-11-01'"],
    ['{ figure: MIN, field: "station", gt: "N" }', "min(station) > 'N'"],
    ['{ figure: SUM, field: "lasts", gt: "60 hours" }', "sum(lasts) > interval '60 hours'"],
    ['{ figure: MIN, field: "day", eq: null }', 'min(day) IS NULL'],
    ['{ figure: COUNT, gt: 1 }, { figure: STDDEV, field: "price", gt: 70 }', 'count(*) > 1 AND stddev(price) > 70'],
  ])('%s', async (having, text) => {
    const expected = await groups.rowsOf(
      `SELECT station, k0, count(*)::text FROM TABLE GROUP BY 1, 2 HAVING ${text} ORDER BY 1, 2`,
    );
    const found = await groups.ask(`${by}, having: [${having}]`);
    expect(listed(found.nodes)).toEqual(expected);
    expect(found.totalCount).toBe(expected.length);
  });
});
