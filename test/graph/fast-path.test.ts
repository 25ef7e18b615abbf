/** The fast path answers known queries byte for byte like Apollo Server's pipeline, and charges them once. */
import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const PLUGIN = new URL('../helpers/plugins/silent.mjs', import.meta.url).pathname;
/** Requests per case: the first parses and validates, the third compiles. */
const TIMES = 5;
const PAGE_SIZE = 50;
/** The header `ratelimit` shows the charge of a request, so each request uses its own address. */
const RATE = { 'catalog.rate.anonymous': 100_000 } as const;

let world: World;
let pipelineApp: App;
let base: Record<'fast' | 'pipeline', string>;
let admin: TestUser;

beforeAll(async () => {
  world = await createWorld(RATE);
  pipelineApp = await createApp({
    settings: settingsForTests({ ...world.settings, 'catalog.graphql.plugins': PLUGIN }),
    database: world.database,
    secret: world.secret,
    log: pino({ level: 'silent' }),
  });
  await new Promise<void>((resolve) => pipelineApp.server.listen(0, '127.0.0.1', resolve));
  base = { fast: world.base, pipeline: `http://127.0.0.1:${(pipelineApp.server.address() as AddressInfo).port}` };
  admin = await world.make.sysadmin();
  await world.make.dataset({ name: 'rivers', title: 'Rivers' });
  for (let at = 0; at <= PAGE_SIZE; at += 1)
    await world.make.dataset({ title: `Dataset ${at}`, tags: [{ name: 'water' }], resources: [{ url: 'http://x/a' }] });
});
afterAll(async () => {
  pipelineApp?.server.closeAllConnections();
  await pipelineApp?.close();
  await world.end();
});

interface Sent {
  readonly query?: string;
  readonly documentId?: string;
  readonly operationName?: string;
  readonly variables?: object;
  readonly extensions?: object;
}

interface Raw {
  readonly status: number | undefined;
  /** In the order received, without `date`. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** One request as bytes, over a connection of its own. */
function send(to: string, method: string, sent: Sent, headers: IncomingHttpHeaders): Promise<Raw> {
  const isPost = method === 'POST';
  const fields = Object.entries(sent).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const url = isPost ? `${to}/graphql` : `${to}/graphql?${new URLSearchParams(fields)}`;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: false,
      headers: { 'x-request-id': 'a-request', ...(isPost && { 'content-type': 'application/json' }), ...headers },
    });
    outgoing.on('response', async (incoming) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { rawHeaders, statusCode: status } = incoming;
      const lines = rawHeaders.flatMap((name, n) => (n % 2 === 0 ? [`${name}: ${rawHeaders[n + 1]}`] : []));
      resolve({
        status,
        headers: lines.filter((line) => !/^date:/i.test(line)),
        body: Buffer.concat(chunks).toString('latin1'),
      });
    });
    outgoing.on('error', reject);
    outgoing.end(isPost ? JSON.stringify(sent) : undefined);
  });
}

let host = 0;
const newAddress = () => `203.0.${(host += 1) >> 8}.${host & 255}`;

async function expectAlike(method: string, sent: Sent, headers: IncomingHttpHeaders = {}): Promise<Raw> {
  let last: Raw | undefined;
  for (let time = 0; time < TIMES; time += 1) {
    const all = { 'x-forwarded-for': newAddress(), ...headers };
    const expected = await send(base.pipeline, method, sent, all);
    last = await send(base.fast, method, sent, all);
    expect({ time, ...last }).toEqual({ time, ...expected });
  }
  return last!;
}

/** Operations that Apollo Server runs during `work`. */
async function pipelineRuns(work: () => Promise<unknown>): Promise<number> {
  const runs = jest.spyOn(ApolloServer.prototype, 'executeOperation');
  try {
    await work();
    return runs.mock.calls.length;
  } finally {
    runs.mockRestore();
  }
}

const PAGE = `{ datasets(first: ${PAGE_SIZE}) { nodes { id name title tags { name } resources { id url } } pageInfo { hasNextPage } } }`;
const WHOLE = '{ dataset(name: "rivers") { id name title tags { name } resources { id url } } }';
const NAMED = 'query A { site { siteId } } query B($name: String!) { dataset(name: $name) { title } }';
const COSTLY =
  '{ datasets(first: 100) { nodes { resources { dataset { resources { dataset { resources { id } } } } } } } }';
const B = { query: NAMED, operationName: 'B' };
const PATCH =
  'mutation { updateDataset(input: { dataset: "rivers", title: "Rivers" }) { dataset { title } errors { code } } }';

it.each<[string, Sent, number]>([
  ['a query', { query: WHOLE }, 200],
  ['a page', { query: '{ datasets(first: 5) { nodes { name } pageInfo { hasNextPage } } }' }, 200],
  ['one of several operations', { ...B, variables: { name: 'rivers' } }, 200],
  ['no operation of the document', { query: NAMED }, 400],
  ['an unknown operation', { query: NAMED, operationName: 'C' }, 400],
  ['a variable of the wrong type', { ...B, variables: { name: {} } }, 400],
  ['a missing variable', B, 400],
  ['an unknown dataset', { ...B, variables: { name: 'none' } }, 200],
  ['an error beside data', { query: '{ site { siteId } job(databaseId: "none") { id } }' }, 200],
  ['a query over the cost limit', { query: COSTLY }, 400],
  ['introspection', { query: '{ __schema { queryType { name } } __typename }' }, 200],
  ['a mutation', { query: PATCH }, 200],
  ['a subscription', { query: 'subscription { changes { cursor } }' }, 400],
  ['a syntax error', { query: '{ site {' }, 400],
  ['an unknown field', { query: '{ site { nothing } }' }, 400],
  ['an unknown document', { documentId: 'none' }, 404],
])('answers %s like the pipeline, on every repetition', async (_name, sent, status) => {
  const newer = { accept: 'application/graphql-response+json' };
  expect(await expectAlike('POST', sent, newer)).toMatchObject({ status });
  await expectAlike('POST', sent);
  await expectAlike('POST', sent, { ...newer, 'accept-encoding': 'gzip' });
  await expectAlike('POST', sent, { authorization: admin.key });
  await expectAlike('POST', sent, { authorization: 'wrong' });
  await expectAlike('GET', sent, newer);
  await expectAlike('GET', sent, { authorization: admin.key, 'accept-encoding': 'br' });
  if (!sent.query?.startsWith('subscription')) await expectAlike('POST', sent, { accept: 'text/event-stream' });
});

it(`answers a page of ${PAGE_SIZE} datasets like the pipeline`, async () => {
  const { body } = await expectAlike('POST', { query: PAGE });
  const { nodes, pageInfo } = JSON.parse(body).data.datasets;
  expect([nodes.length, pageInfo]).toEqual([PAGE_SIZE, { hasNextPage: true }]);
  await expectAlike('GET', { query: PAGE }, { 'accept-encoding': 'gzip' });
  await expectAlike('POST', { query: PAGE }, { authorization: admin.key });
});

it.each<[string, Sent, number]>([
  ['a known query', { query: WHOLE }, 0],
  ['a known page', { query: PAGE }, 0],
  ['a known query with variables', { ...B, variables: { name: 'rivers' } }, 0],
  ['a query with errors', { query: '{ job(databaseId: "none") { id } }' }, TIMES],
  ['a refused query', { query: COSTLY }, TIMES],
  ['a mutation', { query: PATCH }, TIMES],
])('%s reaches Apollo Server only if the fast path cannot answer it', async (_name, sent, runs) => {
  const repeat = async (to: string) => {
    for (let time = 0; time < TIMES; time += 1) await send(to, 'POST', sent, { 'x-forwarded-for': newAddress() });
  };
  await repeat(base.fast);
  expect(await pipelineRuns(() => repeat(base.fast))).toBe(runs);
  expect(await pipelineRuns(() => repeat(base.pipeline))).toBe(TIMES); // a plugin disables the fast path
});

it('answers persisted operations like the pipeline', async () => {
  const query = 'query Persisted { site { siteId } }';
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  expect((await expectAlike('POST', { extensions })).body).toContain('PERSISTED_QUERY_NOT_FOUND');
  await expectAlike('POST', { query, extensions });
  expect((await expectAlike('GET', { extensions })).body).toContain('"siteId"');
  await expectAlike('POST', { documentId: `sha256:${sha256Hash}` });
  await expectAlike('POST', { query: WHOLE, extensions });
});

it('answers conditional requests like the pipeline', async () => {
  const { headers } = await expectAlike('GET', { query: WHOLE });
  const etag = headers.find((line) => line.startsWith('etag: '))!.slice('etag: '.length);
  expect(await expectAlike('GET', { query: WHOLE }, { 'if-none-match': etag })).toMatchObject({
    status: 304,
    body: '',
  });
});

it('answers queries that fail in the database like the pipeline', async () => {
  const query = '{ groups(first: 1) { nodes { name } } site { siteId } }';
  await expectAlike('POST', { query });
  const { db } = world.database;
  await db.$executeRawUnsafe('ALTER TABLE group_account RENAME TO away');
  try {
    expect((await expectAlike('POST', { query })).body).toContain('a-request');
  } finally {
    await db.$executeRawUnsafe('ALTER TABLE away RENAME TO group_account');
  }
});
