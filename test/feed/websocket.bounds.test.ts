/** Limits of clients over WebSocket, including malicious ones. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS } from '../../facades/graphql/connection.ts';
import { INIT_TIMEOUT } from '../../facades/graphql/peer.ts';
import { MAX_MESSAGE } from '../../facades/graphql/sockets.ts';
import { cursorOf } from '../../src/kernel/connection.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { clientOf, follow, namesOf, rawSocket } from './sockets.ts';

/** The cursor before the first change. */
const START = cursorOf([0]);
const SUBSCRIPTION = `subscription ($after: String, $types: [ChangeObjectType!]) {
  changes(after: $after, types: $types) { cursor name } }`;

let world: World;
beforeAll(async () => {
  world = await createWorld({ 'catalog.limits.streams_per_caller': 150 });
});
afterAll(() => world.end());

const make = async (name: string) => world.result('package_create', { name }, { as: await world.make.sysadmin() });
const end = async (): Promise<string> =>
  (await world.graph('{ changes(first: 100) { pageInfo { endCursor } } }')).body.data.changes.pageInfo.endCursor;

describe('a client over WebSocket', () => {
  const PING = { type: 'ping' };
  it.each<[string, unknown, number]>([
    ['no JSON', 'hello', 4400],
    ['no message', [], 4400],
    ['an unknown message', { type: 'start', id: '1', payload: {} }, 4400],
    ['an operation without a query', { type: 'subscribe', id: '1', payload: {} }, 4400],
    ['an operation before connection_init', { type: 'subscribe', id: '1', payload: { query: SUBSCRIPTION } }, 4401],
    ['a message that is too long', { type: 'ping', payload: { text: 'x'.repeat(MAX_MESSAGE) } }, 1009],
    ['a message of too many values', { type: 'ping', payload: { list: Array(100_001).fill(1) } }, 4400],
  ])('is disconnected for %s, while others are served', async (_what, message, code) => {
    const raw = await rawSocket(world.base);
    raw.send(message);
    expect((await raw.closed).code).toBe(code);
    const next = await rawSocket(world.base);
    next.send(PING);
    expect(await next.take(1)).toEqual([{ type: 'pong' }]);
    next.socket.terminate();
  });

  it('may send a message of the maximum length', async () => {
    const raw = await rawSocket(world.base);
    const text = 'x'.repeat(MAX_MESSAGE - JSON.stringify({ type: 'ping', payload: { text: '' } }).length);
    raw.send({ type: 'ping', payload: { text } });
    expect((await raw.take(1))[0]).toMatchObject({ type: 'pong' });
    raw.socket.terminate();
  });

  it('is disconnected for a second connection_init, a duplicate operation id, or another protocol', async () => {
    const twice = await rawSocket(world.base);
    expect(await twice.init()).toEqual([{ type: 'connection_ack' }]);
    await twice.init();
    expect((await twice.closed).code).toBe(4429);
    const same = await rawSocket(world.base);
    await same.init();
    for (const _ of [1, 2]) same.send({ type: 'subscribe', id: 'a', payload: { query: SUBSCRIPTION } });
    expect((await same.closed).code).toBe(4409);
    expect((await (await rawSocket(world.base, { subprotocol: null })).closed).code).toBe(4406);
    expect((await (await rawSocket(world.base, { subprotocol: 'graphql-ws' })).closed).code).toBe(1006); // closed by the client
  });

  it(
    'is disconnected if it never sends connection_init, and stays connected if it does',
    async () => {
      const begun = await rawSocket(world.base);
      expect(await begun.init()).toEqual([{ type: 'connection_ack' }]);
      const { closed } = await rawSocket(world.base);
      expect((await closed).code).toBe(4408);
      begun.send({ type: 'subscribe', id: '1', payload: { query: '{ site { siteId } }' } });
      expect(await begun.take(1)).toMatchObject([{ id: '1', type: 'next' }]);
      begun.socket.terminate();
    },
    INIT_TIMEOUT + 60_000,
  );

  it(`is refused more than ${OPERATIONS} operations at a time, until one of them completes`, async () => {
    const after = await end();
    const raw = await rawSocket(world.base);
    await raw.init();
    const begin = (id: number) =>
      raw.send({ type: 'subscribe', id: String(id), payload: { query: SUBSCRIPTION, variables: { after } } });
    for (let id = 1; id <= OPERATIONS; id += 1) begin(id);
    await make('for-each-operation');
    const told = await raw.take(OPERATIONS);
    expect(new Set(told.map(({ id, type }) => `${type} ${id}`)).size).toBe(OPERATIONS);
    expect(told.every(({ type }) => type === 'next')).toBe(true);
    begin(OPERATIONS + 1);
    expect(await raw.take(1)).toMatchObject([
      { id: String(OPERATIONS + 1), type: 'error', payload: [{ extensions: { code: 'LIMIT' } }] },
    ]);
    raw.send({ type: 'complete', id: '1' });
    await until(async () => {
      begin(OPERATIONS + 2);
      return (await raw.take(1))[0].type === 'next';
    });
    raw.socket.terminate();
  });

  it('receives all results in order after it paused reading', async () => {
    const after = await end();
    const raw = await rawSocket(world.base);
    await raw.init();
    raw.send({ type: 'subscribe', id: 'slow', payload: { query: SUBSCRIPTION, variables: { after } } });
    raw.socket.pause();
    await world.database.pool.query(
      `INSERT INTO change (revision_id, object_type, object_id, action, detail)
       SELECT (SELECT id FROM revision LIMIT 1), 'tag', 'tag-' || n, 'created', jsonb_build_object('name', n || repeat('x', 2000))
       FROM generate_series(1, 3000) n`,
    );
    await make('after-the-tags');
    for (let n = 0; n < 1_000; n += 1) raw.send(PING);
    raw.socket.resume();
    const got: string[] = [];
    while (got.length < 3_001)
      for (const { type, payload } of await raw.take(1)) if (type === 'next') got.push(payload.data.changes.name);
    expect(got.map((name) => name.replace(/x+$/, ''))).toEqual([
      ...Array.from({ length: 3_000 }, (_, n) => String(n + 1)),
      'after-the-tags',
    ]);
    raw.socket.terminate();
  });
});

describe('a request for another protocol', () => {
  const ask = (method: string, path: string, upgrade: string, body = '') =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(world.base).port), '127.0.0.1');
      let text = '';
      socket.on('data', (data) => (text += data));
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });

  it('is answered over HTTP/1.1', async () => {
    expect(await ask('GET', '/api/3/action/status_show', 'h2c')).toMatch(/^HTTP\/1\.1 200 [\s\S]+"success": ?true/);
    const body = JSON.stringify({ query: '{ site { siteId } }' });
    expect(await ask('POST', '/graphql', 'h2c', body)).toContain('"siteId":"default"');
    expect(await ask('GET', '/nothing', 'websocket')).toMatch(/^HTTP\/1\.1 404 /);
    expect(await ask('GET', '/changes?limit=1', 'websocket')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('GET', '/graphql', 'websocket')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is answered on a keep-alive connection, and so is the next request', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const get = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        http
          .get(`${world.base}/api/3/action/site_read`, { agent, headers }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode ?? 0));
          })
          .on('error', reject);
      });
    expect(await get({ connection: 'upgrade', upgrade: 'h2c' })).toBe(200);
    expect(await get({})).toBe(200);
    agent.destroy();
  });
});

describe('limits of a site', () => {
  let small: World;
  beforeAll(async () => {
    small = await createWorld({
      'catalog.limits.sockets': 3,
      'catalog.limits.streams_per_caller': 2,
      'catalog.graphql.trusted_only': true,
    });
  });
  afterAll(() => small.end());

  it('restrict the connections of a caller and of the process until one is closed', async () => {
    const [one, two] = [await rawSocket(small.base), await rawSocket(small.base)];
    for (const raw of [one, two]) expect(await raw.init()).toEqual([{ type: 'connection_ack' }]);
    const three = await rawSocket(small.base);
    expect((await rawSocket(small.base)).status).toBe(503);
    const open = () =>
      new Promise<number>((resolve) => small.app.server.getConnections((_failure, count) => resolve(count)));
    const before = await open();
    const { port } = new URL(small.base);
    const half = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }); // never closes its side
    half.on('error', () => {});
    half.write(
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    half.resume();
    await once(half, 'end');
    await until(async () => (await open()) <= before);
    half.destroy();
    await three.init();
    const { code, reason } = await three.closed;
    expect([code, reason]).toEqual([1013, expect.stringContaining('LIMIT')]);
    one.socket.close();
    await one.closed;
    await until(async () => {
      const next = await rawSocket(small.base);
      const [ack] = await next.init();
      next.socket.close();
      await next.closed;
      return ack?.type === 'connection_ack';
    });
    two.socket.close();
  });

  it('restrict the uninitialized connections of one network, not those of others', async () => {
    const roomy = await createWorld({ 'catalog.limits.streams_per_caller': 2 });
    const from = (address: string) => rawSocket(roomy.base, { headers: { 'x-forwarded-for': address } });
    const [one, two] = [await from('192.0.2.1'), await from('192.0.2.1')];
    expect([one.status, two.status, (await from('192.0.2.1')).status]).toEqual([101, 101, 503]);
    const other = await from('192.0.2.2');
    expect(other.status).toBe(101);
    const as = await roomy.make.user();
    expect(await one.init({ authorization: as.key })).toEqual([{ type: 'connection_ack' }]); // counts for its user from here on
    const next = await from('192.0.2.1');
    expect([next.status, (await from('192.0.2.1')).status]).toEqual([101, 503]);
    two.socket.close();
    await two.closed;
    await until(async () => {
      const { status, socket } = await from('192.0.2.1');
      socket.terminate();
      return status === 101;
    });
    for (const { socket } of [one, next, other]) socket.terminate();
    await roomy.end();
  });

  it('allow visitors only trusted documents for subscriptions', async () => {
    const visitor = clientOf(small.base);
    expect(await follow(visitor, { query: SUBSCRIPTION }).ended).toMatchObject([
      { message: expect.stringContaining('trusted_only'), extensions: { code: 'NOT_AUTHORIZED' } },
    ]);
    const as = await small.make.sysadmin();
    await small.result('package_create', { name: 'for-users' }, { as });
    const user = clientOf(small.base, { connectionParams: { authorization: as.key } });
    const following = follow(user, { query: SUBSCRIPTION, variables: { after: START, types: ['DATASET'] } });
    expect(namesOf(await following.take(1))).toEqual(['for-users']);
    await Promise.all([visitor.dispose(), user.dispose()]);
  });

  it('allow persisted subscriptions by hash after their document was sent once', async () => {
    const sha256Hash = createHash('sha256').update(SUBSCRIPTION).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const variables = { after: START, types: ['DATASET'] };
    await make('by-hash');
    const client = clientOf(world.base);
    expect(await follow(client, { query: '', extensions, variables }).ended).toMatchObject([
      { message: 'PersistedQueryNotFound' },
    ]);
    for (const query of [SUBSCRIPTION, ''])
      expect((await follow(client, { query, extensions, variables }).take(1))[0].data.changes.name).toBeTruthy();
    await client.dispose();
  });
});

describe('the rate limit of a caller', () => {
  const MAX = 60_000;
  let paying: World;
  beforeAll(async () => {
    paying = await createWorld({ 'catalog.rate.anonymous': 12_000, 'catalog.rate.saved': 5 });
    await paying.result('package_create', { name: 'first' }, { as: await paying.make.sysadmin() });
  });
  afterAll(() => paying.end());

  it('charges each event, delays a stream without budget, and refuses new subscriptions', async () => {
    const left = async () => {
      const { headers } = await paying.graph('{ site { siteId } }');
      return Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
    };
    const write = (count: number) =>
      paying.database.pool.query(
        `INSERT INTO change (revision_id, object_type, object_id, action)
         SELECT (SELECT id FROM revision LIMIT 1), 'tag', 'tag-' || n, 'created' FROM generate_series(1, ${count}) n`,
      );
    const client = clientOf(paying.base);
    const fields = Array.from({ length: 50 }, (_, n) => `a${n}: name`).join(' ');
    const query = `subscription { changes(after: "${START}", types: [TAG]) { sequence ${fields} } }`;
    const following = follow(client, { query });
    await write(1_050);
    await following.take(1_050);
    expect(await left()).toBeLessThan(MAX - 45_000);
    await write(100);
    const places = (await following.take(100)).map(({ data }) => data.changes.sequence);
    expect(places).toEqual(Array.from({ length: 100 }, (_, n) => places[0] + n));
    for (let answer = 200; answer !== 429; )
      answer = (await paying.graph('{ changes { pageInfo { endCursor } } }')).status;
    expect(await follow(client, { query }).ended).toMatchObject([{ extensions: { code: 'RATE_LIMIT' } }]);
    await client.dispose();
  });
});

describe('a server shutdown', () => {
  it('closes busy and idle connections with code 1012, so that clients reconnect', async () => {
    const ending = await createWorld();
    const raw = await rawSocket(ending.base);
    await raw.init();
    raw.send({ type: 'subscribe', id: 'on', payload: { query: SUBSCRIPTION } });
    raw.send({ type: 'subscribe', id: 'once', payload: { query: '{ site { siteId } }' } });
    await raw.take(1);
    const idle = await rawSocket(ending.base);
    const over = ending.end();
    expect((await raw.closed).code).toBe(1012);
    expect((await idle.closed).code).toBe(1012);
    await over;
  });
});
