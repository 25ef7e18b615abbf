import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyPassword } from '../../src/accounts/password/password.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let user: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
});
beforeEach(async () => {
  user = await world.make.user();
});
afterAll(() => world.end());

const row = () => world.database.db.user.findUniqueOrThrow({ where: { id: user.id } });

describe('user_update', () => {
  it('keeps omitted fields', async () => {
    await world.result(
      'user_update',
      { id: user.name, email: 'a@example.com', fullname: 'Full', about: 'About', openid: 'o' },
      { as: user },
    );
    const updated = await world.result('user_update', { id: user.id, email: 'b@example.com' }, { as: user });
    expect(updated).toMatchObject({
      email: 'b@example.com',
      fullname: 'Full',
      about: 'About',
      openid: 'o',
      name: user.name,
      apikey: user.key,
      number_of_edits: 0,
    });
  });

  it('requires the e-mail address each time', async () => {
    for (const params of [{}, { email: '' }, { email: null }]) {
      expect((await world.action('user_update', { id: user.id, ...params }, { as: user })).body.error).toMatchObject({
        __type: 'Validation Error',
        email: ['Missing value'],
      });
    }
  });

  it('changes the name, but not to one that is taken', async () => {
    const email = 'a@example.com';
    const name = `renamed-${user.name}`;
    expect(await world.result('user_update', { id: user.name, email, name }, { as: user })).toMatchObject({
      id: user.id,
      name,
    });
    expect(
      (await world.action('user_update', { id: user.id, email, name: admin.name }, { as: user })).body.error.name,
    ).toEqual(['That login name is not available.']);
  });

  it('changes the password only if one is given', async () => {
    const email = 'a@example.com';
    await world.result('user_update', { id: user.id, email, password: 'longenough' }, { as: user });
    await world.result('user_update', { id: user.id, email, password: '' }, { as: user });
    expect(
      await verifyPassword(world.app.callAs(world.system).secrets.argon, 'longenough', (await row()).passwordHash),
    ).toBe(true);
    expect(
      (await world.action('user_update', { id: user.id, email, password: 'short' }, { as: user })).body.error.password,
    ).toEqual(['Your password must be 8 characters or longer']);
  });

  it('ignores sysadmin flag, state and key from the user, and the key from sysadmins', async () => {
    const given = { id: user.id, email: 'a@example.com', sysadmin: true, state: 'deleted', apikey: 'zzz' };
    expect(await world.result('user_update', given, { as: user })).toMatchObject({
      sysadmin: false,
      state: 'active',
      apikey: user.key,
    });
    expect(await world.result('user_update', given, { as: admin })).toMatchObject({
      sysadmin: true,
      state: 'deleted',
      apikey: user.key,
    });
    expect(await world.result('user_update', { id: user.id, email: 'a@example.com' }, { as: admin })).toMatchObject({
      sysadmin: true,
      state: 'deleted',
    });
  });

  it('is refused to others, and hides from anonymous callers whether a user exists', async () => {
    const stranger = await world.make.user();
    const update = async (id: string, as: TestUser | null) =>
      (await world.action('user_update', { id, email: 'x@example.com' }, { as })).body.error.__type;
    expect(await update(user.id, stranger)).toBe('Authorization Error');
    expect(await update(user.id, null)).toBe('Authorization Error');
    expect(await update('nobody', null)).toBe('Authorization Error');
    expect(await update('nobody', stranger)).toBe('Not Found Error');
  });

  it('requires an id', async () => {
    expect((await world.action('user_update', { email: 'a@example.com' }, { as: admin })).body.error.id).toEqual([
      'Missing value',
    ]);
  });
});

describe('number_of_edits', () => {
  it('does not count writes to users, vocabularies and tags, or datasets of other users', async () => {
    const editor = await world.make.sysadmin();
    const edits = async () => (await world.result('user_show', { id: editor.id })).number_of_edits;
    await world.result(
      'user_create',
      { name: `made-by-${editor.name}`, email: 'a@example.com', password: 'longenough' },
      { as: editor },
    );
    await world.result('user_patch', { id: user.id, about: 'x' }, { as: editor });
    const { id } = await world.result('vocabulary_create', { name: 'edits' }, { as: editor });
    await world.result('tag_create', { name: 'one more', vocabulary_id: id }, { as: editor });
    await world.result('user_generate_apikey', { id: editor.id }, { as: admin });
    expect(await edits()).toBe(0);
    await world.result('package_create', { name: `ds-${editor.name}` }, { as: admin });
    expect(await edits()).toBe(0);
  });

  it('is 0 after registration, and counts datasets created since', async () => {
    const input = { name: 'registered', email: 'registered@example.org', password: 'long enough' };
    const { body } = await world.graph(
      `mutation ($input: RegisterInput!) { register(input: $input) { session { secret user { numberOfEdits } } } }`,
      { input },
    );
    const { secret, user } = body.data.register.session;
    expect(user.numberOfEdits).toBe(0);
    await world.result('package_create', { name: 'by-registered' }, { headers: { authorization: secret } });
    expect((await world.result('user_show', { id: 'registered' })).number_of_edits).toBe(1);
  });

  it('grows with each dataset written and each account deleted', async () => {
    const editor = await world.make.sysadmin();
    await world.result('package_create', { name: `ds-${editor.name}` }, { as: editor });
    await world.result('user_delete', { id: user.id }, { as: editor });
    expect((await world.result('user_show', { id: editor.id })).number_of_edits).toBe(2);
  });
});

describe('user_patch', () => {
  it('changes only given fields', async () => {
    const patched = await world.result(
      'user_patch',
      { id: user.id, about: 'New', activity_streams_email_notifications: true },
      { as: user },
    );
    expect(patched).toMatchObject({
      about: 'New',
      activity_streams_email_notifications: true,
      email: `${user.name}@example.com`,
    });
    expect(await world.result('user_patch', { id: user.id, fullname: 'F' }, { as: user })).toMatchObject({
      about: 'New',
      activity_streams_email_notifications: true,
    });
  });

  it('refuses to empty the e-mail address', async () => {
    expect((await world.action('user_patch', { id: user.id, email: '' }, { as: user })).body.error.email).toEqual([
      'Missing value',
    ]);
  });

  it('honors If-Match', async () => {
    await world.result('user_patch', { id: user.id, about: '1' }, { as: user });
    const { body } = await world.action(
      'user_patch',
      { id: user.id, about: '2' },
      { as: user, headers: { 'if-match': '"1"' } },
    );
    expect(body.error.__type).toBe('Validation Error');
    expect((await row()).about).toBe('1');
  });
});

describe('user_delete', () => {
  it('ends memberships and sign-in, keeps the row and returns null', async () => {
    const organization = await world.make.organization({ members: { [user.id]: 'admin' } });
    expect(await world.result('user_delete', { id: user.name }, { as: admin })).toBeNull();
    expect(await world.database.db.membership.count({ where: { groupId: organization.id, userId: user.id } })).toBe(0);
    expect(
      await world.result('user_show', { id: user.name }, { headers: { authorization: user.key } }),
    ).not.toHaveProperty('email');
    expect(await world.result('user_show', { id: user.name })).toMatchObject({ state: 'deleted' });
    expect(await world.result('user_delete', { id: user.name }, { as: admin })).toBeNull();
  });

  it('can be undone by a sysadmin, without the memberships', async () => {
    await world.make.organization({ members: { [user.id]: 'admin' } });
    await world.result('user_delete', { id: user.id }, { as: admin });
    await world.result('user_patch', { id: user.id, state: 'active' }, { as: admin });
    expect(await world.result('user_show', { id: user.id }, { as: user })).toMatchObject({
      state: 'active',
      email: `${user.name}@example.com`,
    });
    expect(await world.database.db.membership.count({ where: { userId: user.id } })).toBe(0);
  });

  it('is for sysadmins only', async () => {
    for (const as of [user, null])
      expect((await world.action('user_delete', { id: user.id }, { as })).body.error.__type).toBe(
        'Authorization Error',
      );
    expect((await world.action('user_delete', { id: 'nobody' }, { as: user })).body.error.__type).toBe(
      'Authorization Error',
    );
    expect((await world.action('user_delete', { id: 'nobody' }, { as: admin })).body.error.__type).toBe(
      'Not Found Error',
    );
    expect((await world.action('user_delete', {}, { as: admin })).body.error.id).toEqual(['Missing value']);
  });
});

describe('user_generate_apikey', () => {
  it('replaces the key, and the old key no longer works', async () => {
    const { apikey, number_of_edits } = await world.result('user_generate_apikey', { id: user.name }, { as: user });
    expect(apikey).not.toBe(user.key);
    expect(number_of_edits).toBe(0);
    expect(await world.result('user_show', { id: user.id }, { headers: { authorization: apikey } })).toMatchObject({
      apikey,
    });
    expect(await world.result('user_show', { id: user.id }, { as: user })).not.toHaveProperty('apikey');
  });

  it('is refused to others', async () => {
    const stranger = await world.make.user();
    for (const as of [stranger, null])
      expect((await world.action('user_generate_apikey', { id: user.id }, { as })).body.error.__type).toBe(
        'Authorization Error',
      );
    expect((await world.action('user_generate_apikey', { id: 'nobody' }, { as: stranger })).body.error.__type).toBe(
      'Not Found Error',
    );
    expect((await world.action('user_generate_apikey', {}, { as: admin })).body.error.id).toEqual(['Missing value']);
    expect((await row()).version).toBe(1);
  });
});
