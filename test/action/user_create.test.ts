import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyPassword } from '../../src/accounts/password/password.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { tenAtOnce } from '../helpers/writers.ts';

let world: World;
let admin: TestUser;
let other: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  other = await world.make.user();
});
afterAll(() => world.end());

const good = { email: 'New@Example.com ', password: 'longenough' };
const create = (params: Record<string, unknown>, as: TestUser | null = admin) =>
  world.action('user_create', params, { as });

describe('user_create', () => {
  it('creates a user with a working API key', async () => {
    const user = await world.result(
      'user_create',
      { ...good, name: 'nina', fullname: 'Nina N', about: 'x', openid: 'http://o.example/' },
      { as: admin },
    );
    expect(user).toMatchObject({
      name: 'nina',
      fullname: 'Nina N',
      display_name: 'Nina N',
      about: 'x',
      openid: 'http://o.example/',
      email: good.email,
      email_hash: 'b681d72feaf8bf6a93d9a8ab86679ec3',
      state: 'active',
      sysadmin: false,
      number_of_edits: 0,
      number_created_packages: 0,
    });
    const shown = await world.result('user_show', { id: 'nina' }, { headers: { authorization: user.apikey } });
    expect(shown).toEqual(user);
  });

  it('stores only an Argon2id hash of the password, and no secret in the change log', async () => {
    const { apikey } = await world.result('user_create', { ...good, name: 'hashed' }, { as: admin });
    const row = await world.database.db.user.findUniqueOrThrow({ where: { name: 'hashed' } });
    expect(await verifyPassword(world.app.callAs(world.system).secrets.argon, 'longenough', row.passwordHash)).toBe(
      true,
    );
    expect(JSON.stringify(row)).not.toContain(apikey);
    const log = JSON.stringify([
      await world.database.db.change.findMany({ select: { detail: true } }),
      await world.database.db.revision.findMany(),
    ]);
    expect(log).toContain('hashed');
    for (const secret of [apikey, 'longenough', row.passwordHash, row.apiKeyHash, row.apiKeySealed, good.email])
      expect(log).not.toContain(secret);
  });

  it('reports every error at once', async () => {
    const { body } = await create({ name: 'Bad Name', password: 'abc' });
    expect(body.error).toEqual({
      __type: 'Validation Error',
      message: expect.any(String),
      email: ['Missing value'],
      name: ['Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'],
      password: ['Your password must be 4 characters or longer'],
    });
    expect((await create({})).body.error).toMatchObject({
      name: ['Missing value'],
      email: ['Missing value'],
      password: ['Missing value'],
    });
  });

  it('refuses a name that is not a string, with the messages that clients expect', async () => {
    expect((await create({ ...good, name: 5 })).body.error).toMatchObject({
      name: ['Names must be strings', 'User names must be strings'],
    });
  });

  it('refuses names that are taken, also by deleted users', async () => {
    await world.result('user_create', { ...good, name: 'former' }, { as: admin });
    await world.result('user_delete', { id: 'former' }, { as: admin });
    for (const name of ['former', other.name, 'default']) {
      expect((await create({ ...good, name })).body.error.name).toEqual(['That login name is not available.']);
    }
  });

  it('creates one user for ten concurrent requests with the same name', async () => {
    const answers = await tenAtOnce(world, () => create({ ...good, name: 'twin' }));
    const refusals = answers.filter(({ body }) => !body.success).map(({ body }) => body.error.__type);
    expect(refusals).toEqual(Array(9).fill('Validation Error'));
  });

  it('lets sysadmins set id, state and the sysadmin flag, but not the key', async () => {
    const { body } = await create({
      ...good,
      name: 'ownid',
      id: 'my-user-id',
      state: 'deleted',
      sysadmin: true,
      apikey: 'custom-key',
    });
    expect(body.result).toMatchObject({ id: 'my-user-id', state: 'deleted', sysadmin: true });
    expect(body.result.apikey).not.toBe('custom-key');
    expect((await create({ ...good, name: 'ownid2', id: 'my-user-id' })).body.error.id).toEqual([
      'User id already exists',
    ]);
    expect((await create({ ...good, name: 'badstate', state: 'asleep' })).body.error.state).toHaveLength(1);
  });

  it('is refused to other users and anonymous callers', async () => {
    for (const as of [null, other]) {
      expect((await create({ ...good, name: 'sneaky' }, as)).body.error).toMatchObject({
        __type: 'Authorization Error',
        message: expect.stringMatching(/^Access denied/),
      });
    }
    expect((await world.action('user_show', { id: 'sneaky' })).body.success).toBe(false);
  });

  it('does not fail with a server error on malformed values', async () => {
    for (const odd of [
      { name: ['a'] },
      { name: { a: 1 } },
      { email: { a: 1 } },
      { password: ['x'] },
      { name: 'a\0b' },
      { about: '\ud800' },
      { state: 7 },
      { sysadmin: [] },
    ]) {
      const { status } = await create({ ...good, name: `odd-${world.id()}`, ...odd });
      expect(status).toBeLessThan(500);
    }
  });
});
