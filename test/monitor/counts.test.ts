/** Compares the summed counters of two processes with the counts of a load generator. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDatastore, createEmptyDatabase } from '../helpers/database.ts';
import { samplesOf, summed, valuesOf } from '../helpers/metrics.ts';
import { freePort } from '../helpers/port.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

/** Requests of the mixed load. Release acceptance uses 20,000. */
const REQUESTS = Number(process.env.METRICS_REQUESTS ?? 1_000);
/** Random addresses. Release acceptance uses 50,000. */
const ADDRESSES = Number(process.env.METRICS_ADDRESSES ?? 2_000);
const AT_ONCE = 8;

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let datastore: Awaited<ReturnType<typeof createDatastore>>;
let servers: TestServer[] = [];
let ports: number[] = [];

beforeAll(async () => {
  [database, datastore] = await Promise.all([createEmptyDatabase(), createDatastore()]);
  const env = {
    CATALOG__DATABASE_URL: database.url,
    CATALOG__DATASTORE__WRITE_URL: datastore.writeUrl,
    CATALOG__DATASTORE__READ_URL: datastore.readUrl,
    CATALOG__RATE__ANONYMOUS: '0',
    CATALOG__ACTION_API__STATUS: 'http',
  };
  ports = [await freePort(), await freePort()];
  const portOf = (n: number) => ({ CATALOG__MONITORING__PORT: String(ports[n]) });
  const first = await startServer({ ...env, ...portOf(0) });
  servers = [first, await startServer({ ...env, ...portOf(1) }, { key: first.key })];
  await first.call('package_create', { name: 'rivers', title: 'Rivers' });
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await Promise.all([database.end(), datastore.end()]);
});

const pageOf = async (port: number): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
const totals = async () =>
  summed(...(await Promise.all(ports.map(async (port) => valuesOf(await pageOf(port), 'catalog_requests_total')))));

type Kind = readonly [
  facade: string,
  operation: string,
  path: (n: number) => string,
  init?: (key: string) => RequestInit,
];

const post = (body: object) => (): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const withKey = (body: object) => (key: string) => {
  const init = post(body)();
  return { ...init, headers: { ...init.headers, authorization: key } };
};

const KINDS: readonly Kind[] = [
  ['action', 'package_show', () => '/api/3/action/package_show?id=rivers'],
  ['action', 'package_show', () => '/api/action/package_show?id=none'],
  ['action', 'package_show', (n) => `/api/3/action/package_show?id=rivers&n=${n}`],
  ['action', 'package_list', () => '/api/3/action/package_list', post({})],
  ['action', 'package_create', () => '/api/3/action/package_create', post({ name: 'refused' })],
  ['action', 'package_patch', () => '/api/3/action/package_patch', withKey({ id: 'rivers', notes: 'More' })],
  ['action', 'other', (n) => `/api/3/action/no_such_${n}`],
  ['graphql', 'other', () => '/graphql', post({ query: 'query Mine { site { title } }', operationName: 'Mine' })],
  ['graphql', 'other', () => '/graphql', post({ query: '{ nothing }' })],
  ['graphql', 'other', (n) => `/graphql?query=${encodeURIComponent(`query N${n} { site { title } }`)}`],
  ['feed', '/changes', () => '/changes'],
  ['feed', '/changes', () => '/changes?after=wrong'],
  ['legacy', '/api/2/rest/dataset', () => '/api/2/rest/dataset'],
  ['rdf', '/dataset/:name', () => '/dataset/rivers.ttl'],
  ['web', '/dataset/:name', () => '/dataset/rivers'],
  ['web', 'other', (n) => `/nothing-${n}`],
];

async function load(count: number, kindOf: (n: number) => Kind): Promise<Record<string, number>> {
  const sent: Record<string, number> = {};
  let n = 0;
  const worker = async () => {
    while (n < count) {
      const at = n++;
      const [facade, operation, path, init] = kindOf(at);
      const { base, key } = servers[at % servers.length]!;
      const response = await fetch(base + path(at), { redirect: 'manual', ...init?.(servers[0]!.key ?? key) });
      await response.arrayBuffer();
      const label = `${facade} ${operation} ${response.status}`;
      sent[label] = (sent[label] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return sent;
}

it('counts each request by facade, operation and status, over two processes', async () => {
  const before = await totals();
  const sent = await load(REQUESTS, (n) => KINDS[n % KINDS.length]!);
  const counted = async () => {
    const now = await totals();
    for (const [label, value] of Object.entries(before)) now[label] = now[label]! - value;
    return Object.fromEntries(Object.entries(now).filter(([, value]) => value > 0));
  };
  const sum = (of: object) => Object.values(of).reduce((total, value) => total + value, 0);
  expect(sum(sent)).toBe(REQUESTS);
  await until(async () => sum(await counted()) >= REQUESTS); // a request is counted shortly after its response
  expect(await counted()).toEqual(sent);
}, 3_600_000);

const random = () => Math.random().toString(36).slice(2);
const SHAPES: readonly ((text: string) => string)[] = [
  (text) => `/${text}`,
  (text) => `/${text}/${text}?${text}=${text}`,
  (text) => `/api/3/action/${text}`,
  (text) => `/api/action/${text}?id=${text}`,
  (text) => `/api/${text}`,
  (text) => `/api/2/rest/${text}/${text}`,
  (text) => `/dataset/${text}`,
  (text) => `/dataset/${text}.${text}`,
  (text) => `/dataset/${text}/resource/${text}`,
  (text) => `/de/organization/${text}`,
  (text) => `/user/${text}`,
  (text) => `/feeds/group/${text}.atom`,
  (text) => `/static/${text}`,
  (text) => `/uploads/group/${text}`,
  (text) => `/datastore/dump/${text}`,
  (text) => `/graphql?query=${encodeURIComponent(`query ${`x${text}`} { ${`y${text}`} }`)}&operationName=x${text}`,
  (text) => `/changes?after=${text}`,
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'];

it("has a bounded number of label sets after random addresses, and no caller's text", async () => {
  const texts = new Set<string>();
  await load(ADDRESSES, (n) => {
    const text = random();
    texts.add(text);
    const method = METHODS[n % METHODS.length]!;
    return ['', '', () => SHAPES[n % SHAPES.length]!(text), () => ({ method })];
  });
  for (const port of ports) {
    const page = await pageOf(port);
    expect([...texts].filter((text) => page.includes(text))).toEqual([]);
    const sets = samplesOf(page).size;
    console.log(`${sets} samples after ${ADDRESSES} random addresses`);
    expect(sets).toBeLessThanOrEqual(500);
  }
}, 3_600_000);
