import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let una: TestUser;
let admin: TestUser;
const asGet = { get: true } as const;

beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
  una = await world.make.user({ name: 'una' });
  for (const [name, title] of [
    ['alpha', 'zz last'],
    ['beta', 'Boats'],
    ['gamma', 'a first'],
  ] as const) {
    await world.make.group({ name, title, members: name === 'beta' ? { [una.id]: 'member' } : {} });
    await world.make.organization({
      name: `org-${name}`,
      title,
      members: name === 'beta' ? { [una.id]: 'editor' } : {},
    });
  }
  await world.make.dataset({ groups: [{ name: 'beta' }, { name: 'gamma' }], ownerOrganization: 'org-beta' });
  await world.make.dataset({ groups: [{ name: 'beta' }], ownerOrganization: 'org-gamma' });
  await world.make.dataset({ groups: [{ name: 'beta' }], ownerOrganization: 'org-beta', private: true });
  await world.result('group_create', { name: 'gone', state: 'deleted' }, { as: admin });
  await world.result('group_create', { name: 'below-beta', title: 'Below', groups: [{ name: 'beta' }] }, { as: admin });
  await world.result('group_purge', { id: 'below-beta' }, { as: admin });
});
afterAll(() => world.end());

describe('group_list', () => {
  it('returns names of active groups, not of organizations', async () => {
    expect(await world.result('group_list', {}, asGet)).toEqual(['alpha', 'beta', 'gamma']);
  });

  it('accepts 40,000 names', async () => {
    const groups = [...Array.from({ length: 40_000 }, (_, n) => `none-${n}`), 'beta'];
    expect(await world.result('group_list', { groups })).toEqual(['beta']);
  });

  it.each([
    [{ sort: 'name desc' }, ['gamma', 'beta', 'alpha']],
    [{ sort: 'title' }, ['gamma', 'beta', 'alpha']],
    [{ sort: 'package_count' }, ['beta', 'gamma', 'alpha']],
    [{ sort: 'package_count asc' }, ['alpha', 'gamma', 'beta']],
    [{ order_by: 'packages' }, ['beta', 'gamma', 'alpha']],
    [{ sort: 'name', order_by: 'packages' }, ['alpha', 'beta', 'gamma']],
    [{ sort: '' }, ['alpha', 'beta', 'gamma']],
    [{ limit: '2' }, ['alpha', 'beta']],
    [{ limit: '0' }, []],
    [{ offset: '1' }, ['beta', 'gamma']],
    [{ limit: '1', offset: '1' }, ['beta']],
    [{ groups: 'gamma,alpha,nope' }, ['alpha', 'gamma']],
    [{ groups: 'nope' }, []],
    [{ groups: '' }, ['alpha', 'beta', 'gamma']],
  ])('answers %j', async (params, names) => {
    expect(await world.result('group_list', params, asGet)).toEqual(names);
  });

  it.each([
    [{ sort: 'bogus' }, { message: 'Cannot sort by field `bogus`' }],
    [{ sort: 'name sideways' }, { message: 'Invalid sort direction `sideways`' }],
    [{ sort: 'name, title' }, { message: 'Too many sort criteria provided only 1 allowed' }],
    [{ order_by: 'constructor' }, { message: 'Cannot sort by field `constructor`' }],
    [{ limit: 'x' }, { limit: ['Invalid integer'] }],
    [{ offset: '-1' }, { offset: ['Must be a natural number'] }],
  ])('refuses %j', async (params, error) => {
    expect((await world.action('group_list', params, asGet)).body.error).toMatchObject({
      __type: 'Validation Error',
      ...error,
    });
  });

  it('returns dictionaries with all_fields, with further parts only on request', async () => {
    const [plain] = await world.result('group_list', { all_fields: true, groups: ['beta'] });
    expect(plain).toMatchObject({ name: 'beta', display_name: 'Boats', package_count: 2, num_followers: 0 });
    for (const key of ['users', 'extras', 'groups', 'tags', 'packages']) expect(plain).not.toHaveProperty(key);
    const [whole] = await world.result('group_list', {
      all_fields: true,
      groups: ['beta'],
      include_users: true,
      include_extras: true,
      include_groups: true,
      include_tags: true,
      include_datasets: true,
    });
    expect(whole).toMatchObject({ extras: [], groups: [], tags: [], users: [{ name: 'una', capacity: 'member' }] });
    expect(whole.packages).toHaveLength(2);
    expect(await world.result('group_list', { groups: ['beta'], include_users: true })).toEqual(['beta']);
  });

  it('sends as many statements for many groups as for one', async () => {
    const all = { all_fields: true, include_users: true, include_extras: true, include_groups: true };
    const few = await world.statementsOf(() => world.result('group_list', { ...all, groups: ['beta'] }));
    const many = await world.statementsOf(() =>
      world.result('group_list', { ...all, groups: ['alpha', 'beta', 'gamma'] }),
    );
    expect(many.length).toBe(few.length);
  });
});

describe('organization_list', () => {
  it('counts private datasets for members and system administrators', async () => {
    const counts = async (as: TestUser | null) =>
      Object.fromEntries(
        (await world.result('organization_list', { all_fields: true }, { as })).map((one: any) => [
          one.name,
          one.package_count,
        ]),
      );
    expect(await counts(null)).toEqual({ 'org-alpha': 0, 'org-beta': 1, 'org-gamma': 1 });
    expect(await counts(una)).toEqual({ 'org-alpha': 0, 'org-beta': 2, 'org-gamma': 1 });
    expect(await counts(admin)).toEqual({ 'org-alpha': 0, 'org-beta': 2, 'org-gamma': 1 });
  });

  it('lists only the names in the organizations parameter', async () => {
    expect(await world.result('organization_list', { organizations: ['org-beta', 'alpha'] })).toEqual(['org-beta']);
  });
});

describe('lists of the caller', () => {
  const names = async (action: string, params: Record<string, unknown>, as: TestUser | null) =>
    (await world.result(action, params, { as })).map((one: any) => one.name);

  it('return groups to which the caller may add datasets, sorted by title', async () => {
    expect(await names('group_list_authz', {}, null)).toEqual([]);
    expect(await names('group_list_authz', {}, una)).toEqual(['beta']);
    expect(await names('group_list_authz', { available_only: true }, una)).toEqual(['beta']);
    expect(await names('group_list_authz', {}, admin)).toEqual(['gamma', 'beta', 'alpha']);
    expect(await names('group_list_authz', { am_member: true }, admin)).toEqual([]);
  });

  it('return organizations by permission, and treat unknown permissions as admin', async () => {
    for (const permission of ['read', 'create_dataset', 'update_dataset', 'delete_dataset']) {
      expect(await names('organization_list_for_user', { permission }, una)).toEqual(['org-beta']);
    }
    for (const permission of ['edit_group', 'admin', 'bogus', '']) {
      expect(await names('organization_list_for_user', { permission }, una)).toEqual([]);
    }
    expect(await names('organization_list_for_user', {}, admin)).toEqual(['org-gamma', 'org-beta', 'org-alpha']);
    expect(await names('organization_list_for_user', { permission: 'read' }, null)).toEqual([]);
  });

  it('extend the permissions of an admin to child organizations', async () => {
    const boss = await world.make.user();
    const top = await world.make.organization({ name: 'top', members: { [boss.id]: 'admin' } });
    const below = await world.result('organization_create', { name: 'below', groups: [{ id: top.id }] }, { as: admin });
    expect(await names('organization_list_for_user', {}, boss)).toEqual(['below', 'top']);
    expect((await world.action('organization_patch', { id: below.id, title: 'x' }, { as: boss })).body.success).toBe(
      true,
    );
    await world.result('organization_purge', { id: below.id }, { as: admin });
    await world.result('organization_purge', { id: top.id }, { as: admin });
  });
});

describe('autocomplete', () => {
  it('finds parts of names and titles, ignoring case, sorted by title', async () => {
    const found = await world.result('organization_autocomplete', { q: 'A' }, asGet);
    expect(found.map((one: any) => one.name)).toEqual(['org-gamma', 'org-beta', 'org-alpha']);
    expect(Object.keys(found[0]).sort()).toEqual(['id', 'name', 'title']);
    expect((await world.result('group_autocomplete', { q: 'boat' })).map((one: any) => one.name)).toEqual(['beta']);
    expect(await world.result('group_autocomplete', { q: '%' })).toEqual([]);
    expect(await world.result('group_autocomplete', { q: '', limit: 1 })).toHaveLength(1);
  });

  it('requires q', async () => {
    expect((await world.action('organization_autocomplete', {}, asGet)).body.error).toMatchObject({
      q: ['Missing value'],
    });
  });
});

describe.each([
  ['group_list', 'groups', 'wide-group'],
  ['organization_list', 'organizations', 'wide-org'],
])('include_datasets of %s', (action, only, prefix) => {
  const whole = { all_fields: '1', include_datasets: '1' };
  const refused = {
    __type: 'Validation Error',
    message: expect.stringContaining(
      'at most 25 groups or organizations per request. Use limit and offset to read more',
    ),
  };
  beforeAll(async () => {
    const make = action === 'group_list' ? world.make.group : world.make.organization;
    for (let n = 10; n < 36; n++) await make({ name: `${prefix}-${n}` });
  });

  it('is refused for more than 25 results, and never truncated', async () => {
    for (const params of [whole, { ...whole, limit: '26' }, { ...whole, limit: '1000', offset: '1' }]) {
      expect((await world.action(action, params, asGet)).body).toMatchObject({ success: false, error: refused });
    }
    const names = Array.from({ length: 26 }, (_, n) => `${prefix}-${n + 10}`);
    expect((await world.action(action, { ...whole, [only]: names })).body.error).toMatchObject(refused);
  });

  it('is accepted with a limit, with 25 names, and for the last 25 results', async () => {
    const page = await world.result(action, { ...whole, limit: '25' }, asGet);
    expect(page).toHaveLength(25);
    expect(page[24]).toHaveProperty('packages', []);
    expect(await world.result(action, { ...whole, limit: '0' }, asGet)).toEqual([]);
    expect(await world.result(action, { ...whole, offset: '4' }, asGet)).toHaveLength(25);
    const names = Array.from({ length: 25 }, (_, n) => `${prefix}-${n + 10}`);
    expect(await world.result(action, { ...whole, limit: 100, [only]: names })).toHaveLength(25);
  });

  it('does not limit requests without all_fields or without datasets', async () => {
    expect(await world.result(action, { include_datasets: '1' }, asGet)).toHaveLength(29);
    expect(await world.result(action, { all_fields: '1' }, asGet)).toHaveLength(29);
  });
});
