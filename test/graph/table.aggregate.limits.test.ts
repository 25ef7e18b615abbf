/** Refusals of table aggregates: exceeded limits, arguments that do not fit the fields, and hidden tables. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGroups, FIELDS, RECORDS } from '../helpers/groups.ts';

let groups: Awaited<ReturnType<typeof createGroups>>;
beforeAll(async () => {
  groups = await createGroups();
});
afterAll(() => groups.tables.world.end());

describe('limits', () => {
  const times = (count: number, of: (at: number) => string) =>
    `[${Array.from({ length: count }, (_, at) => of(at)).join(', ')}]`;
  const names = FIELDS.filter(({ type }) => type !== 'json').map(({ id: field }) => field);
  const figure = (at: number) => `{ figure: ${['COUNT', 'COUNT_DISTINCT'][at % 2]}, field: "${names[at >> 1]}" }`;
  it.each([
    [8, 'fields', (count: number) => `groupBy: ${times(count, (at) => `{ field: "${names[at]}" }`)}, first: 1`],
    [20, 'figures', (count: number) => `figures: ${times(count, figure)}`],
    [20, 'figures', (count: number) => `figures: ${times(count - 1, figure)}, orderBy: [{ figure: COUNT }]`],
    [20, 'conditions', (count: number) => `having: ${times(count, () => '{ figure: COUNT, gt: 1 }')}`],
    [10, 'sort keys', (count: number) => `orderBy: ${times(count, () => '{ figure: COUNT }')}`],
  ])('allow %s %s', async (max, what, args) => {
    expect((await groups.groupsOf(args(max))).length).toBe(1);
    const { error } = await groups.ask(args(max + 1));
    expect([error?.extensions.code, error?.message]).toEqual([
      'VALIDATION',
      expect.stringContaining(`At most ${max} ${what}`),
    ]);
  });

  it('bound the size of a page', async () => {
    expect((await groups.ask('first: 100')).nodes).toHaveLength(1);
    for (const first of [-1, 101]) expect((await groups.ask(`first: ${first}`)).error.extensions.code).toBe('LIMIT');
  });

  it('bound the width of a bucket', async () => {
    const width = (value: string, field = 'price') =>
      groups.ask(`groupBy: [{ field: "${field}", width: ${value} }], first: 1`);
    for (const value of ['1e-9', '1e15']) expect((await width(value)).nodes).toHaveLength(1);
    for (const value of ['0.99e-9', '1.01e15', '0', '-1', '1e308'])
      expect([value, (await width(value)).error?.message]).toEqual([
        value,
        expect.stringContaining('Must be between 1e-9'),
      ]);
    expect((await width('0.5', 'amount')).error.extensions.problems).toEqual([
      { path: ['groupBy', '0'], message: '"amount" is of type int4: width and offset must be integers' },
    ]);
  });
});

describe('refuses invalid arguments:', () => {
  it.each([
    ['figures: [{ figure: SUM, field: "station" }]', '"station" is of type text, which does not support SUM'],
    ['figures: [{ figure: AVG, field: "is_open" }]', 'does not support AVG'],
    ['figures: [{ figure: MEDIAN, field: "seen" }]', 'does not support MEDIAN'],
    ['figures: [{ figure: MIN, field: "is_open" }]', 'does not support MIN'],
    ['figures: [{ figure: COUNT_DISTINCT, field: "note" }]', 'does not support COUNT_DISTINCT'],
    ['figures: [{ figure: SUM }]', 'SUM requires a field'],
    ['figures: [{ figure: SUM, field: "nope" }]', 'Unknown field: nope'],
    ['groupBy: [{ field: "nope" }]', 'Unknown field: nope'],
    ['groupBy: [{ field: "note" }]', 'cannot be compared'],
    ['groupBy: [{ field: "k0" }, { field: "k0" }]', 'can occur only once'],
    ['groupBy: [{ field: "k0", interval: DAY }]', 'does not support the interval DAY'],
    ['groupBy: [{ field: "day", interval: HOUR }]', 'does not support the interval HOUR'],
    ['groupBy: [{ field: "day", width: 5 }]', 'does not support width'],
    ['groupBy: [{ field: "amount", width: 5, interval: DAY }]', 'either `interval` or `width`, not both'],
    ['groupBy: [{ field: "amount", offset: 5 }]', '`offset` requires `width`'],
    ['groupBy: [{ field: "price", width: 5, offset: 1e16 }]', 'Must be between -1000000000000000'],
    ['orderBy: [{ field: "k0" }]', '"k0" is not in groupBy'],
    ['orderBy: [{}]', 'Requires field or figure'],
    ['orderBy: [{ figure: SUM }]', 'SUM requires a field'],
    ['having: [{ figure: COUNT }]', 'Requires a comparison'],
    ['having: [{ figure: COUNT, gt: "many" }]', 'Must be a number'],
    ['having: [{ figure: COUNT, gt: true }]', 'Must be a number'],
    ['having: [{ figure: COUNT, gt: null }]', 'Must be a number'],
    ['having: [{ figure: COUNT, gt: "NaN" }]', 'Must be a number'],
    ['having: [{ figure: COUNT, gt: 1e999 }]', 'Must be a number'],
    ['having: [{ figure: COUNT, gt: "1e9999" }]', 'Must be a number'],
    ['having: [{ figure: COUNT, eq: [1] }]', 'Must be a number'],
    ['having: [{ figure: MAX, field: "seen", eq: {} }]', 'Must be a string'],
    ['having: [{ figure: MAX, field: "seen", gt: "soon" }]', 'invalid input syntax'],
    ['having: [{ figure: COUNT, gte: 5, lte: 4 }]', 'Matches nothing: gte 5 is above lte 4'],
    ['having: [{ figure: AVG, field: "ratio", lt: "1e400" }]', ''],
    ['filter: [{ field: "nope", eq: 1 }]', 'Unknown field: nope'],
  ])('%s', async (args, message) => {
    const { error } = await groups.ask(args);
    expect([args, error?.extensions.code, error?.message]).toEqual([
      args,
      'VALIDATION',
      expect.stringContaining(message),
    ]);
  });

  it('NaN in variables', async () => {
    const query = `query ($w: Float) { table(id: "${groups.id}") { aggregate(groupBy: [{ field: "ratio", width: $w }]) { totalCount } } }`;
    for (const w of [Number.NaN, 'NaN', '1']) {
      const { status, body } = await groups.tables.world.graph(query, { w });
      expect(status).toBeLessThan(500);
      if (w !== null && !Number.isNaN(w)) expect(body.errors).toHaveLength(1);
    }
  });
});

it('groups the extreme values of types, or refuses them with VALIDATION', async () => {
  const { table, world } = groups.tables;
  const types = { d: 'date', t: 'timestamp', z: 'timestamptz', n: 'numeric', f: 'float8', i: 'int8', b: 'jsonb' };
  const records = [
    { d: '5874897-12-31', t: '294276-12-31 23:59', z: '294276-12-31 23:59+00', i: '9223372036854775807', f: 1e308 },
    { d: '4713-01-01 BC', t: '4713-01-01 BC', z: '4713-01-01 BC', i: '-9223372036854775808', f: -5e-324 },
    { d: '-infinity', t: '-infinity', z: 'infinity', f: '-Infinity', n: 'NaN', b: '5' },
    { n: `1${'0'.repeat(1_000)}`, b: 5 },
    { n: `0.${'0'.repeat(1_000)}1`, b: { exact: 1 } },
  ];
  const id = await table({ fields: Object.entries(types).map(([name, type]) => ({ id: name, type })), records });
  const exact = '{"exact": 12345678901234567890}';
  await world.app
    .callAs(world.system)
    .stores.datastore!.write((sql) => sql.rows({ text: `INSERT INTO "${id}" (b) VALUES ('${exact}')` }));
  const ask = (keys: string) =>
    world.graph(
      `{ table(id: "${id}") { aggregate(groupBy: [${keys}], first: 9) { nodes { key { value from to } } } } }`,
    );
  for (const field of ['d', 't', 'z'])
    for (const interval of ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR']) {
      const { status, body } = await ask(`{ field: "${field}", interval: ${interval} }`);
      expect([field, interval, status]).toEqual([field, interval, 200]);
      if (body.errors) expect(body.errors[0].extensions.code).toBe('VALIDATION');
    }
  for (const field of ['n', 'f', 'i'])
    for (const width of ['1e-9', '1', '1e15'].slice(field === 'i' ? 1 : 0)) {
      const { body } = await ask(`{ field: "${field}", width: ${width}, offset: -7 }`);
      expect([field, width, body.errors]).toEqual([field, width, undefined]);
    }
  const { body } = await ask('{ field: "b" }');
  expect(body.data.table.aggregate.nodes.map(({ key: [{ value }] }: any) => value)).toEqual([
    '"5"',
    '5',
    '{"exact": 1}',
    exact,
    null,
  ]);
});

it('refuses callers who may not read a private table', async () => {
  const hidden = await groups.tables.table({ fields: FIELDS, records: RECORDS.slice(0, 3) }, true);
  const query = `{ table(id: "${hidden}") { aggregate { totalCount } } }`;
  for (const [as, code] of [
    [null, 'NOT_AUTHORIZED'],
    [groups.tables.stranger, 'NOT_AUTHORIZED'],
  ] as const)
    expect((await groups.tables.world.graph(query, {}, { as })).body).toMatchObject({
      data: { table: null },
      errors: [{ extensions: { code } }],
    });
  expect(
    (await groups.tables.world.graph(query, {}, { as: groups.tables.member })).body.data.table.aggregate.totalCount,
  ).toBe(1);
});

it('refuses a page whose groups are too long in total', async () => {
  const long = await groups.tables.table({ records: [{ n: 1, long: 'x' }] });
  const text = `INSERT INTO "${long}" (n, long) SELECT n, n || repeat('x', 1000000) FROM generate_series(2, 70) n`;
  await groups.tables.world.app.callAs(groups.tables.world.system).stores.datastore!.write((sql) => sql.rows({ text }));
  const page = async (args: string) =>
    (await groups.tables.world.graph(`{ table(id: "${long}") { aggregate(${args}) { nodes { count } } } }`)).body;
  expect((await page('groupBy: [{ field: "long" }], first: 100')).errors[0].extensions.code).toBe('LIMIT');
  expect(
    (await page('groupBy: [{ field: "n" }], figures: [{ figure: MAX, field: "long" }], first: 100')).errors[0]
      .extensions.code,
  ).toBe('LIMIT');
  expect((await page('groupBy: [{ field: "long" }], first: 5')).data.table.aggregate.nodes).toHaveLength(5);
}, 60_000);
