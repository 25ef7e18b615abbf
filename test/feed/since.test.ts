/** Changes filtered by time, dataset, organization, group and actor, in pages and as a stream. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { clientOf, follow } from './sockets.ts';

let world: World;
let boss: TestUser;
let ann: TestUser;
let member: TestUser;
const ids: Record<string, string> = {};
let secret: string;
beforeAll(async () => {
  world = await createWorld();
  boss = await world.make.sysadmin();
  ann = await world.make.user({ name: 'ann' });
  member = await world.make.user({ name: 'member' });
  const call = async (name: string, params: Record<string, unknown>, as: TestUser = boss) => {
    const { id } = await world.result(name, params, { as });
    ids[String(params.name ?? params.id)] ??= id;
    return id as string;
  };
  const users = [
    { name: 'ann', capacity: 'editor' },
    { name: 'member', capacity: 'member' },
  ];
  await call('organization_create', { name: 'lake', users });
  await call('organization_create', { name: 'sea', users });
  await call('group_create', { name: 'fish' });
  await call('package_create', { name: 'trout', owner_org: 'lake', groups: [{ name: 'fish' }] });
  await call('package_create', { name: 'cod', owner_org: 'sea' }, ann);
  await call('package_patch', { id: 'trout', title: 'Trout' });
  await call('package_create', { name: 'eel', owner_org: 'lake', private: true }, ann);
  await world.graph('{ changesEnd }'); // reading the log stores the current facts with each change
  await call('package_patch', { id: 'cod', owner_org: 'lake' });
  await world.graph('{ changesEnd }');
  await call('package_patch', { id: 'trout', notes: 'Swims' });
  await call('group_patch', { id: 'fish', title: 'Fish' });
  secret = await call('package_create', { name: 'whale', owner_org: 'sea', private: true });
  await call('package_patch', { id: 'trout', private: true });
});
afterAll(() => world.end());

const READERS: Record<string, () => TestUser | null> = {
  visitor: () => null,
  member: () => member,
  sysadmin: () => boss,
};
const QUERY = `query ($first: Int, $after: String, $since: DateTime, $until: DateTime, $where: ChangeWhere) {
  changes(first: $first, after: $after, since: $since, until: $until, where: $where) {
    totalCount nodes { cursor at operation objectType objectId isGone datasetId actorId name } pageInfo { endCursor hasNextPage } } }`;
const page = async (variables: object, as: TestUser | null) => {
  const { body, text } = await world.graph(QUERY, { first: 100, ...variables }, { as });
  if (body.errors) throw new Error(`${JSON.stringify(variables)}\nanswered ${text}`);
  return body.data.changes;
};
const nodesOf = async (variables: object, as: TestUser | null) => (await page(variables, as)).nodes as any[];
/** All pages of two. */
async function walked(variables: object, as: TestUser | null) {
  const nodes: any[] = [];
  for (let after: string | null = null, pages = 0; pages < 50; pages += 1) {
    const found: any = await page({ ...variables, first: 2, after }, as);
    nodes.push(...found.nodes);
    if (!found.pageInfo.hasNextPage) return nodes;
    after = found.pageInfo.endCursor;
  }
  throw new Error('no end');
}

describe.each(Object.keys(READERS))('for a %s', (reader) => {
  it('filters changes since a time, until a time, and between two times', async () => {
    const as = READERS[reader]!();
    const all = await nodesOf({}, as);
    expect(all.length).toBeGreaterThan(5);
    for (const { at: time } of all) {
      expect(await walked({ since: time }, as)).toEqual(all.filter(({ at }) => at >= time));
      expect(await walked({ until: time }, as)).toEqual(all.filter(({ at }) => at <= time));
      expect(await walked({ since: time, until: time }, as)).toEqual(all.filter(({ at }) => at === time));
    }
    expect(await nodesOf({ since: '2990-01-01T00:00:00Z' }, as)).toEqual([]);
    expect(await nodesOf({ until: '1990-01-01T00:00:00Z' }, as)).toEqual([]);
    expect(await nodesOf({ since: '1990-01-01T00:00:00Z', until: '2990-01-01T00:00:00Z' }, as)).toEqual(all);
  });

  it('returns a cursor before the first change at or after a time', async () => {
    const as = READERS[reader]!();
    const all = await nodesOf({}, as);
    const { at: time } = all[3];
    const cursorAt = async (at: string) =>
      (await world.graph('query ($at: DateTime) { changesEnd(at: $at) }', { at }, { as })).body.data.changesEnd;
    expect(await nodesOf({ after: await cursorAt(time) }, as)).toEqual(all.filter(({ at }) => at >= time));
    expect(await nodesOf({ after: await cursorAt('2990-01-01T00:00:00Z') }, as)).toEqual([]);
    expect(await nodesOf({ after: await cursorAt('1990-01-01T00:00:00Z') }, as)).toEqual(all);
  });

  it('filters changes by dataset, organization, group and actor', async () => {
    const as = READERS[reader]!();
    const all = await nodesOf({}, as);
    const same = async (where: object, fits: (change: any) => boolean) => {
      const expected = all.filter(fits);
      expect(await walked({ where }, as)).toEqual(expected);
      expect((await page({ where, first: 1 }, as)).totalCount).toBe(expected.length);
    };
    const of = (...names: string[]) => names.map((name) => ids[name]);
    await same({ dataset: ids.trout }, ({ objectId }) => objectId === ids.trout);
    await same({ actor: ann.id }, ({ actorId }) => actorId === ann.id);
    await same({ group: ids.fish }, ({ objectId, isGone }) => of('fish', 'trout').includes(objectId) || isGone);
    // `cod` moved from the sea to the lake.
    const lake = of('lake', 'trout', 'eel');
    const moved = all.findIndex(({ objectId, operation }) => objectId === ids.cod && operation === 'UPDATED');
    await same({ organization: ids.lake }, (change) => lake.includes(change.objectId) || all.indexOf(change) === moved);
    await same({ organization: ids.sea }, ({ objectId }) => of('sea', 'cod').includes(objectId) || objectId === secret);
    await same({ dataset: ids.trout, actor: ann.id }, () => false);
    await same({ dataset: 'nowhere' }, () => false);
  });
});

it('a stream takes the same filters, and sends the same changes as a page', async () => {
  const client = clientOf(world.base);
  const text = `subscription ($since: DateTime, $after: String, $where: ChangeWhere) {
    changes(since: $since, after: $after, where: $where) { objectId operation isGone } }`;
  const start = '1990-01-01T00:00:00Z';
  for (const where of [
    { dataset: toGlobalId('Dataset', ids.trout!) },
    { organization: toGlobalId('Organization', ids.lake!) },
    { group: toGlobalId('Group', ids.fish!) },
    { actor: toGlobalId('User', ann.id) },
  ]) {
    const expected = await nodesOf({ where }, null);
    const stream = follow(client, { query: text, variables: { since: start, where } });
    const events = await stream.take(expected.length);
    expect(events.map(({ data }: any) => data.changes.objectId)).toEqual(expected.map(({ objectId }) => objectId));
    stream.stop();
  }
  const live = follow(client, {
    query: text,
    variables: {
      after: (await page({}, null)).pageInfo.endCursor,
      where: { dataset: toGlobalId('Dataset', ids.cod!) },
    },
  });
  await world.result('package_patch', { id: 'trout', private: false }, { as: boss });
  await world.result('package_patch', { id: 'cod', title: 'Cod' }, { as: boss });
  expect((await live.take(1)).map(({ data }: any) => data.changes.objectId)).toEqual([ids.cod]);
  live.stop();
  await client.dispose();
});

it('refuses ids of other types, naming the field', async () => {
  const { body } = await world.graph(QUERY, { where: { dataset: toGlobalId('User', ann.id) } });
  expect(body.errors).toMatchObject([
    { extensions: { code: 'VALIDATION', problems: [{ path: ['where', 'dataset'] }] } },
  ]);
});

it('returns GONE for a time before the oldest change, with the cursor to continue from', async () => {
  await world.database.pool.query('DELETE FROM change WHERE position <= 3');
  for (const query of [
    '{ changes(since: "1990-01-01T00:00:00Z") { totalCount } }',
    '{ changesEnd(at: "1990-01-01T00:00:00Z") }',
  ])
    expect((await world.graph(query)).body.errors).toMatchObject([
      { extensions: { code: 'GONE', oldest: expect.any(String), problems: [{ path: ['since'] }] } },
    ]);
});
