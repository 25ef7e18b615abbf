/** Apollo plugins of a site see every operation on `/graphql`, and Apollo's own usage reporting reports each. */
import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Report, type Trace } from '@apollo/usage-reporting-protobuf';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { clientOf, follow } from '../feed/sockets.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const MODULE = new URL('../helpers/plugins/recorder.mjs', import.meta.url);

interface Record {
  hooks: string[];
  [key: string]: unknown;
}

/** Exceeds the cost limit of an operation. */
const DEAR = `query Dear { ${Array.from({ length: 13 }, (_, n) => `a${n}: search { totalCount }`).join(' ')} }`;

let world: World;
let admin: TestUser;
let records: Record[];
/** Counts of reported traces and of those with errors, by operation name or by Apollo's name for a failure. */
const reported = new Map<string, readonly [traces: number, failed: number]>();
const hasError = ({ error, child }: Trace.INode): boolean => Boolean(error?.length || child?.some(hasError));
const ingress = http.createServer(async (req, res) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { tracesPerQuery } = Report.decode(gunzipSync(Buffer.concat(chunks)));
  for (const [key, { trace }] of Object.entries(tracesPerQuery)) {
    const name = key.split('\n')[0]!.replace(/^# /, '');
    const [traces, failed] = reported.get(name) ?? [0, 0];
    const failures = (trace as Trace[]).filter(({ root }) => hasError(root!));
    reported.set(name, [traces + trace!.length, failed + failures.length]);
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
  reported.clear();
});
afterAll(async () => {
  delete process.env.APOLLO_KEY;
  delete process.env.APOLLO_GRAPH_REF;
  await world.end();
  ingress.closeAllConnections();
  await new Promise((resolve) => ingress.close(resolve));
});

/** Waits for the reports of all operations of a test, so that none arrives in the next one. */
async function expectReported(expected: { readonly [name: string]: readonly [traces: number, failed: number] }) {
  const count = (all: Iterable<readonly [number, number]>) => [...all].reduce((sum, [traces]) => sum + traces, 0);
  await until(
    () => count(reported.values()) >= count(Object.values(expected)),
    () => [...reported],
  );
  expect(Object.fromEntries(reported)).toEqual(expected);
}

const OPENING = ['requestDidStart', 'didResolveSource'];
const READING = ['parsingDidStart', 'validationDidStart'];
const RUNNING = ['didResolveOperation', 'executionDidStart'];
const FAILED = ['didEncounterErrors', 'willSendResponse'];
/** Apollo's name for an operation not found in its document. A refused document is replaced by an empty one. */
const UNKNOWN = '## GraphQLUnknownOperationName';

it('plugins see a query parsed and validated once and executed on each run', async () => {
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
  await expectReported({ Rivers: [5, 0] });
});

it('plugins see queries by GET with the headers of the client', async () => {
  const path = `/graphql?query=${encodeURIComponent('query ByGet { site { siteId } }')}`;
  const { status } = await world.request(path, { headers: { accept: 'application/json', 'x-client': 'portal' } });
  expect(status).toBe(200);
  expect(records).toMatchObject([{ method: 'GET', client: 'portal', name: 'ByGet', status: 200 }]);
  await expectReported({ ByGet: [1, 0] });
});

it('plugins see mutations and their callers', async () => {
  const mutation =
    'mutation Make($input: CreateDatasetInput!) { createDataset(input: $input) { dataset { name } errors { code } } }';
  await world.graph(mutation, { input: { name: 'lakes' } }, { as: admin });
  expect(records).toMatchObject([{ operation: 'mutation', name: 'Make', caller: admin.id, status: 200 }]);
  await expectReported({ Make: [1, 0] });
});

it('plugins see persisted operations', async () => {
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
  await expectReported({ Kept: [2, 0], [UNKNOWN]: [1, 1] });
});

it.each([
  [
    'a syntax error',
    '{ site {',
    [...OPENING, 'parsingDidStart', ...FAILED],
    'GRAPHQL_PARSE_FAILED',
    '## GraphQLParseFailure',
  ],
  [
    'an unknown field',
    '{ nothing }',
    [...OPENING, ...READING, ...FAILED],
    'GRAPHQL_VALIDATION_FAILED',
    '## GraphQLValidationFailure',
  ],
  [
    'too many aliases',
    `{ ${Array.from({ length: 101 }, (_, n) => `a${n}: site { siteId }`).join(' ')} }`,
    [...OPENING, ...READING, 'didResolveOperation', ...FAILED],
    'LIMIT',
    UNKNOWN,
  ],
  [
    'a long text',
    `{ site { siteId } } #${'x'.repeat(100_000)}`,
    [...OPENING, 'didResolveOperation', ...FAILED],
    'LIMIT',
    UNKNOWN,
  ],
  ['a high cost', DEAR, [...OPENING, ...READING, 'didResolveOperation', ...FAILED], 'LIMIT', 'Dear'],
  [
    'a dataset that is not there',
    'query Missing { dataset(name: "none") { name } }',
    [...OPENING, ...READING, ...RUNNING, ...FAILED],
    'NOT_FOUND',
    'Missing',
  ],
  [
    'a subscription that cannot be answered',
    'subscription Lost { changes { cursor } }',
    [...OPENING, ...READING, 'didResolveOperation', ...FAILED],
    'VALIDATION',
    'Lost',
  ],
])('plugins see and report %s', async (_what, query, hooks, code, name) => {
  const { body } = await world.graph(query);
  expect(body.errors[0].extensions.code).toBe(code);
  expect(records).toMatchObject([{ hooks, codes: [code] }]);
  await expectReported({ [name]: [1, 1] });
});

it('plugins see the name of a refused operation', async () => {
  await world.graph(DEAR);
  expect(records).toMatchObject([{ name: 'Dear', operation: 'query', status: 400 }]);
  await expectReported({ Dear: [1, 1] });
});

it('plugins see and report the start of a subscription', async () => {
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
  await expectReported({ Follow: [1, 0] });
});

it('plugins see and report operations over a WebSocket', async () => {
  const connectionParams = { authorization: admin.key };
  const client = clientOf(world.base, { headers: { 'x-client': 'portal' }, connectionParams });
  const run = async (query: string) => (await follow(client, { query }).take(1))[0]?.data;
  const site = { site: { siteId: expect.any(String) } };
  for (const _ of ['new', 'known']) expect(await run('query Asked { site { siteId } }')).toEqual(site);
  const mutation = 'mutation Sent { createDataset(input: { name: "ponds" }) { errors { code } } }';
  expect(await run(mutation)).toEqual({ createDataset: { errors: [] } });
  const following = follow(client, { query: 'subscription Followed { changes { cursor } }' });
  await expectReported({ Asked: [2, 0], Sent: [1, 0], Followed: [1, 0] });
  following.stop();
  await client.dispose();
  const seen = { method: 'POST', client: 'portal', caller: admin.id, status: 200 };
  expect(records).toMatchObject([
    { ...seen, operation: 'query', name: 'Asked' },
    { ...seen, operation: 'query', name: 'Asked' },
    { ...seen, operation: 'mutation', name: 'Sent' },
    { ...seen, operation: 'subscription', name: 'Followed' },
  ]);
});
