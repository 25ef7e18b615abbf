import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let chief: TestUser;
let ann: TestUser;
let bob: TestUser;
const ids: Record<string, string> = {};
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http', 'catalog.auth.create_unowned_dataset': false });
  [admin, chief, ann, bob] = await Promise.all([
    world.make.user({ name: 'admin', sysadmin: true }),
    world.make.user({ name: 'chief' }),
    world.make.user({ name: 'ann' }),
    world.make.user({ name: 'bob' }),
  ]);
  await world.result('get_site_user', {}, { as: admin }); // also creates the users `visitor` and `logged_in`
  for (const name of ['visitor', 'logged_in']) ids[name] = (await world.result('user_show', { id: name })).id;
  const members = { [chief.id]: 'admin', [ann.id]: 'editor' } as const;
  ids.office = (await world.make.organization({ name: 'office', members })).id;
  ids.levels = (await world.result('package_create', { name: 'levels', owner_org: 'office' }, { as: ann })).id;
  const secret = { name: 'secret', owner_org: 'office', private: true };
  ids.secret = (await world.result('package_create', secret, { as: ann })).id;
});
afterAll(() => world.end());

const call = async (name: string, params: Record<string, unknown> = {}, as: TestUser | null = null) => {
  const { status, body } = await world.action(name, params, { as });
  const { __type, ...error } = body.error ?? {};
  return body.success ? body.result : { status, ...error };
};
/** Roles of a list as text, with user names. */
const told = ({ roles }: any) => {
  const names = Object.fromEntries(
    [admin, chief, ann, bob]
      .map(({ id, name }) => [id, name])
      .concat(Object.entries(ids).map(([name, id]) => [id, name])),
  );
  return roles.map((role: any) => `${names[role.user_id]} ${role.role}`).join(', ');
};

describe('roles_show', () => {
  it('lists the roles of visitors, signed-in users and the creator of a dataset', async () => {
    const list = await call('roles_show', { domain_object: 'levels' });
    expect(list).toMatchObject({ domain_object_id: ids.levels, domain_object_type: 'Package' });
    expect(told(list)).toBe('ann admin, logged_in reader, visitor reader');
    const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(list.roles[0]).toEqual({
      context: 'Package',
      id,
      package_id: ids.levels,
      role: 'admin',
      user_id: ann.id,
      user_object_role_id: list.roles[0].id,
    });
    expect(await call('roles_show', { domain_object: ids.levels, user: 'ann' })).toEqual({
      ...list,
      roles: [list.roles[0]],
      user: ann.id,
    });
    expect(told(await call('roles_show', { domain_object: 'levels', user: 'bob' }))).toBe('');
    expect(told(await call('roles_show', { domain_object: 'secret' }, ann))).toBe('ann admin');
  });

  it('lists the members of a group, and the roles that the settings give for the site', async () => {
    const list = await call('roles_show', { domain_object: 'office' });
    expect(list).toMatchObject({ domain_object_id: ids.office, domain_object_type: 'Group' });
    expect(told(list)).toBe('ann editor, chief admin, logged_in reader, visitor reader');
    expect(list.roles[0]).toMatchObject({ context: 'Group', group_id: ids.office });
    const site = await call('roles_show', { domain_object: 'system' });
    expect(site).toMatchObject({ domain_object_id: null, domain_object_type: 'type' });
    expect(told(site)).toBe('logged_in editor, visitor reader');
  });

  it('refuses missing and unknown objects, unknown users and unauthorized callers', async () => {
    expect(await call('roles_show')).toMatchObject({ status: 409, domain_object: ['Missing value'] });
    expect(await call('roles_show', { domain_object: 'nope' })).toMatchObject({ status: 404 });
    expect(await call('roles_show', { domain_object: 'levels', user: 'nope' })).toMatchObject({ status: 404 });
    expect(await call('roles_show', { domain_object: 'secret' }, bob)).toMatchObject({ status: 403 });
  });
});

describe('user_role_update', () => {
  const set = (user: unknown, roles: unknown, as: TestUser | null = chief, domain_object: unknown = 'office') =>
    call('user_role_update', { user, domain_object, roles }, as);
  const capacity = async () =>
    (await world.result('member_list', { id: 'office', object_type: 'user' })).find(
      ([id]: [string]) => id === bob.id,
    )?.[2];

  it('sets, changes and removes a capacity', async () => {
    const list = await set('bob', ['reader']);
    expect(list).toMatchObject({ user: bob.id, roles: [{ role: 'reader', user_id: bob.id }] });
    expect(await capacity()).toBe('member');
    await set('bob', 'editor, reader');
    expect(await capacity()).toBe('editor');
    expect(told(await set(bob.id, ['reader', 'admin']))).toBe('bob admin');
    expect((await set('bob', [])).roles).toEqual([]);
    expect(await capacity()).toBeUndefined();
  });

  it('is refused to callers who are not admins of the group', async () => {
    for (const as of [null, ann, bob]) expect(await set('bob', ['admin'], as)).toMatchObject({ status: 403 });
    expect(await capacity()).toBeUndefined();
  });

  it('refuses unknown roles, the built-in user visitor, datasets and the site', async () => {
    expect(await set('bob', ['bogus'])).toMatchObject({ status: 409, roles: ['Must be admin, editor or reader'] });
    expect(await set('visitor', ['admin'])).toMatchObject({
      status: 409,
      roles: [expect.stringContaining('Settings')],
    });
    expect(await set('bob', ['admin'], ann, 'levels')).toMatchObject({
      status: 409,
      domain_object: [expect.stringContaining('organization')],
    });
    expect(await set('bob', ['admin'], bob, 'levels')).toMatchObject({ status: 403 });
    expect(await set('bob', ['admin'], admin, 'system')).toMatchObject({
      status: 409,
      domain_object: expect.any(Array),
    });
    expect(await set('bob', ['admin'], chief, 'system')).toMatchObject({ status: 403 });
  });

  it('reports missing parameters, unknown users and unknown objects', async () => {
    expect(await call('user_role_update', {}, chief)).toEqual({
      status: 409,
      message: 'You must provide the "user" parameter.',
    });
    expect(await set('bob', undefined)).toMatchObject({ message: 'You must provide the "roles" parameter.' });
    expect(await set('nope', ['editor'])).toEqual({ status: 404, message: 'Not found: Cannot find user nope' });
    expect(await set('bob', ['editor'], chief, 'nope')).toMatchObject({ status: 404 });
  });
});

describe('user_role_bulk_update', () => {
  const bulk = (user_roles: unknown, as: TestUser | null = chief) =>
    call('user_role_bulk_update', { domain_object: 'office', user_roles }, as);

  it('sets roles of several users, all or none', async () => {
    const both = [
      { user: 'bob', roles: ['editor'] },
      { user: 'ann', roles: ['reader'] },
    ];
    expect(told(await bulk(both))).toBe('ann reader, bob editor, chief admin, logged_in reader, visitor reader');
    expect(
      await bulk([
        { user: 'bob', roles: [] },
        { user: 'nope', roles: ['editor'] },
      ]),
    ).toMatchObject({ status: 404 });
    expect(told(await bulk([]))).toContain('bob editor');
    expect(await bulk([{ user: 'bob', roles: ['bogus'] }])).toMatchObject({
      user_roles: [{ roles: ['Must be admin, editor or reader'] }],
    });
    expect(await bulk(both, null)).toMatchObject({ status: 403 });
    expect(await bulk([], null)).toMatchObject({ status: 403 });
    expect(await bulk(undefined)).toMatchObject({ status: 409, user_roles: ['Missing value'] });
    expect(await bulk([{ user: 'bob' }])).toMatchObject({ user_roles: [{ roles: ['Missing value'] }] });
    expect(await bulk('x')).toMatchObject({ status: 409 });
  });
});

it('roles in GraphQL link to their users', async () => {
  const query = '{ roles(domainObject: "office", user: "chief") { kind objectId roles { role user { name } } } }';
  expect((await world.full(query)).body.data.roles).toEqual({
    kind: 'GROUP',
    objectId: ids.office,
    roles: [{ role: 'admin', user: { name: 'chief' } }],
  });
});
