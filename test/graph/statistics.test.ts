/** Statistics of small catalogs equal SQL counts after each kind of write, for each kind of caller. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { actorOf, expectedStatistics, QUERY, sorted } from './statistics.helper.ts';

let world: World;
let admin: TestUser;
let member: TestUser;
let editor: TestUser;
let creator: TestUser;
let callers: [string, TestUser | null][];
let org: { id: string; name: string };

const data = async (query: string, variables = {}, as: TestUser | null = null) => {
  const { body } = await world.graph(query, variables, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};
/** Compares the statistics of every caller with SQL. */
async function compare() {
  for (const [name, as] of callers) {
    const isKnown = (await world.database.db.user.count({ where: { id: as?.id ?? '', state: 'active' } })) > 0;
    const { statistics } = await data(QUERY, { first: 100 }, isKnown ? as : null);
    const expected = await expectedStatistics(world, await actorOf(world, isKnown ? as : null));
    expect([name, sorted(statistics)]).toEqual([name, expected]);
  }
}

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  [member, editor, creator] = [await world.make.user(), await world.make.user(), await world.make.user()];
  org = await world.make.organization({ members: { [member.id]: 'member', [editor.id]: 'editor' } });
  callers = [
    ['visitor', null],
    ['member', member],
    ['editor', editor],
    ['creator', creator],
    ['sysadmin', admin],
  ];
});
afterAll(() => world.end());

describe('statistics', () => {
  it('of an empty catalog are zeros', async () => {
    const { statistics } = await data(QUERY, { first: 1 });
    expect(statistics).toMatchObject({
      datasets: 0,
      bytes: 0,
      edits: 0,
      states: [],
      TAG: { totalCount: 0, items: [] },
    });
    await compare();
  });

  it('follow datasets from creation to purge', async () => {
    const write = async (action: string, params: object, as = admin) => {
      const result = await world.result(action, params as Record<string, unknown>, { as });
      await compare();
      return result;
    };
    const resources = [
      { url: 'http://a', format: 'CSV', size: 100 },
      { url: 'http://b', format: 'PDF', size: 20 },
      { url: 'http://c', format: 'CSV' },
    ];
    const parts = { owner_org: org.id, tags: [{ name: 'air' }, { name: 'water' }], license_id: 'cc-by', resources };
    const { id } = await write('package_create', { name: 'one', ...parts });
    await write('package_create', { name: 'two', ...parts, private: true, type: 'other' }, editor);
    await write('package_create', { name: 'draft', ...parts, state: 'draft' }, editor);
    await write('package_create', { name: 'own', state: 'draft' }, creator);
    await write('package_create', { name: 'own-2', resources }, creator);
    await write('package_patch', { id, private: true });
    await write('package_patch', { id, private: false, license_id: '', tags: [] });
    await write('resource_create', { package_id: id, url: 'http://d', format: 'CSV', size: 7 });
    const group = await world.make.group();
    await write('member_create', { id: group.id, object: id, object_type: 'package', capacity: 'public' });
    await write('group_patch', { id: group.id, title: 'Another' });
    await write('group_delete', { id: group.id });
    await write('bulk_update_private', { org_id: org.id, datasets: [id] });
    await write('bulk_update_public', { org_id: org.id, datasets: [id] });
    await write('tag_delete', { id: 'air' });
    await write('package_delete', { id: 'own-2' }, creator);
    await write('package_delete', { id });
    await write('dataset_purge', { id });
    await write('user_delete', { id: creator.name });
    await write('organization_delete', { id: org.id });
    await write('organization_purge', { id: org.id });
  });
});
