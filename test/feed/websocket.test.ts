/** Subscriptions over WebSocket with the client of graphql-ws. Limits are tested in websocket.bounds.test.ts. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createTables } from '../helpers/tables.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { clientOf, follow, namesOf, rawSocket } from './sockets.ts';

const SUBSCRIPTION = `subscription ($after: String, $types: [ChangeObjectType!]) {
  changes(after: $after, types: $types) { cursor operation name dataset { title } } }`;

let world: World;
let editor: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.limits.streams_per_caller': 150 });
  editor = await world.make.user();
  await world.make.organization({ name: 'office', members: { [editor.id]: 'editor' } });
});
afterAll(() => world.end());

const make = (name: string, fields: object = {}) =>
  world.result('package_create', { name, title: `Title of ${name}`, owner_org: 'office', ...fields }, { as: editor });
const end = async (): Promise<string> =>
  (await world.graph('{ changes(first: 100) { pageInfo { endCursor } } }')).body.data.changes.pageInfo.endCursor;
const tokenOf = async (as: TestUser) => {
  const { body } = await world.graph(
    'mutation { createToken(input: { name: "t", scope: READ }) { created { secret token { id } } errors { message } } }',
    {},
    { as },
  );
  return body.data.createToken.created as { secret: string; token: { id: string } };
};

describe('a subscription', () => {
  it('delivers changes since a cursor, then new ones, each once and in order', async () => {
    const after = await end();
    for (const n of [1, 2, 3]) await make(`told-${n}`);
    const client = clientOf(world.base);
    const first = follow(client, { query: SUBSCRIPTION, variables: { after } });
    const before = await first.take(2);
    expect(before[0].data.changes).toEqual({
      cursor: expect.any(String),
      operation: 'CREATED',
      name: 'told-1',
      dataset: { title: 'Title of told-1' },
    });
    const second = follow(client, { query: SUBSCRIPTION, variables: { after: before[1].data.changes.cursor } });
    expect(namesOf(await second.take(1))).toEqual(['told-3']);
    await make('told-4');
    expect(namesOf(await second.take(1))).toEqual(['told-4']);
    expect(namesOf(await first.take(2))).toEqual(['told-3', 'told-4']);
    first.stop();
    expect(await first.ended).toBe('complete');
    await make('told-5');
    expect(namesOf(await second.take(1))).toEqual(['told-5']);
    await client.dispose();
  });

  it('resumes after the last cursor when a client reconnects', async () => {
    const variables = { after: await end() };
    let socket: any;
    const client = clientOf(world.base, {
      retryAttempts: 10,
      retryWait: async () => {},
      on: { connected: (it) => (socket = it) },
    });
    const following = follow(client, { query: SUBSCRIPTION, variables });
    await make('cut-1');
    const [result] = await following.take(1);
    // The client sends its variables again each time it connects.
    variables.after = result.data.changes.cursor;
    socket.terminate();
    await make('cut-2');
    expect(namesOf(await following.take(1))).toEqual(['cut-2']);
    await client.dispose();
  });

  it('is refused if it is too costly or invalid', async () => {
    const client = clientOf(world.base);
    const query = `subscription { changes { node { ... on Organization { datasets(first: 100) { nodes {
      resources { ${'url '.repeat(60)} } } } } } } }`;
    expect(await follow(client, { query }).ended).toMatchObject([
      { extensions: { code: 'LIMIT', limit: { name: 'cost', value: expect.any(Number), allowed: 50_000 } } },
    ]);
    expect(await follow(client, { query: 'subscription { changes(after: "x") { cursor } }' }).ended).toMatchObject([
      { extensions: { code: 'VALIDATION' } },
    ]);
    expect(await follow(client, { query: 'subscription { changes { nothing } }' }).ended).toMatchObject([
      { message: expect.stringContaining('nothing'), extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
    expect(await follow(client, { query: 'subscription {' }).ended).toMatchObject([
      { extensions: { code: 'GRAPHQL_PARSE_FAILED' } },
    ]);
    await client.dispose();
  });
});

describe('other operations over the same connection', () => {
  it('are answered as over HTTP', async () => {
    const client = clientOf(world.base, { connectionParams: { authorization: editor.key } });
    const viewer = follow(client, {
      query: 'query One { viewer { name } } query Two { site { siteId } }',
      operationName: 'One',
    });
    const [answer] = await viewer.take(1);
    expect(answer).toMatchObject({ data: { viewer: { name: editor.name } }, extensions: { cost: { total: 12 } } });
    expect(await viewer.ended).toBe('complete');
    const office = await world.result('organization_show', { id: 'office' });
    const created = follow(client, {
      query:
        'mutation ($input: CreateDatasetInput!) { createDataset(input: $input) { dataset { name } errors { message } } }',
      variables: { input: { name: 'by-socket', ownerOrganization: toGlobalId('Organization', office.id) } },
    });
    expect(await created.take(1)).toMatchObject([
      { data: { createDataset: { dataset: { name: 'by-socket' }, errors: [] } } },
    ]);
    const schema = follow(client, { query: '{ __schema { queryType { name } } }' });
    expect(await schema.take(1)).toMatchObject([{ data: { __schema: { queryType: { name: 'Query' } } } }]);
    const partly = follow(client, { query: '{ site { siteId } datasets(first: 101) { nodes { name } } }' });
    expect(await partly.ended).toMatchObject([{ extensions: { code: 'LIMIT', limit: { name: 'page' } } }]);
    await client.dispose();
  });
});

it('a result has all digits of large numbers, as over HTTP', async () => {
  const { world, table } = await createTables({});
  try {
    const LONG = '{"n":12345678901234567890.5}';
    const id = await table({ fields: [{ id: 'j', type: 'json' }] });
    const store = world.app.callAs(world.system).stores.datastore!;
    await store.write((sql) => sql.rows({ text: `INSERT INTO "${id}" (j) VALUES ('${LONG}')` }));
    const query = `{ resource(id: "${toGlobalId('Resource', id)}") { table { records { nodes } } } }`;
    const one = await rawSocket(world.base);
    await one.init();
    const message = new Promise<string>((resolve) => one.socket.once('message', (data) => resolve(String(data))));
    one.send({ type: 'subscribe', id: 'a "quote"', payload: { query } });
    const { text } = await world.graph(query);
    expect(text).toContain(LONG);
    expect(await message).toBe(`{"id":"a \\"quote\\"","type":"next","payload":${text.trim()}}`);
    expect((await one.take(2))[1]).toEqual({ id: 'a "quote"', type: 'complete' });
    one.socket.terminate();
  } finally {
    await world.end();
  }
});

describe('the caller', () => {
  it('is identified by a header of the connection, or by a parameter of connection_init', async () => {
    const after = await end();
    await make('kept-private', { private: true });
    await make('for-all');
    const clients = {
      nobody: clientOf(world.base),
      wrong: clientOf(world.base, { connectionParams: { authorization: 'nothing' } }),
      header: clientOf(world.base, { headers: { authorization: editor.key } }),
      parameter: clientOf(world.base, { connectionParams: { Authorization: `Bearer ${editor.key}` } }),
      'other parameter': clientOf(world.base, { connectionParams: { 'X-CKAN-API-Key': editor.key } }),
    };
    for (const [who, client] of Object.entries(clients)) {
      const all = ['nobody', 'wrong'].includes(who) ? ['for-all'] : ['kept-private', 'for-all'];
      const following = follow(client, { query: SUBSCRIPTION, variables: { after } });
      expect([who, namesOf(await following.take(all.length))]).toEqual([who, all]);
      await client.dispose();
    }
  });

  it('is identified by a cookie on pages of this site only, and never for mutations', async () => {
    await world.graph(
      'mutation { register(input: { name: "ann", email: "ann@example.com", password: "long enough 1" }) { errors { message } } }',
    );
    const { body } = await world.graph(
      'mutation { login(input: { login: "ann", password: "long enough 1" }) { session { secret } errors { message } } }',
    );
    const cookie = `catalog_session=${body.data.login.session.secret}`;
    const viewer = async (headers: Record<string, string>, connectionParams = {}) => {
      const client = clientOf(world.base, { headers: { cookie, ...headers }, connectionParams });
      const [answer] = await follow(client, { query: '{ viewer { name } }' }).take(1);
      await client.dispose();
      return answer.data.viewer?.name ?? null;
    };
    expect(await viewer({ origin: world.settings['catalog.site_url'] })).toBe('ann');
    expect(await viewer({ origin: world.base })).toBe('ann');
    expect(await viewer({ origin: 'https://elsewhere.example' })).toBeNull();
    expect(await viewer({ origin: 'null' })).toBeNull();
    expect(await viewer({ origin: world.base, 'sec-fetch-site': 'cross-site' })).toBeNull();
    expect(await viewer({ origin: 'https://elsewhere.example' }, { authorization: editor.key })).toBe(editor.name);
    const client = clientOf(world.base, { headers: { cookie, origin: world.base } });
    const mutation = follow(client, { query: 'mutation { logout(input: {}) { ended } }' });
    expect(await mutation.ended).toMatchObject([
      { message: expect.stringContaining('cookie'), extensions: { code: 'VALIDATION' } },
    ]);
    await client.dispose();
  });

  it('is checked again, so a stream ends when its token is revoked', async () => {
    const after = await end();
    const { secret, token } = await tokenOf(editor);
    const client = clientOf(world.base, { connectionParams: { authorization: `Bearer ${secret}` } });
    const following = follow(client, { query: SUBSCRIPTION, variables: { after, types: ['DATASET'] } });
    await make('seen-by-token', { private: true });
    expect(namesOf(await following.take(1))).toEqual(['seen-by-token']);
    const revoked = await world.graph(
      'mutation ($id: ID!) { revokeToken(input: { id: $id }) { errors { message } } }',
      { id: token.id },
      { as: editor },
    );
    expect(revoked.body).toEqual(expect.objectContaining({ data: { revokeToken: { errors: [] } } }));
    expect(await following.ended).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED' } }]);
    const again = follow(client, { query: SUBSCRIPTION, variables: { after, types: ['DATASET'] } });
    await make('not-for-all', { private: true });
    await make('for-all-again');
    expect(namesOf(await again.take(1))).toEqual(['for-all-again']);
    await client.dispose();
  });
});
