/** Lists of deleted organizations, groups and users, and fields that say what the caller may do with them. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let root: TestUser;
let ann: TestUser;
let ben: TestUser;
beforeAll(async () => {
  world = await createWorld({
    'catalog.auth.user_create_groups': false,
    'catalog.auth.user_delete_organizations': false,
  });
  root = await world.make.sysadmin();
  [ann, ben] = [await world.make.user({ name: 'ann' }), await world.make.user({ name: 'ben' })];
  for (const name of ['town', 'gone-town']) await world.make.organization({ name, members: { [ann.id]: 'admin' } });
  for (const name of ['water', 'gone-water']) await world.make.group({ name, members: { [ann.id]: 'admin' } });
  await world.result('organization_delete', { id: 'gone-town' }, { as: root });
  await world.result('group_delete', { id: 'gone-water' }, { as: root });
  await world.result('user_delete', { id: 'ben' }, { as: root });
});
afterAll(() => world.end());

const LISTS = `{
  organizations(where: { deleted: true }) { totalCount nodes { name } }
  groups(where: { deleted: true }) { totalCount nodes { name } }
  users(where: { deleted: true }) { totalCount nodes { name } }
}`;

it('lists deleted objects only for system administrators', async () => {
  const { body } = await world.graph(LISTS, {}, { as: root });
  expect(body.data).toEqual({
    organizations: { totalCount: 1, nodes: [{ name: 'gone-town' }] },
    groups: { totalCount: 1, nodes: [{ name: 'gone-water' }] },
    users: { totalCount: 1, nodes: [{ name: 'ben' }] },
  });
  for (const as of [null, ann, ben]) {
    const answer = await world.graph(LISTS, {}, { as });
    const codes = answer.body.errors.map((error: any) => error.extensions.code);
    expect(codes).toEqual(['NOT_AUTHORIZED', 'NOT_AUTHORIZED', 'NOT_AUTHORIZED']);
    expect(answer.text).not.toMatch(/gone-|"ben"/);
  }
});

it('omits deleted objects from the default lists', async () => {
  const { body } = await world.graph(
    `{ organizations { totalCount nodes { name } } groups(where: { deleted: false }) { nodes { name } }
       users(where: { sysadmin: false }) { totalCount nodes { name } } sysadmins: users(where: { sysadmin: true }) { totalCount } }`,
  );
  expect(body.data).toEqual({
    organizations: { totalCount: 1, nodes: [{ name: 'town' }] },
    groups: { nodes: [{ name: 'water' }] },
    users: { totalCount: 1, nodes: [{ name: 'ann' }] },
    sysadmins: { totalCount: 1 },
  });
});

it.each([
  ['a visitor', (): TestUser | null => null, [false, false], [false, false]],
  ['an admin', () => ann, [true, false], [false, true]],
  ['a system administrator', () => root, [true, true], [true, true]],
] as const)('shows %s the allowed actions', async (_, as, organization, site) => {
  const { body } = await world.graph(
    `{ organization(name: "town") { viewerCanUpdate viewerCanDelete }
       site { viewerCanCreateGroups viewerCanCreateOrganizations } }`,
    {},
    { as: as() },
  );
  expect(Object.values(body.data.organization)).toEqual(organization);
  expect(Object.values(body.data.site)).toEqual(site);
});

it('shows an admin that a deleted group can be changed', async () => {
  const { body } = await world.graph('{ group(name: "gone-water") { viewerCanUpdate } }', {}, { as: ann });
  expect(body.data.group).toEqual({ viewerCanUpdate: true });
});
