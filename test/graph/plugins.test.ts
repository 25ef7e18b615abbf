/** Apollo plugins of a site see every operation on `/graphql`, and Apollo's own usage reporting reports each. */
import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Report } from '@apollo/usage-reporting-protobuf';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const MODULE = new URL('../helpers/plugins/recorder.mjs', import.meta.url);

interface Record {
  hooks: string[];
  [key: string]: unknown;
}

/** Costs more than an operation may. */
const DEAR = `query Dear { ${Array.from({ length: 13 }, (_, n) => `a${n}: search { totalCount }`).join(' ')} }`;

let world: World;
let admin: TestUser;
let records: Record[];
/** Names of operations that were reported, with how often. */
const reported = new Map<string, number>();
const ingress = http.createServer(async (req, res) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { tracesPerQuery } = Report.decode(gunzipSync(Buffer.concat(chunks)));
  for (const [key, { trace }] of Object.entries(tracesPerQuery)) {
    const name = key.split('\n')[0]!.slice(2);
    reported.set(name, (reported.get(name) ?? 0) + (trace?.length ?? 0));
  }
  res.setHeader('content-type', 'application/json');
  res.end('{}');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => ingress.listen(0, '127.0.0.1', resolve));
  const module = await import(MODULE.href);
  module.ingress.url = `http://127.0.0.1:${(ingress.address() as AddressInfo).port}`;
  records = module.records;
  Object.assign(process.env, { APOLLO_KEY: 'service:catalog:test', APOLLO_GRAPH_REF: 'catalog@test' });
  world = await createWorld({ 'catalog.graphql.plugins': MODULE.pathname });
  admin = await world.make.sysadmin();
  await world.make.dataset({ name: 'rivers' });
});
beforeEach(() => {
  records.length = 0;
});
afterAll(async () => {
  delete process.env.APOLLO_KEY;
  delete process.env.APOLLO_GRAPH_REF;
  await world.end();
  ingress.closeAllConnections();
  await new Promise((resolve) => ingress.close(resolve));
});

const OPENING = ['requestDidStart', 'didResolveSource'];
const READING = ['parsingDidStart', 'validationDidStart'];
const RUNNING = ['didResolveOperation', 'executionDidStart'];
const FAILED = ['didEncounterErrors', 'willSendResponse'];

it('see a query: read once, run often, compiled or not', async () => {
  const query = 'query Rivers { dataset(name: "rivers") { name tags { name } } }';
  const answers = [];
  for (let time = 0; time < 5; time += 1) answers.push((await world.graph(query)).text);
  expect(new Set(answers).size).toBe(1);
  const fields = ['dataset', 'name', 'tags'];
  const seen = { method: 'POST', caller: null, operation: 'query', name: 'Rivers', status: 200, fields };
  expect(records[0]).toMatchObject({ ...seen, hooks: [...OPENING, ...READING, ...RUNNING, 'willSendResponse'] });
  for (const record of records.slice(1))
    expect(record).toMatchObject({ ...seen, hooks: [...OPENING, ...RUNNING, 'willSendResponse'] });
  expect(records).toHaveLength(5);
  await until(() => reported.get('Rivers') === 5);
});

it('see queries by GET, with the headers of the client', async () => {
  const path = `/graphql?query=${encodeURIComponent('query ByGet { site { siteId } }')}`;
  const { status } = await world.request(path, { headers: { accept: 'application/json', 'x-client': 'portal' } });
  expect(status).toBe(200);
  expect(records).toMatchObject([{ method: 'GET', client: 'portal', name: 'ByGet', status: 200 }]);
  await until(() => reported.get('ByGet') === 1);
});

it('see mutations, and who sends them', async () => {
  const mutation =
    'mutation Make($input: CreateDatasetInput!) { createDataset(input: $input) { dataset { name } errors { code } } }';
  await world.graph(mutation, { input: { name: 'lakes' } }, { as: admin });
  expect(records).toMatchObject([{ operation: 'mutation', name: 'Make', caller: admin.id, status: 200 }]);
  await until(() => reported.get('Make') === 1);
});

it('see persisted operations', async () => {
  const query = 'query Kept { site { siteId } }';
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const send = (more: object) =>
    world.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...more, extensions: { persistedQuery: { version: 1, sha256Hash } } }),
    });
  await send({});
  await send({ query });
  await send({});
  expect(records).toMatchObject([
    { hooks: [...OPENING, 'didResolveOperation', ...FAILED], codes: ['PERSISTED_QUERY_NOT_FOUND'], status: 200 },
    { name: 'Kept', isPersisted: false, status: 200 },
    { name: 'Kept', isPersisted: true, status: 200 },
  ]);
  await until(() => reported.get('Kept') === 2);
});

it.each([
  ['a syntax error', '{ site {', [...OPENING, 'parsingDidStart', ...FAILED], 'GRAPHQL_PARSE_FAILED'],
  ['an unknown field', '{ nothing }', [...OPENING, ...READING, ...FAILED], 'GRAPHQL_VALIDATION_FAILED'],
  [
    'too many aliases',
    `{ ${Array.from({ length: 101 }, (_, n) => `a${n}: site { siteId }`).join(' ')} }`,
    [...OPENING, ...READING, 'didResolveOperation', ...FAILED],
    'LIMIT',
  ],
  [
    'a long text',
    `{ site { siteId } } #${'x'.repeat(100_000)}`,
    [...OPENING, 'didResolveOperation', ...FAILED],
    'LIMIT',
  ],
  ['a high cost', DEAR, [...OPENING, ...READING, 'didResolveOperation', ...FAILED], 'LIMIT'],
  [
    'a dataset that is not there',
    'query Missing { dataset(name: "none") { name } }',
    [...OPENING, ...READING, ...RUNNING, ...FAILED],
    'NOT_FOUND',
  ],
  [
    'a subscription that cannot be answered',
    'subscription Lost { changes { cursor } }',
    [...OPENING, ...READING, 'didResolveOperation', ...FAILED],
    'VALIDATION',
  ],
])('see %s', async (_what, query, hooks, code) => {
  const { body } = await world.graph(query);
  expect(body.errors[0].extensions.code).toBe(code);
  expect(records).toMatchObject([{ hooks, codes: [code] }]);
});

it('see the name of a refused operation, and report it', async () => {
  await world.graph(DEAR);
  expect(records).toMatchObject([{ name: 'Dear', operation: 'query', status: 400 }]);
  await until(() => (reported.get('Dear') ?? 0) > 0);
  expect(reported.get('## GraphQLParseFailure')).toBeUndefined();
});

it('see the start of a subscription', async () => {
  const gone = new AbortController();
  const response = await fetch(
    `${world.base}/graphql?query=${encodeURIComponent('subscription Follow { changes { cursor } }')}`,
    {
      headers: { accept: 'text/event-stream' },
      signal: gone.signal,
    },
  );
  expect(response.status).toBe(200);
  expect(records).toMatchObject([{ method: 'GET', name: 'Follow', operation: 'subscription', status: 200 }]);
  gone.abort();
});
