import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.user({ name: 'admin', sysadmin: true });
  ann = await world.make.user({ name: 'ann' });
  bob = await world.make.user({ name: 'bob' });
});
afterAll(() => world.end());

const PATCH =
  'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { version fullName about } errors { code path } } }';
const CREATE =
  'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { databaseId apiKey sysadmin state } errors { code path message } } }';

describe('viewer', () => {
  it('is the caller, with e-mail address and without API key', async () => {
    const { body } = await world.graph('{ viewer { name email apiKey viewerSeesAccount } }', {}, { as: ann });
    expect(body.data.viewer).toEqual({
      name: 'ann',
      email: 'ann@example.com',
      apiKey: null,
      viewerSeesAccount: true,
    });
  });

  it('is null for anonymous callers', async () => {
    expect((await world.graph('{ viewer { name } }')).body).toMatchObject({ data: { viewer: null } });
  });
});

describe('users', () => {
  it('pages by display name and returns every user once', async () => {
    const names: string[] = [];
    let after: string | null = null;
    do {
      const { body } = await world.graph(
        'query ($after: String) { users(first: 1, after: $after) { nodes { name } totalCount pageInfo { hasNextPage endCursor } } }',
        { after },
      );
      names.push(...body.data.users.nodes.map((user: { name: string }) => user.name));
      expect(body.data.users.totalCount).toBe(3);
      after = body.data.users.pageInfo.hasNextPage ? body.data.users.pageInfo.endCursor : null;
    } while (after !== null);
    expect(names).toEqual(['admin', 'ann', 'bob']);
  });

  it('shows e-mail addresses and keys of other users only to sysadmins', async () => {
    const secrets = async (as: TestUser | null) => {
      const { body } = await world.graph('{ users { nodes { name email apiKey } } }', {}, { as });
      return body.data.users.nodes
        .filter((user: any) => user.email !== null || user.apiKey !== null)
        .map((user: any) => user.name);
    };
    expect(await secrets(null)).toEqual([]);
    expect(await secrets(ann)).toEqual(['ann']);
    expect(await secrets(admin)).toEqual(['admin', 'ann', 'bob']);
  });

  it('finds by e-mail address for sysadmins only', async () => {
    const found = async (as: TestUser) =>
      (await world.graph('{ users(where: { text: "BOB@example" }) { nodes { name } } }', {}, { as })).body.data.users
        .nodes;
    expect(await found(admin)).toEqual([{ name: 'bob' }]);
    expect(await found(ann)).toEqual([]);
  });

  it('matches database wildcards literally', async () => {
    const { body } = await world.graph('{ users(where: { text: "%" }) { nodes { name } } }');
    expect(body.data.users.nodes).toEqual([]);
  });

  it('sends as many statements for many users as for one', async () => {
    const count = async (first: number) =>
      (
        await world.statementsOf(() =>
          world.graph(`{ users(first: ${first}) { nodes { numberOfEdits datasetCount followerCount } } }`),
        )
      ).length;
    expect(await count(3)).toBe(await count(1));
  });

  it('pages through users with one display name by name', async () => {
    for (const name of ['twin-b', 'twin-a', 'twin-c']) {
      await world.make.user({ name });
      const input = { user: name, fullName: ' Twin ' };
      await world.graph(PATCH, { input }, { as: admin });
    }
    const query =
      'query ($after: String) { users(where: { text: "twin" }, first: 1, after: $after) { nodes { name displayName } pageInfo { endCursor } } }';
    const pages: unknown[] = [];
    let after: string | null = null;
    for (let page = 0; page < 4; page += 1) {
      const { body } = await world.graph(query, { after });
      pages.push(...body.data.users.nodes);
      after = body.data.users.pageInfo.endCursor ?? after;
    }
    expect(pages).toEqual(['a', 'b', 'c'].map((letter) => ({ name: `twin-${letter}`, displayName: 'Twin' })));
  });
});

describe('user', () => {
  it('is found by its global id', async () => {
    const { body } = await world.graph('{ user(id: "ann") { id emailHash } }');
    expect(body.data.user.emailHash).toBe('257c57037d384ae37ea27a07e8a01665');
    expect(
      (await world.graph('query ($id: ID!) { node(id: $id) { ... on User { name } } }', { id: body.data.user.id })).body
        .data.node,
    ).toEqual({ name: 'ann' });
  });
});

describe('updateUser', () => {
  it('preserves omitted fields and clears fields set to null', async () => {
    const patch = async (input: object) =>
      (await world.graph(PATCH, { input: { user: 'bob', ...input } }, { as: bob })).body.data.updateUser.user;
    await patch({ fullName: 'Bob', about: 'Likes data' });
    expect(await patch({ about: null })).toMatchObject({ fullName: 'Bob', about: null });
  });

  it('refuses an outdated version and writes nothing', async () => {
    const { body } = await world.graph(
      PATCH,
      { input: { user: 'bob', expectedVersion: 1, fullName: 'Late' } },
      { as: bob },
    );
    expect(body.data.updateUser).toEqual({ user: null, errors: [{ code: 'CONFLICT', path: ['expectedVersion'] }] });
    expect((await world.graph('{ user(id: "bob") { fullName } }')).body.data.user.fullName).toBe('Bob');
  });

  it('loses no change of ten concurrent writers', async () => {
    const read = async () => (await world.graph('{ user(id: "bob") { about version } }')).body.data.user;
    const { version: start } = await read();
    const append = async (letter: string): Promise<void> => {
      const { about, version } = await read();
      const input = { user: 'bob', about: (about ?? '') + letter, expectedVersion: version };
      const { errors } = (await world.graph(PATCH, { input }, { as: bob })).body.data.updateUser;
      if (errors.length === 0) return;
      expect(errors).toMatchObject([{ code: 'CONFLICT' }]);
      return append(letter);
    };
    await Promise.all([...'abcdefghij'].map(append));
    const { about, version } = await read();
    expect([...about].sort().join('')).toBe('abcdefghij');
    expect(version).toBe(start + 10);
  });
});

describe('createUser', () => {
  it('lets sysadmins choose id and key, and the key works', async () => {
    const input = {
      name: 'carl',
      email: 'c@example.com',
      password: 'longenough',
      databaseId: 'carl-id',
      apiKey: 'carls-key',
      sysadmin: true,
    };
    const { body } = await world.graph(CREATE, { input }, { as: admin });
    expect(body.data.createUser).toEqual({
      user: { databaseId: 'carl-id', apiKey: null, sysadmin: true, state: 'ACTIVE' },
      errors: [],
    });
    const carl = { id: 'carl-id', name: 'carl', key: 'carls-key' };
    expect((await world.graph('{ viewer { name sysadmin } }', {}, { as: carl })).body.data.viewer).toEqual({
      name: 'carl',
      sysadmin: true,
    });
  });

  it('refuses an id or key that is taken', async () => {
    const input = { name: 'dora', email: 'd@example.com', password: 'longenough', databaseId: ann.id, apiKey: ann.key };
    const { body } = await world.graph(CREATE, { input }, { as: admin });
    expect(body.data.createUser.errors.map((error: any) => [error.code, ...error.path])).toEqual([
      ['VALIDATION', 'databaseId'],
      ['VALIDATION', 'apiKey'],
    ]);
  });

  it('lets the operator create users without e-mail address and password', async () => {
    const { userCreate } = await import('../../src/accounts/user/user.service.ts');
    const user = await userCreate(world.app.callAs(world.system), {
      name: 'operated',
      sysadmin: true,
      apiKey: 'operated-key',
    });
    expect(user).toMatchObject({ name: 'operated', email: null, sysadmin: true });
  });
});

describe('open registration', () => {
  let open: World;
  beforeAll(async () => {
    open = await createWorld({ 'catalog.auth.create_user_via_api': true }, { counts: true });
  });
  afterAll(() => open.end());

  it('returns the key once to the new user, and grants no privileges', async () => {
    const input = { name: 'eve', email: 'eve@example.com', password: 'longenough', sysadmin: true, state: 'DELETED' };
    const { body } = await open.graph(CREATE, { input });
    expect(body.data.createUser.user).toEqual({
      databaseId: expect.any(String),
      apiKey: expect.any(String),
      sysadmin: false,
      state: 'ACTIVE',
    });
    expect((await open.graph('{ user(id: "eve") { apiKey email } }')).body.data.user).toEqual({
      apiKey: null,
      email: null,
    });
  });

  it('refuses ids and keys chosen by the caller', async () => {
    const input = {
      name: 'mallory',
      email: 'm@example.com',
      password: 'longenough',
      databaseId: 'mine',
      apiKey: 'mine',
    };
    const { body } = await open.graph(CREATE, { input });
    expect(body.data.createUser.user).toBeNull();
    expect(body.data.createUser.errors.map((error: any) => error.path)).toEqual([['databaseId'], ['apiKey']]);
  });

  it('reserves the names of internal users', async () => {
    for (const name of ['default', 'visitor', 'logged_in']) {
      const { body } = await open.graph(CREATE, { input: { name, email: 'x@example.com', password: 'longenough' } });
      expect(body.data.createUser.errors).toMatchObject([
        { path: ['name'], message: 'That login name is not available.' },
      ]);
    }
  });
});
