import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let una: TestUser;
let otto: TestUser;
let stranger: TestUser;
let group: { id: string; name: string };
let office: { id: string; name: string };
let dataset: { id: string; name: string };

beforeAll(async () => {
  world = await createWorld();
  [admin, una, otto, stranger] = [
    await world.make.sysadmin(),
    await world.make.user(),
    await world.make.user(),
    await world.make.user(),
  ];
});
beforeEach(async () => {
  group = await world.make.group({ members: { [una.id]: 'admin', [otto.id]: 'member' } });
  office = await world.make.organization({ members: { [una.id]: 'admin', [otto.id]: 'editor' } });
  dataset = await world.make.dataset({ ownerOrganization: office.id });
});
afterAll(() => world.end());

const typeOf = async (name: string, params: Record<string, unknown>, as: TestUser | null = admin) =>
  (await world.action(name, params, { as })).body.error?.__type;

describe.each(['group', 'organization'])('%s_member_create', (kind) => {
  const id = () => (kind === 'group' ? group.name : office.name);

  it('gives a role, and then changes the role of the same membership', async () => {
    const first = await world.result(
      `${kind}_member_create`,
      { id: id(), username: stranger.name, role: 'member' },
      { as: una },
    );
    expect(first).toEqual({
      id: expect.any(String),
      group_id: kind === 'group' ? group.id : office.id,
      table_name: 'user',
      table_id: stranger.id,
      capacity: 'member',
      revision_id: expect.any(String),
      state: 'active',
    });
    const second = await world.result(
      `${kind}_member_create`,
      { id: id(), username: stranger.id, role: 'editor' },
      { as: una },
    );
    expect(second).toEqual({ ...first, capacity: 'editor', revision_id: expect.any(String) });
    expect(second.revision_id).not.toBe(first.revision_id);
    expect(
      await world.result(`${kind}_member_create`, { id: id(), username: stranger.id, role: 'editor' }, { as: una }),
    ).toEqual(second);
  });

  it('reports every error at once', async () => {
    const { body } = await world.action(
      `${kind}_member_create`,
      { id: 'nope', username: 'nobody', role: 'bogus' },
      { as: admin },
    );
    expect(body.error).toMatchObject({
      __type: 'Validation Error',
      id: ['That group name or ID does not exist.'],
      username: ['Not found: User'],
      role: ['role does not exist.'],
    });
    expect((await world.action(`${kind}_member_create`, {}, { as: admin })).body.error).toMatchObject({
      id: ['Missing value'],
      username: ['Missing value'],
      role: ['Missing value'],
    });
  });

  it('is refused to callers who are not admins', async () => {
    for (const as of [otto, stranger, null]) {
      expect(await typeOf(`${kind}_member_create`, { id: id(), username: stranger.name, role: 'admin' }, as)).toBe(
        'Authorization Error',
      );
    }
    expect(await typeOf(`${kind}_member_create`, { id: 'nope', username: 'nobody', role: 'admin' }, null)).toBe(
      'Authorization Error',
    );
  });

  it('is undone by member_delete, also by user_id and when repeated', async () => {
    for (const params of [{ username: otto.name }, { username: otto.name }, { user_id: otto.id }]) {
      expect(await world.result(`${kind}_member_delete`, { id: id(), ...params }, { as: una })).toBeNull();
    }
    expect(await world.result('member_list', { id: id(), object_type: 'user' })).toEqual([[una.id, 'user', 'admin']]);
    expect(await typeOf(`${kind}_member_delete`, { id: id(), username: 'nobody' })).toBe('Not Found Error');
    expect(await typeOf(`${kind}_member_delete`, { id: id() })).toBe('Not Found Error');
    expect(await typeOf(`${kind}_member_delete`, { id: 'nope', username: otto.name })).toBe('Not Found Error');
    expect(await typeOf(`${kind}_member_delete`, { id: id(), username: una.name }, otto)).toBe('Authorization Error');
  });
});

describe('member_create', () => {
  it('adds a dataset to a group, for every member of the group', async () => {
    const params = { id: group.id, object: dataset.name, object_type: 'package', capacity: 'public' };
    expect(await typeOf('member_create', params, stranger)).toBe('Authorization Error');
    expect(await world.result('member_create', params, { as: otto })).toMatchObject({
      table_name: 'package',
      table_id: dataset.id,
      capacity: 'public',
      group_id: group.id,
    });
    expect((await world.result('package_show', { id: dataset.id })).groups).toMatchObject([{ id: group.id }]);
    expect(
      await world.result('member_delete', { id: group.id, object: dataset.id, object_type: 'package' }, { as: otto }),
    ).toBeNull();
    expect((await world.result('package_show', { id: dataset.id })).groups).toEqual([]);
  });

  it('returns Not Found for datasets that the caller may not read', async () => {
    const hidden = await world.make.dataset({ ownerOrganization: (await world.make.organization()).id, private: true });
    const params = { id: group.id, object: hidden.id, object_type: 'package', capacity: 'public' };
    expect(await typeOf('member_create', params, una)).toBe('Not Found Error');
    expect(await typeOf('member_create', params, admin)).toBeUndefined();
  });

  it('adds a parent group, and refuses cycles', async () => {
    const above = await world.make.group();
    await world.result(
      'member_create',
      { id: group.id, object: above.name, object_type: 'group', capacity: 'parent' },
      { as: una },
    );
    expect((await world.result('group_show', { id: group.id })).groups).toMatchObject([
      { name: above.name, capacity: 'parent' },
    ]);
    expect(
      await typeOf('member_create', { id: above.id, object: group.id, object_type: 'group', capacity: 'parent' }),
    ).toBe('Validation Error');
    expect(
      await typeOf('member_create', { id: group.id, object: group.id, object_type: 'group', capacity: 'parent' }),
    ).toBe('Validation Error');
    await world.result('member_delete', { id: group.id, object: above.name, object_type: 'group' }, { as: una });
    expect((await world.result('group_show', { id: group.id })).groups).toEqual([]);
  });

  it('accepts any capacity for a user, but unknown roles grant no permission', async () => {
    const guest = await world.make.user();
    await world.result(
      'member_create',
      { id: office.id, object: guest.name, object_type: 'user', capacity: 'bogus' },
      { as: una },
    );
    expect(await world.result('organization_list_for_user', { permission: 'read' }, { as: guest })).toEqual([]);
  });

  it('reports missing parameters, unknown ids and unauthorized callers', async () => {
    const params = { id: group.id, object: otto.name, object_type: 'user', capacity: 'member' };
    expect((await world.action('member_create', {}, { as: admin })).body.error).toMatchObject({
      id: ['Missing value'],
      object: ['Missing value'],
      object_type: ['Missing value'],
      capacity: ['Missing value'],
    });
    expect(
      (await world.action('member_create', { ...params, object_type: 'bogus' }, { as: admin })).body.error,
    ).toEqual({
      __type: 'Validation Error',
      message: "Bogus isn't a valid model",
    });
    expect(await typeOf('member_create', { ...params, id: 'nope' })).toBe('Not Found Error');
    expect(await typeOf('member_create', { ...params, object: 'nobody' })).toBe('Not Found Error');
    expect(await typeOf('member_create', params, null)).toBe('Authorization Error');
  });

  it('increments the version of the group', async () => {
    const tag = async () => (await world.action('group_show', { id: group.id }, { get: true })).headers.get('etag');
    const before = await tag();
    await world.result(
      'member_create',
      { id: group.id, object: stranger.name, object_type: 'user', capacity: 'member' },
      { as: una },
    );
    expect(await tag()).not.toBe(before);
  });
});

describe('member_list', () => {
  it('lists users and datasets, filtered by object_type or capacity', async () => {
    const all = await world.result('member_list', { id: office.name });
    expect(all).toEqual(
      expect.arrayContaining([
        [una.id, 'user', 'admin'],
        [otto.id, 'user', 'editor'],
        [dataset.id, 'package', 'organization'],
      ]),
    );
    expect(all).toHaveLength(3);
    expect(await world.result('member_list', { id: office.name, object_type: 'package' }, { get: true })).toEqual([
      [dataset.id, 'package', 'organization'],
    ]);
    expect(await world.result('member_list', { id: office.name, capacity: 'admin' })).toEqual([
      [una.id, 'user', 'admin'],
    ]);
    for (const params of [{ object_type: 'bogus' }, { capacity: 'bogus' }])
      expect(await world.result('member_list', { id: office.id, ...params })).toEqual([]);
  });

  it('refuses unknown groups and groups that the caller may not read', async () => {
    await world.result('organization_delete', { id: office.id }, { as: admin });
    expect(await typeOf('member_list', { id: office.id }, stranger)).toBe('Authorization Error');
    expect(await typeOf('member_list', { id: office.id }, otto)).toBeUndefined();
    expect(await typeOf('member_list', { id: 'nope' })).toBe('Not Found Error');
    expect(await typeOf('member_list', { id: '' })).toBe('Not Found Error');
    expect(await typeOf('member_list', {})).toBe('Validation Error');
  });
});

it('member_roles_list returns the roles of organizations or of groups', async () => {
  const all = [
    { text: 'Admin', value: 'admin' },
    { text: 'Editor', value: 'editor' },
    { text: 'Member', value: 'member' },
  ];
  expect(await world.result('member_roles_list', {}, { get: true })).toEqual(all);
  expect(await world.result('member_roles_list', { group_type: 'bogus' })).toEqual(all);
  expect(await world.result('member_roles_list', { group_type: 'group' })).toEqual([all[0], all[2]]);
});
