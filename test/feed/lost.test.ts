/** Readers whose cursor is older than the log: every API returns `GONE` with the cursor to continue from. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { changeConnection, cursorAt } from '../../src/feed/feed.service.ts';
import { createLiveFeed } from '../../src/feed/follower.ts';
import { anonymous } from '../../src/kernel/call.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { eventsFrom } from './events.ts';
import { clientOf, follow } from './sockets.ts';

/** Datasets are written in this order, one change each. The log is pruned before `kept-0`. */
const NAMES = ['lost-0', 'lost-1', 'kept-0', 'kept-1'];
const KEPT = ['kept-0', 'kept-1'];

let world: World;
let admin: TestUser;
/** Cursors after `lost-0`, after `lost-1` (no later change is missing) and at the end of the log. */
let lost: string;
let oldest: string;
let end: string;

const nobody = () => world.app.callAs(anonymous('192.0.2.1'));
const placed = async (): Promise<Map<string, number>> => {
  await changeConnection(nobody(), { first: 1 }); // gives each change its position
  const { rows } = await world.database.pool.query(
    `SELECT d.name, c.position::int AS position FROM change c JOIN dataset d ON d.id = c.object_id WHERE c.object_type = 'dataset'`,
  );
  return new Map(rows.map(({ name, position }) => [name, position]));
};
const prune = (before: number) => world.database.pool.query('DELETE FROM change WHERE position < $1', [before]);

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  for (const name of NAMES) await world.make.dataset({ name });
  const places = await placed();
  const first = places.get('kept-0')!;
  [lost, oldest, end] = [places.get('lost-0')!, first - 1, places.get('kept-1')!].map(cursorAt) as [
    string,
    string,
    string,
  ];
  await prune(first);
});
afterAll(() => world.end());

const PAGE = `query ($after: String) { changes(after: $after, types: [DATASET]) { nodes { name } pageInfo { endCursor } } }`;
const STREAM = `subscription ($after: String) { changes(after: $after, types: [DATASET]) { name } }`;
const gone = () => ({
  message: expect.stringContaining(`Read the catalog again, then continue with after: "${oldest}"`),
  extensions: { code: 'GONE', oldest, problems: [{ path: ['after'], message: expect.any(String) }] },
});

it('/changes returns 410 with the cursor to continue from', async () => {
  for (const query of [`after=${lost}`, `after=${cursorAt(0)}`, `after=${lost}&wait=60`]) {
    const { status, body } = await world.request(`/changes?${query}`);
    expect([query, status, body]).toEqual([query, 410, { error: { code: 'GONE', oldest, message: gone().message } }]);
  }
  const names = async (query: string) => {
    const { text } = await world.request(`/changes?types=DATASET&${query}`);
    const lines = text.trim().split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line).name);
  };
  expect(await names(`after=${oldest}`)).toEqual(KEPT);
  expect(await names(`after=${end}`)).toEqual([]);
  expect(await names('')).toEqual(KEPT); // from the oldest change that remains
});

it('/changes as an event stream returns 410, also for a pruned `Last-Event-ID`', async () => {
  for (const [query, headers] of [
    [`?after=${lost}`, {}],
    ['', { 'last-event-id': lost }],
  ] as const) {
    const { status, body } = await world.request(`/changes${query}`, {
      headers: { accept: 'text/event-stream', ...headers },
    });
    expect([status, body.error]).toEqual([410, { code: 'GONE', oldest, message: gone().message }]);
  }
  const stream = await eventsFrom(`${world.base}/changes?types=DATASET&after=${oldest}`);
  expect((await stream.take(2)).map(({ data }) => JSON.parse(data).name)).toEqual(KEPT);
  stream.close();
});

it('a query fails with GONE and the cursor to continue from', async () => {
  const ask = async (after?: string) => (await world.graph(PAGE, { after })).body;
  expect((await ask(lost)).errors).toEqual([expect.objectContaining(gone())]);
  for (const after of [oldest, undefined]) {
    const { changes } = (await ask(after)).data;
    expect(changes.nodes.map(({ name }: any) => name)).toEqual(KEPT);
    expect(changes.pageInfo.endCursor).toBe(end);
  }
});

it('a subscription fails with GONE, as an event stream and over WebSocket', async () => {
  const asked = (after: string) => new URLSearchParams({ query: STREAM, variables: JSON.stringify({ after }) });
  const events = await eventsFrom(`${world.base}/graphql?${asked(lost)}`);
  const [next, complete] = await events.take(2);
  expect(JSON.parse(next!.data).errors).toEqual([expect.objectContaining(gone())]);
  expect(complete!.event).toBe('complete');
  const client = clientOf(world.base);
  expect(await follow(client, { query: STREAM, variables: { after: lost } }).ended).toEqual([
    expect.objectContaining(gone()),
  ]);
  const goesOn = follow(client, { query: STREAM, variables: { after: oldest } });
  expect((await goesOn.take(2)).map(({ data }) => data.changes.name)).toEqual(KEPT);
  goesOn.stop();
  await client.dispose();
});

it('a webhook cannot be created with a pruned cursor', async () => {
  const query = `mutation ($after: String) { createWebhook(input: { url: "https://example.org/", after: $after })
    { webhook { state } errors { code message path } } }`;
  const create = async (after: string) => (await world.graph(query, { after }, { as: admin })).body.data.createWebhook;
  expect(await create(lost)).toEqual({
    webhook: null,
    errors: [{ code: 'GONE', message: expect.stringContaining(oldest), path: ['after'] }],
  });
});

it('a stream ends with GONE when changes that it has not read are pruned', async () => {
  for (const name of ['late-lost', 'late-kept']) await world.make.dataset({ name });
  const places = await placed();
  const feed = createLiveFeed({ call: nobody, notify: () => {}, onFailure: () => {} });
  const gone = new AbortController();
  const after = places.get('late-lost')! - 1;
  const stream = await feed.follow({ caller: 'slow', after, signal: gone.signal });
  await prune(places.get('late-kept')!);
  await expect(stream.next()).rejects.toMatchObject({ kind: 'GONE', oldest: cursorAt(places.get('late-kept')! - 1) });
  gone.abort();
  feed.stop();
});
