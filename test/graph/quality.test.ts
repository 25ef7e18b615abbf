/** Quality scores follow changes and link verdicts. Summaries equal sums over the datasets that each caller may read. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHECKS } from '../../src/quality/method.rules.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { actorOf, readableIds } from './statistics.helper.ts';

let world: World;
let admin: TestUser;
let member: TestUser;
let editor: TestUser;
let creator: TestUser;
let callers: [string, TestUser | null][];
let org: { id: string; name: string };
let other: { id: string; name: string };

const data = async (query: string, variables = {}, as: TestUser | null = null) => {
  const { body } = await world.graph(query, variables, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};

const SUMMARY = `datasets meanPoints rating maximum stars ratings { rating datasets } dimensions { name meanPoints maximum }
  checks { name met unmet unknown maximum }`;
const QUERY = `query ($org: ID) { statistics { quality { ${SUMMARY} } qualityOrganizations(first: 100) { totalCount items { datasets meanPoints organization { name } } } }
  organization(id: $org) { quality { ${SUMMARY} } } }`;
const ONE =
  'query ($id: ID) { dataset(id: $id) { quality { points rating stars scoredAt faults dimensions { name points checks { name state points raise field } } } } }';

const create = (name: string, parts: object = {}, as = admin) =>
  world.result('package_create', { name, ...parts }, { as }) as Promise<any>;

async function scoreOf(name: string, as: TestUser | null = admin) {
  const { dataset } = await data(ONE, { id: name }, as);
  const checks = dataset.quality.dimensions.flatMap((it: any) => it.checks);
  return { ...dataset.quality, checks: Object.fromEntries(checks.map((it: any) => [it.name, it])) };
}

const mean = (sum: number, count: number) => (count === 0 ? null : Math.round((sum / count) * 100) / 100);

/** The summary from the stored scores of the active datasets that a caller may read. */
async function expectedSummary(ids: readonly string[], owner: string | null) {
  const rows = await world.database.sql.rows<any>(
    {
      text: `SELECT q.*, s.owner_organization_id AS org FROM dataset_quality q JOIN dataset s ON s.id = q.dataset_id
        WHERE s.state = 'active' AND s.id = ANY ($1) AND ($2::text IS NULL OR s.owner_organization_id = $2)`,
    },
    [ids, owner],
  );
  const sum = (of: (row: any) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    datasets: rows.length,
    meanPoints: mean(
      sum(({ points }) => points),
      rows.length,
    ),
    rows,
    sum,
  };
}

/** Compares the summaries of every caller with sums over single scores. */
async function compare() {
  await world.app.score();
  for (const [name, as] of callers) {
    const ids = await readableIds(world, await actorOf(world, as));
    const found = await data(QUERY, { org: org.id }, as);
    for (const [owner, quality] of [
      [null, found.statistics.quality],
      [org.id, found.organization.quality],
    ] as const) {
      const { rows, sum, ...expected } = await expectedSummary(ids, owner);
      expect([name, quality]).toEqual([name, expect.objectContaining(expected)]);
      expect(quality.stars).toEqual([0, 1, 2, 3, 4, 5].map((n) => rows.filter(({ stars }) => stars === n).length));
      for (const { name: dimension, meanPoints } of quality.dimensions)
        expect(meanPoints).toBe(
          mean(
            sum((row) => row[dimension.toLowerCase()]),
            rows.length,
          ),
        );
      quality.checks.forEach(({ met, unmet, unknown }: any, n: number) => {
        expect([met, unmet, unknown]).toEqual(
          ['1', '0', '?'].map((it) => rows.filter(({ checks }) => checks[n] === it).length),
        );
      });
      expect(quality.ratings.reduce((total: number, { datasets }: any) => total + datasets, 0)).toBe(rows.length);
    }
    const { items, totalCount } = found.statistics.qualityOrganizations;
    const means = await Promise.all(
      [org, other].map(async ({ id, name }) => ({ organization: { name }, ...(await expectedSummary(ids, id)) })),
    );
    const expected = means
      .filter(({ datasets }) => datasets > 0)
      .sort((a, b) => a.meanPoints! - b.meanPoints! || (a.organization.name < b.organization.name ? -1 : 1));
    expect(items).toEqual(
      expected.map(({ organization, datasets, meanPoints }) => ({ organization, datasets, meanPoints })),
    );
    expect(totalCount).toBe(items.length);
  }
}

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  [member, editor, creator] = [await world.make.user(), await world.make.user(), await world.make.user()];
  org = await world.make.organization({ members: { [member.id]: 'member', [editor.id]: 'editor' } });
  other = await world.make.organization();
  callers = [
    ['visitor', null],
    ['member', member],
    ['editor', editor],
    ['creator', creator],
    ['sysadmin', admin],
  ];
});
afterAll(() => world.end());

describe('quality of metadata', () => {
  it('of an empty catalog has no mean', async () => {
    const { statistics } = await data(QUERY, { org: org.id });
    expect(statistics.quality).toMatchObject({
      datasets: 0,
      meanPoints: null,
      rating: null,
    });
    await compare();
  });

  it('is null until the first score, and follows changes of the dataset', async () => {
    const { id } = await create('rivers', { owner_org: org.id });
    expect((await data(ONE, { id: 'rivers' }, admin)).dataset.quality).toBeNull();
    await world.app.score();
    const before = await scoreOf('rivers');
    expect(before.checks.KEYWORDS).toMatchObject({
      state: 'UNMET',
      points: 0,
      field: 'tags',
      raise: expect.stringMatching(/tag/),
    });
    expect(before.faults).toContain('dcat:Dataset dct:description missing');
    await world.result('package_patch', { id, tags: [{ name: 'water' }], notes: 'Levels' }, { as: admin });
    expect((await scoreOf('rivers')).points).toBe(before.points);
    expect(await world.app.score()).toBe(1);
    const after = await scoreOf('rivers');
    expect(after.checks.KEYWORDS).toEqual({ name: 'KEYWORDS', state: 'MET', points: 30, raise: null, field: null });
    expect(after.points).toBe(before.points + 60);
    expect(after.faults).toEqual([]);
    expect(await world.app.score()).toBe(0);
    await compare();
  });

  it('filters the checks by state', async () => {
    const { dataset } = await data(
      `{ dataset(name: "rivers") { quality { dimensions { all: checks { name state }
        missing: checks(states: [UNMET, UNKNOWN]) { name state } met: checks(states: [MET]) { name state } none: checks(states: []) { name } } } } }`,
    );
    const { dimensions } = dataset.quality;
    expect(dimensions).toHaveLength(5);
    for (const { all, missing, met, none } of dimensions) {
      expect(missing).toEqual(all.filter(({ state }: any) => state !== 'MET'));
      expect(met).toEqual(all.filter(({ state }: any) => state === 'MET'));
      expect(none).toEqual([]);
    }
    expect(dimensions.flatMap(({ met }: any) => met)).toContainEqual({ name: 'KEYWORDS', state: 'MET' });
  });

  it('follows the verdicts of links', async () => {
    const resources = [{ url: 'http://data.test/rivers', format: 'CSV' }];
    await create('linked', { owner_org: org.id, license_id: 'cc-by', resources });
    await world.app.score();
    const unknown = await scoreOf('linked');
    expect(unknown.checks.ACCESS_URL_WORKS).toMatchObject({ state: 'UNKNOWN', points: 0 });
    expect(unknown.stars).toBe(3);
    for (const [verdict, state, points, stars] of [
      ['ok', 'MET', 50, 3],
      ['broken', 'UNMET', 0, 0],
      ['moved', 'MET', 50, 3],
      ['unknown', 'UNKNOWN', 0, 3],
    ] as const) {
      await world.database.db.resourceLink.updateMany({ data: { verdict } });
      expect(await world.app.score()).toBe(1);
      const found = await scoreOf('linked');
      expect([verdict, found.checks.ACCESS_URL_WORKS.state, found.points - unknown.points, found.stars]).toEqual([
        verdict,
        state,
        points,
        stars,
      ]);
      await compare();
    }
    await world.database.db.resourceLink.updateMany({ data: { verdict: 'unknown' } });
    expect(await world.app.score()).toBe(0);
  });

  it('counts for each caller the datasets that they may read', async () => {
    await create('private', { owner_org: org.id, private: true, notes: 'Hidden', tags: [{ name: 'air' }] }, editor);
    await create('draft', { owner_org: org.id });
    await world.result('package_patch', { id: 'draft', state: 'draft' }, { as: admin });
    await create('others', { owner_org: other.id, notes: 'Said' });
    await create('unowned', {}, creator);
    await compare();
    const seen = await Promise.all(
      callers.map(async ([, as]) => (await data(QUERY, { org: org.id }, as)).statistics.quality.datasets),
    );
    expect(seen).toEqual([4, 5, 5, 4, 5]);
    expect((await world.graph(ONE, { id: 'private' }, { as: null })).body.data?.dataset ?? null).toBeNull();
    expect((await scoreOf('private', member)).points).toBeGreaterThan(0);
    expect((await scoreOf('draft', editor)).points).toBeGreaterThan(0);
    for (const [action, params] of [
      ['package_patch', { id: 'private', private: false }],
      ['package_patch', { id: 'private', private: true }],
      ['package_owner_org_update', { id: 'others', organization_id: org.id }],
      ['package_delete', { id: 'linked' }],
      ['dataset_purge', { id: 'linked' }],
      ['organization_patch', { id: other.id, title: 'Another' }],
    ] as const) {
      await world.result(action, params, { as: admin });
      await compare();
    }
    expect(await world.database.db.datasetQuality.count()).toBe(await world.database.db.dataset.count());
  });

  it('writes no change, no revision and no version', async () => {
    const { db } = world.database;
    const facts = async () => [
      await db.change.count(),
      await db.revision.count(),
      await db.dataset.findMany({ orderBy: { id: 'asc' } }),
    ];
    const before = await facts();
    await world.database.sql.rows({ text: 'INSERT INTO quality_pending (dataset_id) SELECT id FROM dataset' });
    expect(await world.app.score()).toBe(await db.dataset.count());
    expect(await facts()).toEqual(before);
    await compare();
  });

  it('sorts and filters lists of datasets', async () => {
    const list = async (args: string, as: TestUser | null = admin) => {
      const names: string[] = [];
      for (let after: string | null = null; ; ) {
        const query = `query ($after: String) { datasets(first: 2, after: $after, ${args}) { totalCount nodes { name } pageInfo { hasNextPage endCursor } } }`;
        const { datasets } = await data(query, { after }, as);
        names.push(...datasets.nodes.map((it: any) => it.name));
        after = datasets.pageInfo.endCursor;
        if (!datasets.pageInfo.hasNextPage) {
          expect(datasets.totalCount).toBe(names.length);
          return names;
        }
      }
    };
    const rows = await world.database.sql.rows<any>({
      text: `SELECT d.name, q.points, q.checks FROM dataset d JOIN dataset_quality q ON q.dataset_id = d.id
        WHERE d.state = 'active' ORDER BY q.points, d.id`,
    });
    const names = rows.map(({ name }) => name);
    const ordered = 'orderBy: { field: QUALITY }';
    expect(await list(`where: { states: [ACTIVE] }, ${ordered}`)).toEqual(names);
    expect(await list('where: { states: [ACTIVE] }, orderBy: { field: QUALITY, direction: DESC }')).toEqual(
      [...names].reverse(),
    );
    expect(await list(ordered, null)).toEqual(names.filter((name) => name !== 'private'));
    const limit = rows[1].points;
    expect(await list(`where: { states: [ACTIVE], quality: { maxPoints: ${limit} } }, ${ordered}`)).toEqual(
      rows.filter(({ points }) => points <= limit).map(({ name }) => name),
    );
    expect(await list(`where: { states: [ACTIVE], quality: { minPoints: ${limit + 1} } }, ${ordered}`)).toEqual(
      rows.filter(({ points }) => points > limit).map(({ name }) => name),
    );
    expect(await list(`where: { states: [ACTIVE], quality: { missing: KEYWORDS } }, ${ordered}`)).toEqual(
      rows.filter(({ checks }) => checks[0] !== '1').map(({ name }) => name),
    );
    for (const [n, check] of CHECKS.entries())
      expect([
        check.name,
        await list(`where: { states: [ACTIVE], quality: { unmet: ${check.name} } }, ${ordered}`),
      ]).toEqual([check.name, rows.filter(({ checks }) => checks[n] === '0').map(({ name }) => name)]);
    for (const [rating, least, most] of [
      ['EXCELLENT', 351, 405],
      ['GOOD', 221, 350],
      ['SUFFICIENT', 121, 220],
      ['BAD', 0, 120],
    ] as const)
      expect([rating, await list(`where: { states: [ACTIVE], quality: { rating: ${rating} } }, ${ordered}`)]).toEqual([
        rating,
        rows.filter(({ points }) => points >= least && points <= most).map(({ name }) => name),
      ]);
    const both = `where: { states: [ACTIVE], quality: { rating: GOOD, maxPoints: 230, minPoints: -1 } }, ${ordered}`;
    expect(await list(both)).toEqual(
      rows.filter(({ points }) => points >= 221 && points <= 230).map(({ name }) => name),
    );
  });

  it('shows the summary of each day', async () => {
    const { sql } = world.database;
    await sql.rows({ text: 'DELETE FROM quality_day' });
    // Three days: 2 datasets with 100 points each, nothing new, then another sum. Other scopes have their own rows.
    const sums = (datasets: number, points: number) => `{${[datasets, points, ...new Array(61).fill(0)].join(',')}}`;
    const insert = (scope: string, owner: string, day: string, text: string) =>
      sql.rows(
        { text: 'INSERT INTO quality_day (scope, owner, day, sums) VALUES ($1, $2, $3::date, $4::text::bigint[])' },
        [scope, owner, day, text],
      );
    await insert('public', '*', '2026-01-02', sums(2, 200));
    await insert('public', '*', '2026-01-04', sums(3, 900));
    await insert(`member:${org.id}`, '*', '2026-01-03', sums(1, 50));
    await insert('public', org.id, '2026-01-04', sums(1, 10));
    await insert('all', '*', '2026-01-02', sums(9, 90));
    const query = `query ($org: ID) { statistics { quality { timeline(interval: DAY, from: "2026-01-01T12:00:00Z", to: "2026-01-05T00:00:00Z") { starts datasets meanPoints } } }
      organization(id: $org) { quality { timeline(interval: MONTH, from: "2025-12-05T00:00:00Z", to: "2026-02-01T00:00:00Z") { datasets meanPoints dimensions { meanPoints } ratings { rating datasets } } } } }`;
    const [visitor, ofMember, ofAdmin] = await Promise.all(
      [null, member, admin].map((as) => data(query, { org: org.id }, as)),
    );
    expect(visitor.statistics.quality.timeline.starts[0]).toMatch(/^2026-01-01T00:00:00/);
    expect(visitor.statistics.quality.timeline).toMatchObject({
      datasets: [0, 2, 2, 3, 3],
      meanPoints: [0, 100, 100, 300, 300],
    });
    expect(ofMember.statistics.quality.timeline).toMatchObject({
      datasets: [0, 2, 3, 4, 4],
      meanPoints: [0, 100, 83.33, 237.5, 237.5],
    });
    expect(ofAdmin.statistics.quality.timeline).toMatchObject({
      datasets: [0, 9, 9, 9, 9],
      meanPoints: [0, 10, 10, 10, 10],
    });
    expect(visitor.organization.quality.timeline).toMatchObject({ datasets: [0, 1, 1], meanPoints: [0, 10, 10] });
    expect(visitor.organization.quality.timeline.dimensions).toHaveLength(5);
    await create('today', { owner_org: org.id });
    await world.app.score();
    const today = 'query { statistics { quality { datasets timeline(interval: DAY) { datasets } } } }';
    const { quality } = (await data(today)).statistics;
    expect(quality.timeline.datasets).toHaveLength(30);
    expect(quality.timeline.datasets.at(-1)).toBe(quality.datasets);
  });

  it('refuses invalid periods and page sizes', async () => {
    const errors = async (field: string, of = 'quality { $ }') => {
      const { body } = await world.graph(`{ statistics { ${of.replace('$', field)} } }`);
      return body.errors?.[0].extensions.code;
    };
    expect(await errors('qualityOrganizations(first: 100) { totalCount }', '$')).toBeUndefined();
    for (const first of [0, 101])
      expect(await errors(`qualityOrganizations(first: ${first}) { totalCount }`, '$')).toBe('VALIDATION');
    const timeline = (from: string) =>
      `timeline(interval: DAY, from: "${from}", to: "2026-02-04T00:00:00Z") { datasets }`;
    expect(await errors(timeline('2025-01-01T00:00:00Z'))).toBeUndefined();
    expect(await errors(timeline('2024-12-31T00:00:00Z'))).toBe('VALIDATION');
    expect(await errors(timeline('2026-02-05T00:00:00Z'))).toBe('VALIDATION');
  });
});
