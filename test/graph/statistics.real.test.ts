/** Statistics and timelines of real metadata equal SQL counts, before and after 500 random writes, for each kind of caller. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Actor } from '../../src/kernel/call.ts';
import { statisticsCheck, statisticsRebuild } from '../../src/statistics/check.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { randomWrites } from '../helpers/random-writes.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import type { World } from '../helpers/world.ts';
import { actorOf, DIMENSIONS, expectedStatistics, QUERY, sorted, visibleChanges } from './statistics.helper.ts';

const WRITES = 500;
const COMPARED_EVERY = 50;
const FIRST = 100;

let world: World;
let write: (number: number) => Promise<void>;
let callers: [string, TestUser | null][];

beforeAll(async () => {
  world = await createSampleWorld();
  const admin = await world.make.sysadmin();
  const member = await world.make.user();
  const editor = await world.make.user();
  const listed = async (action: string) =>
    (await world.result(action, { all_fields: true })) as { id: string; name: string }[];
  const organizations = await listed('organization_list');
  const groups = await listed('group_list');
  write = randomWrites({ world, admin, editor, organizations, groups });
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
      // The list may end with any of the groups of equal size.
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

it('statistics equal SQL before the writes', compare, 600_000);

it(`statistics equal SQL after each ${COMPARED_EVERY} of ${WRITES} random writes`, async () => {
  for (let number = 1; number <= WRITES; number += 1) {
    await write(number);
    if (number % COMPARED_EVERY === 0) await compare();
  }
  expect((await statisticsCheck(world.app.callAs(world.system))).faults).toEqual([]);
}, 900_000);

it('statistics equal SQL after a rebuild', async () => {
  expect(await statisticsRebuild(world.app.callAs(world.system))).toBeGreaterThan(1_000);
  await compare();
}, 600_000);
