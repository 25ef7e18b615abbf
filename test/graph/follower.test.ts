import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { followeeConnection } from '../../src/accounts/follower/followee.service.ts';
import { createLoaders } from '../../src/graph/loaders.ts';
import type { Sql } from '../../src/infra/postgres/db.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
  ann = await world.make.user({ name: 'ann' });
  for (const name of ['one', 'two', 'three']) {
    await world.make.dataset({ name: `${name}-data` });
    await world.make.group({ name: `${name}-group` });
    await world.make.organization({ name: `${name}-org` });
    const follower = await world.make.user({ name: `${name}-user` });
    await follow('DATASET', 'one-data', follower);
  }
});
afterAll(() => world.end());

const FOLLOW =
  'mutation ($input: FollowObjectInput!) { followObject(input: $input) { following { followerId kind } errors { code path message } } }';
const follow = async (kind: string, id: string, as: TestUser | null) =>
  (await world.graph(FOLLOW, { input: { kind, id } }, { as })).body.data.followObject;

describe('followObject', () => {
  it('returns the follower, or the reason of the refusal', async () => {
    expect(await follow('GROUP', 'two-org', ann)).toEqual({
      following: { followerId: ann.id, kind: 'GROUP' },
      errors: [],
    });
    expect(await follow('USER', 'two-org', ann)).toEqual({
      following: null,
      errors: [{ code: 'VALIDATION', path: ['id'], message: 'Not found: User' }],
    });
    expect((await follow('USER', 'ann', null)).errors).toMatchObject([{ code: 'NOT_AUTHORIZED', path: [] }]);
  });

  it('accepts one of two concurrent requests', async () => {
    const both = await Promise.all([follow('USER', 'one-user', ann), follow('USER', 'one-user', ann)]);
    expect(both.filter(({ following }) => following !== null)).toHaveLength(1);
  });

  it('counts each of ten concurrent followers', async () => {
    await world.make.user({ name: 'many-user' });
    const users = await Promise.all(Array.from({ length: 10 }, () => world.make.user()));
    await Promise.all(users.map((user) => follow('USER', 'many-user', user)));
    const { body } = await world.graph('{ user(id: "many-user") { followerCount } }');
    expect(body.data.user.followerCount).toBe(10);
  });
});

describe('followers', () => {
  it('can be paged by display name without gaps', async () => {
    const names: string[] = [];
    let after: string | null = null;
    do {
      const query =
        'query ($after: String) { dataset(id: "one-data") { followers(first: 1, after: $after) { nodes { name } totalCount pageInfo { hasNextPage endCursor } } } }';
      const { body } = await world.graph(query, { after }, { as: admin });
      const { followers } = body.data.dataset;
      names.push(...followers.nodes.map((user: { name: string }) => user.name));
      expect(followers.totalCount).toBe(3);
      after = followers.pageInfo.hasNextPage ? followers.pageInfo.endCursor : null;
    } while (after !== null);
    expect(names).toEqual(['one-user', 'three-user', 'two-user']);
  });

  it('are hidden from regular users, who see only their number', async () => {
    const { body } = await world.graph(
      '{ dataset(id: "one-data") { followerCount followers { nodes { name } } } }',
      {},
      { as: ann },
    );
    expect(body.data.dataset).toEqual({ followerCount: 3, followers: null });
    expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED' } }]);
  });
});

describe('a list', () => {
  beforeAll(async () => {
    const fan = await world.make.user({ name: 'fan' });
    for (const user of [admin, ann]) await follow('USER', user.name, fan);
    for (const name of ['one', 'two', 'three'])
      for (const [kind, what] of Object.entries({ DATASET: 'data', GROUP: 'group', USER: 'user' }))
        await follow(kind, `${name}-${what}`, fan);
    for (const name of ['one', 'two', 'three']) await follow('GROUP', `${name}-org`, fan);
  });

  it.each(['datasets', 'groups', 'organizations', 'users'])(
    'of %s needs as many statements for three objects as for one',
    async (list) => {
      const sent = async (first: number) =>
        (
          await world.statementsOf(() =>
            world.graph(
              `{ ${list}(first: ${first}) { nodes { followerCount viewerIsFollowing followers(first: 2) { totalCount nodes { name } } } } }`,
              {},
              { as: admin },
            ),
          )
        ).length;
      expect(await sent(3)).toBe(await sent(1));
    },
  );

  it('marks the objects that the caller follows', async () => {
    const query = '{ organizations { nodes { name followerCount viewerIsFollowing } } }';
    const followed = async (as: TestUser | null) =>
      (await world.graph(query, {}, { as })).body.data.organizations.nodes.filter(
        (node: any) => node.viewerIsFollowing,
      );
    expect(await followed(ann)).toEqual([{ name: 'two-org', followerCount: 2, viewerIsFollowing: true }]);
    expect(await followed(null)).toEqual([]);
  });
});

describe('followees', () => {
  it('can be paged past a dataset that is purged while its page is read', async () => {
    const names = ['gone-1', 'gone-2', 'gone-3'];
    const eve = await world.make.user();
    for (const name of names) {
      await world.make.dataset({ name });
      await follow('DATASET', name, eve);
    }
    const before = world.app.callAs(world.system);
    const sql: Sql = {
      async rows<Row>(...[statement, values]: Parameters<Sql['rows']>) {
        const rows = await before.sql.rows<Row>(statement, values);
        if (statement.name?.startsWith('followee_pages'))
          await world.result('dataset_purge', { id: 'gone-1' }, { as: admin });
        return rows;
      },
    };
    const call = { ...before, sql };
    const page = await followeeConnection(call, createLoaders(call), eve.id, { first: 2 });
    expect(page.nodes.map(({ object }) => object.name)).toEqual(['gone-2']);
    expect(page.edges.map(({ node }) => node.object.name)).toEqual(['gone-2']);
    expect(page.pageInfo.hasNextPage).toBe(true);
    const loaders = createLoaders(before);
    const next = await followeeConnection(before, loaders, eve.id, { first: 2, after: page.pageInfo.endCursor });
    expect(next.nodes.map(({ object }) => object.name)).toEqual(['gone-3']);
  });

  it('have typed objects', async () => {
    const query =
      '{ followees(id: "ann") { kind displayName object { __typename ... on User { name } ... on Organization { name } } } }';
    expect((await world.full(query, {}, { as: ann })).body.data.followees).toEqual([
      { kind: 'USER', displayName: 'one-user', object: { __typename: 'User', name: 'one-user' } },
      { kind: 'ORGANIZATION', displayName: 'two-org', object: { __typename: 'Organization', name: 'two-org' } },
    ]);
  });
});
