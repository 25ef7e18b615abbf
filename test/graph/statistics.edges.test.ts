/** Statistics under concurrent writers, with odd values, and with arguments at and beyond their limits. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cacheCounts } from '../../src/infra/concurrency/lru.ts';
import { statisticsCheck, statisticsRebuild } from '../../src/statistics/check.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const ask = async (query: string, variables = {}, as: TestUser | null = null) =>
  (await world.graph(query, variables, { as })).body;
const act = (name: string, params: Record<string, unknown>) => world.result(name, params, { as: admin });
const check = async () => (await statisticsCheck(world.app.callAs(world.system))).faults;
const total = async (): Promise<number> => (await ask('{ statistics { datasets } }')).data.statistics.datasets;

describe('arguments', () => {
  const codeOf = async (query: string) => (await ask(query)).errors[0].extensions.code;

  it('within their limits are accepted', async () => {
    for (const first of [1, 100])
      expect((await ask(`{ statistics { groups(by: TAG, first: ${first}) { totalCount } } }`)).errors).toBeUndefined();
    const last = 'from: "2025-01-01T00:00:00Z", to: "2026-02-04T23:59:59Z"';
    for (const first of [1, 50]) {
      const body = await ask(`{ timeline(of: EDITS, interval: DAY, by: USER, first: ${first}, ${last}) { counts } }`);
      expect(body.data.timeline.counts).toHaveLength(400);
    }
  });

  it.each([
    '{ statistics { groups(by: TAG, first: 0) { totalCount } } }',
    '{ statistics { groups(by: TAG, first: 101) { totalCount } } }',
    '{ statistics { groups(by: TAG, first: -1) { totalCount } } }',
    '{ timeline(of: EDITS, interval: DAY, first: 51) { total } }',
    '{ timeline(of: EDITS, interval: DAY, first: 0) { total } }',
    '{ timeline(of: EDITS, interval: DAY, from: "2025-01-01T00:00:00Z", to: "2026-02-05T00:00:00Z") { total } }',
    '{ timeline(of: EDITS, interval: DAY, from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z") { total } }',
    '{ timeline(of: EDITS, interval: YEAR, to: "9999-01-01T00:00:00Z") { total } }',
  ])('%s is refused', async (query) => {
    expect(await codeOf(query)).toBe('VALIDATION');
  });

  it.each([
    '{ timeline(of: NOTHING, interval: DAY) { total } }',
    '{ timeline(of: EDITS, interval: HOUR) { total } }',
    '{ timeline(of: EDITS, interval: DAY, from: "yesterday") { total } }',
    '{ timeline(of: EDITS, interval: DAY, until: 1) { total } }',
    '{ statistics { groups(by: PLACE) { totalCount } } }',
    '{ statistics(for: "me") { datasets } }',
  ])('%s is not a valid operation', async (query) => {
    expect(await codeOf(query)).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('of a period without changes return zeros', async () => {
    const { timeline } = (
      await ask(
        `{ timeline(of: CREATED, interval: YEAR, from: "1990-05-05T00:00:00Z", to: "1992-01-01T00:00:00Z", by: USER) {
          starts counts total series { key } seriesCount } }`,
      )
    ).data;
    expect(timeline).toEqual({
      starts: ['1990-01-01T00:00:00.000Z', '1991-01-01T00:00:00.000Z', '1992-01-01T00:00:00.000Z'],
      counts: [0, 0, 0],
      total: 0,
      series: [],
      seriesCount: 0,
    });
  });
});

it('ten concurrent writers lose no count while readers count', async () => {
  const org = await world.make.organization();
  const before = await total();
  let writing = true;
  const reading = (async () => {
    for (let last = before; writing; ) {
      const now = await total();
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  })();
  await Promise.all(
    Array.from({ length: 10 }, async (_, writer) => {
      for (let i = 0; i < 8; i += 1)
        await act('package_create', { name: `w-${writer}-${i}`, owner_org: org.id, tags: [{ name: 'same' }] });
    }),
  );
  expect(await total()).toBe(before + 80);
  writing = false;
  await reading;
  expect(await check()).toEqual([]);
});

it('an uncommitted write is not counted and does not block readers', async () => {
  const before = await total();
  const client = await world.database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`UPDATE dataset_document SET state = 'deleted' WHERE name LIKE 'w-1-%'`);
    expect(await total()).toBe(before);
    await act('package_create', { name: 'beside' });
    expect(await total()).toBe(before + 1);
    await client.query('ROLLBACK');
  } finally {
    client.release();
  }
  expect(await total()).toBe(before + 1);
});

it('long and empty values, and sums beyond 53 bits, are counted', async () => {
  const size = Number.MAX_SAFE_INTEGER;
  await act('package_create', {
    name: 'odd',
    license_id: '',
    resources: [
      { url: 'http://a', format: 'é'.repeat(3_000), size },
      { url: 'http://b', format: '', size },
      { url: 'http://c', format: `${'é'.repeat(300)}b` },
    ],
  });
  const { statistics } = (
    await ask('{ statistics { bytes groups(by: FORMAT) { totalCount items { name datasets resources } } } }')
  ).data;
  expect(statistics.bytes).toBe(size);
  expect(statistics.groups.totalCount).toBe(1);
  expect(statistics.groups.items).toEqual([{ name: 'é'.repeat(200), datasets: 1, resources: 2 }]);
  await act('dataset_purge', { id: 'odd' });
  expect(await check()).toEqual([]);
});

it('a negative size counts as 0 bytes', async () => {
  const bytes = async () => (await ask('{ statistics { bytes groups(by: FORMAT) { items { name bytes } } } }')).data;
  const before = (await bytes()).statistics.bytes;
  const resources = [-1e15, 7, null].map((size, n) => ({ url: `http://${n}`, format: 'NEG', size }));
  await act('package_create', { name: 'negative', resources });
  const { statistics } = await bytes();
  expect(statistics.bytes).toBe(before + 7);
  expect(statistics.groups.items).toContainEqual({ name: 'NEG', bytes: 7 });
  await act('dataset_purge', { id: 'negative' });
  expect(await check()).toEqual([]);
});

it('the purge of a dataset hides its past changes from visitors', async () => {
  const edits = async (as: TestUser | null) => {
    const { data } = await ask(
      '{ statistics { edits } timeline(of: CREATED, interval: DAY, by: USER) { total series { user { name } total } } }',
      {},
      as,
    );
    return { edits: data.statistics.edits as number, created: data.timeline.total as number };
  };
  const { id } = await act('package_create', { name: 'to-purge' });
  await act('package_patch', { id, title: 'x' });
  const [visitor, sysadmin] = [await edits(null), await edits(admin)];
  await act('dataset_purge', { id });
  expect(await edits(null)).toEqual({ edits: visitor.edits - 2, created: visitor.created - 1 });
  expect(await edits(admin)).toEqual({ edits: sysadmin.edits + 1, created: sysadmin.created });
  expect(await check()).toEqual([]);
});

it('a cached timeline follows each write', async () => {
  const org = await world.make.organization();
  const hits = () => cacheCounts().get('timelines')!.hits;
  const query = '{ timeline(of: EDITS, interval: DAY, by: ORGANIZATION) { total series { total } } }';
  const total = async (as: TestUser | null = null) => (await ask(query, {}, as)).data.timeline.total as number;
  await total(); // counts earlier writes
  const before = await total();
  const seen = hits();
  expect([await total(), hits() - seen]).toEqual([before, 2]);
  const { id } = await act('package_create', { name: 'followed', owner_org: org.id });
  expect([await total(), await total(), await total()]).toEqual([before + 1, before + 1, before + 1]);
  await act('package_patch', { id, private: true });
  const [visitor, sysadmin] = [await total(), await total(admin)];
  expect([visitor, await total(), await total(admin)]).toEqual([before + 1, visitor, sysadmin]);
  await act('dataset_purge', { id });
  expect([await total(), await total(), await total(admin)]).toEqual([before, before, sysadmin + 1]);
});

it('timelines name users and organizations that the caller may read', async () => {
  const org = await world.make.organization({ title: 'Named' });
  const user = await world.make.user();
  await world.result('organization_member_create', { id: org.id, username: user.name, role: 'editor' }, { as: admin });
  for (let i = 0; i < 100; i += 1)
    await world.result('package_create', { name: `named-${i}`, owner_org: org.id }, { as: user });
  const query = `query ($by: TimelineDimension) { timeline(of: CREATED, interval: MONTH, by: $by, first: 1) {
    seriesCount series { key total user { name } organization { name title } } } }`;
  expect((await ask(query, { by: 'USER' })).data.timeline.series).toEqual([
    { key: user.id, total: 100, user: { name: user.name }, organization: null },
  ]);
  expect((await ask(query, { by: 'ORGANIZATION' })).data.timeline.series).toEqual([
    { key: org.id, total: 100, user: null, organization: { name: org.name, title: 'Named' } },
  ]);
});

it('counts the rows of tables that the caller may read', async () => {
  await world.datastore();
  const org = await world.make.organization();
  const rows = async (as: TestUser | null) => (await ask('{ statistics { rows tables } }', {}, as)).data.statistics;
  expect(await rows(null)).toEqual({ rows: 0, tables: 0 });
  const make = async (count: number, dataset: object) => {
    const { id } = await act('package_create', { owner_org: org.id, ...dataset });
    await act('datastore_create', {
      resource: { package_id: id },
      fields: [{ id: 'a', type: 'int' }],
      records: Array.from({ length: count }, (_, a) => ({ a })),
    });
  };
  await make(7, { name: 'with-table' });
  await make(5, { name: 'with-hidden-table', private: true });
  expect(await rows(null)).toEqual({ rows: 7, tables: 1 });
  expect(await rows(admin)).toEqual({ rows: 12, tables: 2 });
  expect(await check()).toEqual([]);
});

it('servers count in the background, the check finds wrong counts and the rebuild repairs them', async () => {
  const counting = world.app.startCounting();
  try {
    await act('package_create', { name: 'in-background' });
    const waiting = async () => world.database.db.statisticsPending.count();
    await counting.wake();
    await until(async () => (await waiting()) === 0);
  } finally {
    await counting.stop();
  }
  await world.database.pool.query(`UPDATE statistics_count SET objects = objects + 1 WHERE dimension = 'state'`);
  const ofNoDay = `INSERT INTO statistics_month VALUES ('public', 'user', '2001-01-01', 'nobody', 'updated', 5, array_fill(0, ARRAY[31]))`;
  await world.database.pool.query(`DELETE FROM statistics_month`);
  await world.database.pool.query(ofNoDay);
  const faults = await check();
  expect(faults.some(({ key }) => key.includes('nobody'))).toBe(true);
  expect(faults).toContainEqual({
    key: 'public state active',
    expected: expect.any(String),
    stored: expect.any(String),
  });
  expect(faults.some(({ stored }) => stored === null)).toBe(true);
  await statisticsRebuild(world.app.callAs(world.system));
  expect(await check()).toEqual([]);
  const visitor = world.app.callAs({ ...world.system, sysadmin: false });
  await expect(statisticsCheck(visitor)).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
  await expect(statisticsRebuild(visitor)).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
});

it('a reader counts only a bounded number of pending writes', async () => {
  await world.database.pool.query(
    `INSERT INTO statistics_pending (kind, id) SELECT 'user', 'nobody-' || i FROM generate_series(1, 20001) i`,
  );
  const before = await ask('{ statistics { datasets } }');
  expect(before.errors[0]).toMatchObject({ extensions: { code: 'UNAVAILABLE' } });
  expect(before.data.statistics).toBeNull();
  expect((await ask('{ statistics { datasets } }')).errors).toBeUndefined(); // the first reader has counted most of them
});
