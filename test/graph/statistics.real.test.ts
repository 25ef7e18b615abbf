/** Statistics and timelines of real metadata equal SQL counts, before and after 500 random writes, for each kind of caller. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Actor } from '../../src/kernel/call.ts';
import { statisticsCheck, statisticsRebuild } from '../../src/statistics/check.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import type { World } from '../helpers/world.ts';
import { actorOf, DIMENSIONS, expectedStatistics, QUERY, sorted, visibleChanges } from './statistics.helper.ts';

const WRITES = 500;
const COMPARED_EVERY = 50;
const FIRST = 100;

let world: World;
let admin: TestUser;
let editor: TestUser;
let callers: [string, TestUser | null][];
let organizations: { id: string; name: string }[];
let groups: { id: string; name: string }[];

/** Choices that are the same in every run (Mulberry32). */
let seed = 20_261_123;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

beforeAll(async () => {
  world = await createSampleWorld();
  admin = await world.make.sysadmin();
  const member = await world.make.user();
  editor = await world.make.user();
  const listed = async (action: string) =>
    (await world.result(action, { all_fields: true })) as { id: string; name: string }[];
  organizations = await listed('organization_list');
  groups = await listed('group_list');
  const own = organizations.slice(0, 3);
  for (const [user, role] of [
    [member, 'member'],
    [editor, 'editor'],
  ] as const)
    for (const { id } of own)
      await world.result('organization_member_create', { id, username: user.name, role }, { as: admin });
  callers = [
    ['visitor', null],
    ['member', member],
    ['editor', editor],
    ['sysadmin', admin],
  ];
}, 600_000);
afterAll(() => world.end());

const data = async (query: string, variables: Record<string, unknown>, as: TestUser | null) => {
  const { body } = await world.graph(query, variables, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};

const TIMELINE = `query ($of: TimelineMeasure!, $interval: TimelineInterval!, $from: DateTime, $by: TimelineDimension) {
  timeline(of: $of, interval: $interval, from: $from, by: $by, first: 5) { starts counts total seriesCount series { key counts total } } }`;
const ACTIONS: Record<string, readonly string[]> = {
  CREATED: ['created'],
  UPDATED: ['updated'],
  DELETED: ['deleted'],
  EDITS: ['created', 'updated', 'deleted', 'restored', 'purged'],
};

async function compare() {
  for (const [name, as] of callers) {
    const actor = await actorOf(world, as);
    const all = await expectedStatistics(world, actor);
    const { statistics } = await data(QUERY, { first: FIRST }, as);
    for (const by of DIMENSIONS) {
      // Of groups of equal size at the end of the list, any may be listed.
      const { items, totalCount } = all[by];
      const last = items[FIRST - 1]?.datasets ?? 0;
      const certain = (list: any[]) => list.filter(({ datasets }) => datasets > last);
      expect([name, by, statistics[by].totalCount]).toEqual([name, by, totalCount]);
      expect(statistics[by].items).toHaveLength(Math.min(FIRST, totalCount));
      const sum = (list: any[]) => list.reduce((total, { datasets }) => total + datasets, 0);
      expect([by, sum(statistics[by].items) + statistics[by].otherCount]).toEqual([by, sum(items)]);
      const found = sorted(statistics)[by].items;
      expect([name, by, certain(found)]).toEqual([name, by, certain(items)]);
      for (const item of found) expect(items).toContainEqual(item);
      statistics[by] = all[by];
    }
    expect([name, statistics]).toEqual([name, all]);
    await compareTimelines(name, as, actor);
  }
}

async function compareTimelines(name: string, as: TestUser | null, actor: Actor) {
  const changes = await visibleChanges(world, actor);
  for (const [of, actions] of Object.entries(ACTIONS))
    for (const [interval, by] of [
      ['DAY', 'USER'],
      ['WEEK', null],
      ['MONTH', 'ORGANIZATION'],
      ['YEAR', 'USER'],
    ] as const) {
      const { timeline } = await data(TIMELINE, { of, interval, by }, as);
      const starts: number[] = timeline.starts.map((text: string) => Date.parse(text));
      const countsOf = (list: typeof changes) =>
        starts.map((start, i) => list.filter(({ at }) => +at >= start && +at < (starts[i + 1] ?? Infinity)).length);
      const counted = changes.filter(({ action }) => actions.includes(action));
      const byKey = new Map<string, typeof changes>();
      for (const change of by ? counted : []) {
        const key = by === 'USER' ? change.actorId : change.organizationId;
        if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), change]);
      }
      const series = [...byKey]
        .map(([key, list]) => ({ key, counts: countsOf(list), total: list.length }))
        .sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1))
        .slice(0, 5);
      expect([name, of, interval, timeline]).toEqual([
        name,
        of,
        interval,
        {
          starts: timeline.starts,
          counts: countsOf(counted),
          total: counted.length,
          seriesCount: byKey.size,
          series,
        },
      ]);
    }
}

/** One random write; refusals are expected among them. */
async function write(number: number): Promise<void> {
  const send = (action: string, params: Record<string, unknown>, as = admin) => world.action(action, params, { as });
  const { rows } = await world.database.pool.query(
    'SELECT id, owner_organization_id AS owner FROM dataset ORDER BY id',
  );
  const { id, owner } = pick(rows) as { id: string; owner: string | null };
  const tags = () => [{ name: pick(['air', 'water', 'soil']) }, { name: `tag ${Math.floor(random() * 40)}` }];
  const resource = () => ({ url: 'http://x', format: pick(['CSV', 'PDF', '']), size: Math.floor(random() * 1e6) });
  const organization = pick(organizations);
  const parts = () => ({
    owner_org: organization.id,
    private: random() < 0.3,
    state: pick(['active', 'active', 'draft']),
    license_id: pick(['cc-by', 'odc-pddl', '']),
    tags: tags(),
    resources: [resource(), resource()],
    groups: random() < 0.5 ? [{ name: pick(groups).name }] : [],
  });
  const kinds: (() => Promise<unknown>)[] = [
    () => send('package_create', { name: `made-${number}`, ...parts() }),
    () => send('package_create', { name: `made-${number}`, ...parts(), owner_org: organizations[0]!.id }, editor),
    () => send('package_create', { name: `made-${number}`, ...parts(), owner_org: '' }, editor),
    () => send('package_patch', { id, ...parts() }),
    () => send('package_patch', { id, private: random() < 0.5 }),
    () => send('package_patch', { id, state: pick(['active', 'draft', 'deleted']) }),
    () => send('resource_create', { package_id: id, ...resource() }),
    () => send('package_owner_org_update', { id, organization_id: organization.id }),
    () => send('package_delete', { id }),
    () => send('dataset_purge', { id }),
    () => send('member_create', { id: pick(groups).id, object: id, object_type: 'package', capacity: 'public' }),
    () => send('member_delete', { id: pick(groups).id, object: id, object_type: 'package' }),
    () => send(`bulk_update_${pick(['private', 'public', 'delete'])}`, { org_id: owner, datasets: [id] }),
    () => send('group_patch', { id: pick(groups).id, title: `Group ${number}` }),
    () => send('organization_patch', { id: organization.id, title: `Organization ${number}` }),
    () => send('tag_delete', { id: pick(tags()).name }),
    () => send('user_create', { name: `user-${number}`, email: `${number}@example.org`, password: 'long enough 1' }),
    () => send('user_delete', { id: `user-${Math.floor(random() * number)}` }),
  ];
  if (random() < 0.02) await send('group_delete', { id: pick(groups).id });
  else await pick(kinds)();
}

it('statistics equal SQL before the writes', compare, 600_000);

it(`and after each ${COMPARED_EVERY} of ${WRITES} random writes`, async () => {
  for (let number = 1; number <= WRITES; number += 1) {
    await write(number);
    if (number % COMPARED_EVERY === 0) await compare();
  }
  expect((await statisticsCheck(world.app.callAs(world.system))).faults).toEqual([]);
}, 900_000);

it('and after a rebuild', async () => {
  expect(await statisticsRebuild(world.app.callAs(world.system))).toBeGreaterThan(1_000);
  await compare();
}, 600_000);
