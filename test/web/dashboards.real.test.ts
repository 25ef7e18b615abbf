/**
 * Every figure of the dashboard Catalog equals an SQL count on real metadata, before and after 500 random writes, for
 * each kind of caller, with and without filters. The page, its CSV and the public graph say the same.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CHARTS, DASHBOARDS } from '../../facades/web/site/dashboards/charts.ts';
import { documentsRebuild } from '../../src/catalog/dataset/read/documents.service.ts';
import { searchRebuild } from '../../src/search/index/index.service.ts';
import { actorOf, expectedStatistics, readableIds, visibleChanges } from '../graph/statistics.helper.ts';
import { figuresOf, filesOf } from '../helpers/dashboards.ts';
import type { TestUser } from '../helpers/make.ts';
import { randomWrites } from '../helpers/random-writes.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import type { World } from '../helpers/world.ts';

const WRITES = 500;
const SHOWN = 10;
const DAY = 86_400_000;

let world: World;
let write: (number: number) => Promise<void>;
let callers: [string, TestUser | null][];
let organizations: { id: string; name: string }[];

beforeAll(async () => {
  world = await createSampleWorld();
  await spreadTimes();
  const admin = await world.make.sysadmin();
  const [member, editor] = [await world.make.user(), await world.make.user()];
  const listed = async (action: string) =>
    (await world.result(action, { all_fields: true })) as { id: string; name: string }[];
  organizations = await listed('organization_list');
  write = randomWrites({ world, admin, editor, organizations, groups: await listed('group_list') });
  for (const [user, role] of [
    [member, 'member'],
    [editor, 'editor'],
  ] as const)
    for (const { id } of organizations.slice(0, 3))
      await world.result('organization_member_create', { id, username: user.name, role }, { as: admin });
  callers = [
    ['visitor', null],
    ['member', member],
    ['sysadmin', admin],
  ];
}, 600_000);
afterAll(() => world.end());

/** Spreads the datasets over the last 2,500 days, since the import created all of them now. */
async function spreadTimes() {
  const times = `now() - number * interval '61 hours' AS created, now() - number * number * interval '4 minutes' AS modified`;
  const from = `(SELECT id, ${times} FROM (SELECT id, row_number() OVER (ORDER BY name) AS number FROM dataset) n) t`;
  await sql(
    `UPDATE dataset d SET created_at = created, modified_at = greatest(created, modified) FROM ${from} WHERE d.id = t.id`,
    [],
  );
  const call = () => world.app.callAs(world.system);
  for await (const _ of documentsRebuild(call()));
  for await (const _ of searchRebuild(call()));
}

interface Filters {
  readonly organization?: string;
  readonly from?: string;
  readonly to?: string;
  readonly interval?: string;
}

const sql = <Row>(text: string, values: unknown[]) =>
  world.database.pool.query(text, values).then(({ rows }) => rows as Row[]);

/** Ids of the active datasets that a caller may read, of the organization and the days of creation. */
async function chosenIds(readable: readonly string[], { organization, from, to }: Filters): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    `SELECT d.id FROM dataset d LEFT JOIN group_account g ON g.id = d.owner_organization_id
     WHERE d.id = ANY ($1) AND d.state = 'active' AND ($2 = '' OR g.name = $2)
       AND ($3 = '' OR d.created_at >= ($3 || ' 00:00Z')::timestamptz)
       AND ($4 = '' OR d.created_at < ($4 || ' 00:00Z')::timestamptz + interval '1 day')`,
    [readable, organization ?? '', from ?? '', to ?? ''],
  );
  return rows.map(({ id }) => id);
}

/** Values of datasets, for the bars of a field. */
const VALUES: Record<string, string> = {
  organizations: 'SELECT g.name, d.id FROM dataset d JOIN group_account g ON g.id = d.owner_organization_id',
  themes: `SELECT g.name, f.dataset_id FROM dataset_group f JOIN group_account g ON g.id = f.group_id
    WHERE g.state = 'active' AND NOT g.is_organization`,
  formats: `SELECT DISTINCT format, dataset_id FROM resource WHERE state = 'active'`,
  licenses: `SELECT license_id, id FROM dataset WHERE license_id IS NOT NULL`,
};

async function compareBars(chart: string, ids: readonly string[], rows: readonly Record<string, string>[]) {
  const all = await sql<{ name: string; datasets: number }>(
    `SELECT v.name, count(*)::int AS datasets FROM (${VALUES[chart]}) v(name, id) WHERE v.id = ANY ($1) GROUP BY 1`,
    [ids],
  );
  const counts = new Map(all.map(({ name, datasets }) => [name, datasets]));
  const largest = [...counts.values()].sort((a, b) => b - a).slice(0, SHOWN);
  expect([chart, rows.map(({ datasets }) => Number(datasets)), rows.map(({ name }) => name)]).toEqual([
    chart,
    largest,
    expect.anything(), // for the message of a failure
  ]);
  for (const { name, datasets } of rows)
    expect([chart, name, Number(datasets)]).toEqual([chart, name, counts.get(name!)]);
}

async function compareGrowth(readable: readonly string[], filters: Filters, rows: readonly Record<string, string>[]) {
  const ids = await chosenIds(readable, { ...filters, from: '' });
  const created = (await sql<{ at: Date }>('SELECT created_at AS at FROM dataset WHERE id = ANY ($1)', [ids])).map(
    ({ at }) => +at,
  );
  const starts = rows.map(({ period }) => Date.parse(period!));
  const since = filters.from ? Date.parse(filters.from) : starts[0]!;
  const expected = starts.map((start, at) => {
    const end = starts[at + 1] ?? Number.POSITIVE_INFINITY;
    return {
      period: rows[at]!.period,
      created: String(created.filter((it) => it >= Math.max(start, since) && it < end).length),
      total: String(created.filter((it) => it < end).length),
    };
  });
  expect(rows).toEqual(expected);
}

async function compareFreshness(ids: readonly string[], rows: readonly Record<string, string>[]) {
  const modified = await sql<{ at: Date }>('SELECT modified_at AS at FROM dataset WHERE id = ANY ($1)', [ids]);
  const today = Math.floor(Date.now() / DAY) * DAY;
  const ages = modified.map(({ at }) => Math.ceil((today - +at) / DAY)); // 0: today
  const limits = [7, 30, 90, 365, 730, Number.POSITIVE_INFINITY];
  const counts = limits.map((limit, at) => ages.filter((age) => age <= limit && age > (limits[at - 1] ?? -1)).length);
  expect(rows.map(({ datasets }) => Number(datasets))).toEqual(counts);
}

/** The whole first and last periods count, as a timeline counts them. */
async function compareChanges(
  changes: Awaited<ReturnType<typeof visibleChanges>>,
  interval: string,
  rows: Record<string, string>[],
) {
  const ends = rows.map(({ period }) => {
    const start = new Date(period!);
    if (interval === 'week') return +start + 7 * DAY;
    if (interval === 'day') return +start + DAY;
    return Date.UTC(
      start.getUTCFullYear() + Number(interval === 'year'),
      start.getUTCMonth() + Number(interval !== 'year'),
    );
  });
  const counts = (action: string, at: number) =>
    String(
      changes.filter((it) => it.action === action && +it.at >= Date.parse(rows[at]!.period!) && +it.at < ends[at]!)
        .length,
    );
  expect(rows).toEqual(
    rows.map(({ period }, at) => ({
      period,
      created: counts('created', at),
      updated: counts('updated', at),
      deleted: counts('deleted', at),
    })),
  );
}

async function compareTotals(expected: any, [row]: readonly Record<string, string>[]) {
  const { datasets, privateDatasets, resources, bytes, tables, users, edits } = expected;
  const numbers = { datasets, privateDatasets, resources, bytes, tables, users, edits };
  expect(row).toEqual(Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, String(value)])));
}

async function compare() {
  const filterSets: Filters[] = [
    {},
    { organization: organizations[0]!.name },
    { from: '2020-01-15', to: '2024-06-30', interval: 'year' },
    {
      organization: organizations[1]!.name,
      from: new Date(Date.now() - 20 * DAY).toISOString().slice(0, 10),
      interval: 'day',
    },
    { interval: 'week' },
  ];
  for (const [name, as] of callers) {
    const actor = await actorOf(world, as);
    const readable = await readableIds(world, actor);
    const changes = await visibleChanges(world, actor);
    for (const filters of filterSets) {
      const { rows, seen } = await filesOf(world, 'catalog', filters, as);
      const ids = await chosenIds(readable, filters);
      for (const chart of Object.keys(VALUES)) await compareBars(chart, ids, rows[chart]!);
      await compareGrowth(readable, filters, rows.growth!);
      await compareFreshness(ids, rows.freshness!);
      expect([name, 'changes' in rows]).toEqual([name, !filters.organization]);
      if (rows.changes) await compareChanges(changes, filters.interval ?? 'month', rows.changes);
      expect('totals' in rows).toBe(!filters.organization && !filters.from);
      if (rows.totals) await compareTotals(await expectedStatistics(world, actor), rows.totals);
      expect(seen).toEqual(Object.keys(rows));
    }
  }
}

it('every chart is compared', () => {
  const compared = [...Object.keys(VALUES), 'growth', 'freshness', 'changes', 'totals'];
  expect(
    CHARTS.filter(({ dashboard }) => dashboard === 'catalog')
      .map(({ id }) => id)
      .sort(),
  ).toEqual(compared.sort());
  expect(Object.keys(DASHBOARDS)).toContain('catalog');
});

it('figures equal SQL before the writes', compare, 600_000);

it(`and after ${WRITES} random writes`, async () => {
  for (let number = 1; number <= WRITES; number += 1) await write(number);
  await compare();
}, 900_000);

it('the link of a figure leads to that number of datasets', async () => {
  const as = callers[1]![1];
  for (const filters of ['', `?organization=${organizations[0]!.name}&from=2015-01-01&interval=year`]) {
    const figures = await figuresOf(world, `/dashboards/catalog${filters}`, as);
    expect(figures.length).toBeGreaterThan(20);
    for (const { href, value } of figures) {
      const { text, status } = await world.request(href, { headers: { accept: 'text/html', authorization: as!.key } });
      const [, count] = /([\d,]+) datasets?/.exec(text.slice(text.indexOf('class="count"'))) ?? [];
      expect([href, status, Number(count?.replace(/,/g, '') ?? 0)]).toEqual([href, 200, value]);
    }
  }
}, 300_000);
