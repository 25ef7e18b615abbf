/** The metrics endpoint: its ports, its token, and the metrics of the site's state. */
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Settings } from '../../src/kernel/settings.ts';
import { METRICS } from '../../src/monitor/definitions.ts';
import { samplesOf, valuesOf } from '../helpers/metrics.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const TOKEN = 'a token of 20 letters';
const bearer = { authorization: `Bearer ${TOKEN}` };

let worlds: World[] = [];
let open: World;

const world = async (settings: Partial<Settings>): Promise<World> => {
  const made = await createWorld(settings);
  worlds.push(made);
  return made;
};

beforeAll(async () => {
  open = await createWorld({ 'catalog.monitoring.token': TOKEN });
});
afterEach(async () => {
  await Promise.all(worlds.map((it) => it.end()));
  worlds = [];
});
afterAll(() => open.end());

const page = async (of: World = open) => (await of.request('/metrics', { headers: bearer })).text;
const value = async (name: string, of: World = open) => valuesOf(await page(of), name);

async function listening(server: http.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('publishes nothing by default', async () => {
  const closed = await world({});
  expect((await closed.request('/metrics')).status).toBe(404);
  expect((await closed.request('/metrics', { headers: bearer })).status).toBe(404);
  expect((await closed.request('/livez')).status).toBe(200);
  expect(closed.app.monitoringServer).toBeNull();
});

it('requires the token on the port of the site', async () => {
  for (const headers of [
    {},
    { authorization: TOKEN },
    { authorization: 'Bearer' },
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: `Basic ${TOKEN}` },
    { cookie: `token=${TOKEN}` },
  ] as Record<string, string>[]) {
    const { status, headers: sent, text } = await open.request('/metrics', { headers });
    expect([headers, status, sent.get('www-authenticate')]).toEqual([headers, 401, 'Bearer realm="metrics"']);
    expect(text).not.toContain('catalog_requests_total');
  }
  const { status, headers } = await open.request('/metrics', { headers: bearer });
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    'no-store',
  ]);
  expect((await open.request('/metrics', { method: 'POST', headers: bearer })).status).toBe(405);
  expect((await open.request('/metricsx', { headers: bearer })).status).toBe(404);
});

it('serves metrics on their own port, and health checks on both ports', async () => {
  const own = await world({ 'catalog.monitoring.port': 9 });
  const base = await listening(own.app.monitoringServer!);
  const status = async (path: string) => (await fetch(base + path)).status;
  expect([
    await status('/livez'),
    await status('/metrics'),
    await status('/'),
    await status('/api/3/action/package_list'),
  ]).toEqual([200, 200, 404, 404]);
  await own.datastore();
  await until(async () => (await status('/readyz')) === 200);
  for (const [path, expected] of [
    ['/livez', 200],
    ['/readyz', 200],
    ['/metrics', 404],
  ] as const)
    expect([path, (await own.request(path)).status]).toEqual([path, expected]);
});

it('requires the token on the own port too, if one is set', async () => {
  const own = await world({ 'catalog.monitoring.port': 9, 'catalog.monitoring.token': TOKEN });
  const base = await listening(own.app.monitoringServer!);
  expect((await fetch(`${base}/metrics`)).status).toBe(401);
  expect((await fetch(`${base}/metrics`, { headers: bearer })).status).toBe(200);
  expect((await fetch(`${base}/livez`)).status).toBe(200);
});

it('has each metric once, with its type', async () => {
  const text = await page();
  samplesOf(text);
  for (const [name, { type }] of Object.entries(METRICS))
    expect(text.split(`# TYPE ${name} ${type}\n`)).toHaveLength(2);
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'process_cpu_seconds_total'])
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
});

it('counts operations by kind and result, and their cost', async () => {
  const before = await value('catalog_graphql_operations_total');
  const cost = await value('catalog_graphql_cost_count');
  await open.graph('{ site { title } }');
  await open.graph('{ site { title } }'); // executed by the fast path
  await open.graph('{ nothing }');
  await open.graph(`{ ${Array.from({ length: 300 }, (_none, n) => `a${n}: __typename`).join(' ')} }`);
  await open.graph('mutation { createDataset(input: { name: "x" }) { dataset { id } errors { code } } }');
  const after = await value('catalog_graphql_operations_total');
  const more = Object.fromEntries(
    Object.entries(after)
      .map(([label, count]) => [label, count - (before[label] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
  expect(more).toEqual({
    'query ok': 2,
    'none GRAPHQL_VALIDATION_FAILED': 1,
    'none LIMIT': 1,
    'mutation ok': 1,
  });
  const costs = await value('catalog_graphql_cost_count');
  expect([costs.query! - (cost.query ?? 0), costs.mutation! - (cost.mutation ?? 0)]).toEqual([2, 1]);
});

it('labels only operations of a manifest with their names', async () => {
  const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const { tmpdir } = await import('node:os');
  const folder = mkdtempSync(join(tmpdir(), 'catalog-trusted-'));
  writeFileSync(join(folder, 'm.json'), JSON.stringify({ one: 'query Titles { site { title } }' }));
  const trusting = await world({ 'catalog.monitoring.token': TOKEN, 'catalog.graphql.documents': folder });
  rmSync(folder, { recursive: true });
  const ask = (body: object) =>
    trusting.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await ask({ documentId: 'one' })).body.data.site.title).toBe('Catalog Gateway');
  await ask({ query: 'query Other { site { title } }', operationName: 'Other' });
  await until(async () => (await value('catalog_requests_total', trusting))['graphql other 200']);
  expect(await value('catalog_requests_total', trusting)).toMatchObject({
    'graphql Titles 200': 1,
    'graphql other 200': 1,
  });
});

it('counts clients that disconnect as 499', async () => {
  const { connect } = await import('node:net');
  const { hostname, port } = new URL(open.base);
  const socket = connect(Number(port), hostname);
  socket.write(
    'POST /api/3/action/package_show HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  await until(async () => (await value('catalog_requests_running'))['']! >= 2);
  socket.destroy();
  await until(async () => (await value('catalog_requests_total'))['action package_show 499'] === 1);
});

it('shows queues, the feed, pools and parts of the server', async () => {
  const { sql } = open.database;
  await sql.rows({
    text: `INSERT INTO job (id, kind, subject_type, subject_id, max_attempts, urgent, run_at) VALUES
      ('1', 'load', 'resource', 'a', 1, true, now() - interval '100 s'), ('2', 'load', 'resource', 'b', 1, false, now() - interval '50 s'),
      ('3', 'load', 'resource', 'c', 1, false, now() + interval '1 h')`,
  });
  await open.make.dataset({ name: 'pending' });
  await until(async () => (await value('catalog_jobs_waiting'))['load urgent'] === 1);
  const text = await page();
  expect(valuesOf(text, 'catalog_jobs_waiting')).toEqual({ 'load normal': 1, 'load urgent': 1 });
  expect(valuesOf(text, 'catalog_jobs_waiting_seconds')['load urgent']).toBeGreaterThanOrEqual(100);
  expect(valuesOf(text, 'catalog_jobs_waiting_seconds')['load normal']).toBeLessThan(99);
  expect(valuesOf(text, 'catalog_pool_max').catalog).toBe(10);
  expect(valuesOf(text, 'catalog_site_state_up')).toEqual({ '': 1 });
  expect(valuesOf(text, 'catalog_part_up')).toEqual({ database: 1, migrations: 1, datastore: 0, files: 1 });
  await until(async () => (await value('catalog_change_feed_pending'))['']! >= 1);
  await open.request('/changes'); // assigns positions
  await until(async () => (await value('catalog_change_feed_pending'))[''] === 0);
});

it('answers without the state of the site while the database fails', async () => {
  await open.database.sql.rows({ text: 'ALTER TABLE quality_pending RENAME TO gone' });
  await until(async () => (await value('catalog_site_state_up'))[''] === 0);
  expect(await value('catalog_jobs_waiting')).toEqual({});
  expect(Object.keys(await value('catalog_requests_total')).length).toBeGreaterThan(3);
  await open.database.sql.rows({ text: 'ALTER TABLE gone RENAME TO quality_pending' });
  await until(async () => (await value('catalog_site_state_up'))[''] === 1);
});
