/** Subscriptions of clients/typescript: against a real server over a relay that can be cut, and against streams cut at every byte. */
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createRelay, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CatalogFailure, createCatalog, FollowChanges, Invalid } from '../../clients/typescript/src/index.ts';
import { cursorOf } from '../../src/kernel/connection.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const START = cursorOf([0]);
const behind = (data: { changes: { cursor: string } }) => data.changes.cursor;

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const make = (name: string) => world.result('package_create', { name }, { as: admin });
const listening = (server: { listen: Server['listen']; address: Server['address'] }) =>
  new Promise<string>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );

/** Forwards connections to the server, until it is cut. */
async function relay() {
  const sockets = new Set<Socket>();
  /** Connections that carried a request. After an aborted response, Node's fetch opens an unused connection in advance. */
  const used = new Set<Socket>();
  let isOpen = true;
  let taken = 0;
  let streams = 0;
  const server = createRelay((socket) => {
    taken += 1;
    if (!isOpen) return void socket.destroy();
    const onward = connect(Number(new URL(world.base).port), '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    onward.on('data', (bytes) => {
      if (bytes.includes('text/event-stream')) streams += 1;
    });
    sockets.add(socket);
    socket.once('data', () => used.add(socket));
    socket.on('close', () => sockets.delete(socket) && used.delete(socket));
  });
  function cut() {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  }
  return {
    url: await listening(server),
    taken: () => taken,
    open: () => used.size,
    /** Number of event streams that have started. */
    streams: () => streams,
    cut,
    mend: () => void (isOpen = true),
    close() {
      cut();
      server.close();
    },
  };
}

describe('a subscription', () => {
  it('resumes after its last event when the connection breaks, and ends with the loop', async () => {
    await make('sub-1');
    const line = await relay();
    const names: string[] = [];
    const catalog = createCatalog({ url: line.url });
    const variables = { after: START, types: ['DATASET' as const] };
    for await (const { changes } of catalog.subscribe(FollowChanges, variables, behind)) {
      names.push(changes.name!);
      if (names.length === 1) {
        line.cut();
        await make('sub-2');
        await make('sub-3');
        const before = line.taken();
        void until(() => line.taken() > before).then(line.mend); // one attempt fails
      }
      if (names.length === 3) await make('sub-4');
      if (names.length === 4) break;
    }
    expect(names).toEqual(['sub-1', 'sub-2', 'sub-3', 'sub-4']);
    await until(() => line.open() === 0);
    line.close();
  });

  it('without a cursor receives changes made while its connection is broken before the first event', async () => {
    await make('before-it-began');
    const line = await relay();
    const catalog = createCatalog({ url: line.url, retries: 100, maxDelay: 1 });
    const events = catalog.subscribe(FollowChanges, { types: ['DATASET'] }, behind);
    const first = events.next();
    await until(() => line.streams() === 1);
    line.cut();
    await make('while-it-was-cut');
    line.mend();
    expect((await first).value?.changes.name).toBe('while-it-was-cut');
    await events.return();
    line.close();
  });

  it('ends when it is aborted, also while it waits for an unreachable server', async () => {
    const line = await relay();
    const catalog = createCatalog({ url: line.url });
    for (const isCut of [false, true]) {
      const stop = new AbortController();
      const variables = { after: START, types: ['RATING' as const] }; // the catalog has no ratings
      const event = catalog.subscribe(FollowChanges, variables, behind, { signal: stop.signal }).next();
      await until(() => line.open() === 1);
      const before = line.taken();
      if (isCut) {
        line.cut();
        await until(() => line.taken() > before);
      }
      stop.abort();
      expect(await event).toEqual({ done: true, value: undefined });
      await until(() => line.open() === 0);
    }
    line.close();
  });

  it('throws the reason when it is refused', async () => {
    const refused = createCatalog({ url: world.base }).subscribe(FollowChanges, { after: 'nonsense' }, behind);
    const thrown = await refused.next().catch((failure: unknown) => failure);
    expect(thrown).toBeInstanceOf(Invalid);
    expect((thrown as Invalid).fields).toMatchObject([{ path: ['after'] }]);
    const gone = createCatalog({ url: 'http://127.0.0.1:9', retries: 0 }).subscribe(FollowChanges, {}, behind);
    await expect(gone.next()).rejects.toMatchObject({ name: 'CatalogFailure', status: 0 });
  });
});

describe('a stream', () => {
  /** Names in the events of a stream with this text, sent in chunks of `length` bytes. */
  async function told(text: string, length: number): Promise<string[]> {
    const bytes = Buffer.from(text);
    const server = createServer(async (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < bytes.length; at += length) {
        res.write(bytes.subarray(at, at + length));
        await new Promise((resolve) => setImmediate(resolve));
      }
      res.end();
    });
    const url = await listening(server);
    const names: string[] = [];
    try {
      for await (const { changes } of createCatalog({ url }).subscribe(FollowChanges, { after: START }, behind))
        names.push(changes.name!);
    } finally {
      server.close();
    }
    return names;
  }
  const event = (name: string, end: string) =>
    ['event: next', `data: {"data":{"changes":{"cursor":"c",`, `data:"name":"${name}"}}}`, '', ''].join(end);

  it.each(['\n', '\r\n'])('may be cut anywhere (lines end with %j)', async (end) => {
    const text = `:${end}${end}${event('Zürich', end)}id: 1${end}event: other${end}data: x${end}${end}${event('😀', end)}event: complete${end}data:${end}${end}`;
    for (const length of [1, 2, 3, 7, 10_000])
      expect({ length, told: await told(text, length) }).toEqual({ length, told: ['Zürich', '😀'] });
  });

  it('throws the errors that it contains', async () => {
    const error = `event: next\ndata: {"errors":[{"message":"no","extensions":{"code":"NOT_AUTHORIZED"}}]}\n\nevent: complete\ndata:\n\n`;
    const thrown = await told(event('one', '\n') + error, 100).catch((failure: unknown) => failure);
    expect(thrown).toBeInstanceOf(CatalogFailure);
    expect(thrown).toMatchObject({ code: 'NOT_AUTHORIZED', message: 'no' });
  });

  it('is refused when the response is not a stream', async () => {
    const server = createServer((_req, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'));
    const events = createCatalog({ url: await listening(server) }).subscribe(FollowChanges, { after: START }, behind);
    await expect(events.next()).rejects.toThrow('Not a GraphQL response (status 200)');
    server.close();
  });
});
