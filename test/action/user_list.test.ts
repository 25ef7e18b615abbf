import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let zed: TestUser;
let ann: TestUser;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.user({ name: 'admin', sysadmin: true });
  zed = await world.make.user({ name: 'zed' });
  ann = await world.make.user({ name: 'ann' });
  await world.result('user_patch', { id: 'zed', fullname: 'Aaron Zed' }, { as: zed });
  await world.result('package_create', { name: 'ann-one' }, { as: ann });
  await world.result('package_create', { name: 'ann-two' }, { as: ann });
});
afterAll(() => world.end());

const names = async (params: Record<string, unknown> = {}, as?: TestUser) =>
  (await world.result('user_list', params, { get: true, ...(as && { as }) })).map(
    (user: { name: string }) => user.name,
  );

describe('user_list', () => {
  it('lists full user objects by display name, without secrets', async () => {
    const users = await world.result('user_list', {}, { get: true });
    expect(users.map((user: { name: string }) => user.name)).toEqual(['zed', 'admin', 'ann']);
    expect(users[2]).toEqual({
      id: ann.id,
      name: 'ann',
      fullname: null,
      display_name: 'ann',
      about: null,
      openid: null,
      email_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      activity_streams_email_notifications: false,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
      state: 'active',
      sysadmin: false,
      number_of_edits: 2,
      number_created_packages: 2,
    });
  });

  it('shows e-mail address and key to the user and to sysadmins', async () => {
    const own = await world.result('user_list', {}, { as: ann });
    expect(
      own.filter((user: object) => 'apikey' in user || 'email' in user).map((user: { name: string }) => user.name),
    ).toEqual(['ann']);
    const all = await world.result('user_list', {}, { as: admin });
    expect(all.map((user: { apikey: string }) => user.apikey)).toEqual([zed.key, admin.key, ann.key]);
  });

  it('searches name and full name, ignoring case, and e-mail addresses for sysadmins', async () => {
    expect(await names({ q: 'AARON' })).toEqual(['zed']);
    expect(await names({ q: 'zed@' })).toEqual([]);
    expect(await names({ q: 'zed@' }, ann)).toEqual([]);
    expect(await names({ q: 'zed@' }, admin)).toEqual(['zed']);
    expect(await names({ q: '_' })).toEqual([]);
  });

  it('sorts by edits or created datasets, in descending order', async () => {
    expect((await names({ order_by: 'edits' }))[0]).toBe('ann');
    expect((await names({ order_by: 'number_created_packages' }))[0]).toBe('ann');
  });

  it('sorts by other public fields, with users without a value last', async () => {
    await world.result('user_patch', { id: 'ann', about: 'a', openid: 'b' }, { as: ann });
    await world.result('user_patch', { id: 'admin', about: 'b', openid: 'a' }, { as: admin });
    expect(await names({ order_by: 'about' })).toEqual(['ann', 'admin', 'zed']);
    expect(await names({ order_by: 'openid' })).toEqual(['admin', 'ann', 'zed']);
    expect(await names({ order_by: 'created' })).toEqual(['admin', 'zed', 'ann']);
    expect(await names({ order_by: 'sysadmin' })).toEqual(['zed', 'ann', 'admin']);
    const byId = [admin, zed, ann].sort((a, b) => (a.id < b.id ? -1 : 1)).map((user) => user.name);
    expect(await names({ order_by: 'id' })).toEqual(byId);
  });

  it.each([
    'email',
    'email_hash',
    'apikey',
    'password',
    'reset_key',
    'bogus',
    '__proto__',
    'name; DROP TABLE user_account',
  ])('sorts by display name for the unsupported order_by %s', async (order_by) => {
    expect(await names({ order_by }, admin)).toEqual(['zed', 'admin', 'ann']);
  });

  it('runs as many statements for many users as for one', async () => {
    const all = await world.statementsOf(() => names());
    const one = await world.statementsOf(() => names({ q: 'ann' }));
    expect(all).toHaveLength(one.length);
  });

  it('omits deleted users', async () => {
    const gone = await world.make.user({ name: 'gone' });
    await world.result('user_delete', { id: gone.id }, { as: admin });
    expect(await names({ q: 'gone' })).toEqual([]);
  });
});

describe('user_autocomplete', () => {
  it('returns id, name and full name', async () => {
    expect(await world.result('user_autocomplete', { q: 'aar' }, { get: true })).toEqual([
      { id: zed.id, name: 'zed', fullname: 'Aaron Zed' },
    ]);
  });

  it('applies the limit, and refuses an invalid one', async () => {
    expect(await world.result('user_autocomplete', { q: 'a', limit: 1 }, { get: true })).toHaveLength(1);
    const { body } = await world.action('user_autocomplete', { q: 'a', limit: 'x' }, { get: true });
    expect(body.error).toMatchObject({ __type: 'Validation Error', limit: ['Invalid integer'] });
    expect((await world.action('user_autocomplete', { q: 'a', limit: 1001 })).body.error.limit).toEqual([
      'Must be at most 1000 (got 1001; catalog.limits.rows)',
    ]);
  });

  it('requires q', async () => {
    expect((await world.action('user_autocomplete', {}, { get: true })).body.error).toMatchObject({
      __type: 'Validation Error',
      q: ['Missing value'],
    });
  });

  it('does not search e-mail addresses', async () => {
    expect(await world.result('user_autocomplete', { q: 'example.com' }, { as: admin })).toEqual([]);
  });
});
