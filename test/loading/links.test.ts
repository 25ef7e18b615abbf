/** Loads links from real local servers: fetches, refusals, retries and cancellation. */
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tablesCheck } from '../../src/datastore/tables/sweep.service.ts';
import { fetchPublic } from '../../src/infra/http/fetch-public.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { type ElsewhereServer, serveElsewhere } from '../helpers/http.ts';
import { loadingIn } from '../helpers/loading.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { zipOf } from '../helpers/xlsx.ts';

const servers: ElsewhereServer[] = [];
async function serve(answer: RequestListener): Promise<string> {
  const server = await serveElsewhere(answer);
  servers.push(server);
  return server.host;
}

let world: World;
let worker: Worker;
let boss: TestUser;
let datasetId: string;
let tools: ReturnType<typeof loadingIn>;
let host: string;
/** The same files, for links that fail temporarily. The worker then delays all jobs of their host. */
let unsteady: string;
let forbidden: string;
const asked: { url?: string; etag?: string }[] = [];
let forbiddenAsked = 0;
let held: (() => void) | null = null;
let content = 'a,b\n1,x\n';
beforeAll(async () => {
  forbidden = await serve((_req, res) => {
    forbiddenAsked += 1;
    res.end('secret\n1\n');
  });
  const answer: RequestListener = (req, res) => {
    asked.push({ url: req.url!, etag: req.headers['if-none-match']! });
    const [, kind, rest] = /^\/([a-z]+)(?:\/(.*))?$/.exec(req.url!.split('?')[0]!.replace(/\.csv$/, ''))!;
    if (kind === 'file') {
      if (req.headers['if-none-match'] === `"${content.length}"`) return res.writeHead(304).end();
      return res.setHeader('etag', `"${content.length}"`).end(content);
    }
    if (kind === 'packed') return res.setHeader('content-encoding', 'gzip').end(gzipSync(content));
    if (kind === 'bomb') return res.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(4 * 2 ** 20, 'a')));
    if (kind === 'archive') return res.end(zipOf({ 'x.csv': content }, { packed: true }));
    if (kind === 'vast') return res.end(zipOf({ 'x.csv': 'a\n'.repeat(2 ** 21) }, { packed: true }));
    if (kind === 'mebibyte') return res.end(`a,b\n${'1,x\n'.repeat(2 ** 18 - 1)}`);
    if (kind === 'held') return void (held = () => res.end(content));
    if (kind === 'large') return res.end(Buffer.alloc(4 * 2 ** 20, 'a'));
    if (kind === 'slow') return void res.write('a,b\n');
    if (kind === 'cut') return res.setHeader('content-length', '100').write('a,b\n1', () => res.destroy());
    if (kind === 'status') return res.writeHead(Number(rest)).end();
    if (kind === 'loop') return res.writeHead(302, { location: '/loop.csv' }).end();
    if (kind === 'away') return res.writeHead(302, { location: `http://${forbidden}/x.csv` }).end();
    if (kind === 'scheme') return res.writeHead(302, { location: 'file:///etc/passwd' }).end();
    return res.writeHead(301, { location: '/file.csv' }).end();
  };
  host = await serve(answer);
  unsteady = await serve(answer);
  world = await createWorld(settings());
  await world.datastore();
  boss = await world.make.user({ sysadmin: true });
  datasetId = (await world.make.dataset({ name: 'links' })).id;
  tools = loadingIn(world, () => boss);
  worker = await world.app.startWorker();
});
afterAll(async () => {
  await worker?.stop();
  await world?.end();
  await Promise.all(servers.map((server) => server.stop()));
});

const settings = () => ({
  'catalog.loading.allowed_hosts': [host, unsteady],
  'catalog.loading.max_size': 2 ** 20,
  'catalog.loading.link_delay': 0,
});

async function link(url: string, more: Record<string, string> = {}) {
  const params = { package_id: datasetId, url, format: 'CSV', ...more };
  const { id } = await world.result('resource_create', params, { as: boss });
  return { id: id as string, job: await tools.settled(id) };
}

it('fetches and loads a link, and loads it again only if it changed', async () => {
  const { id, job } = await link(`http://${host}/file.csv`);
  expect(job).toMatchObject({ state: 'DONE' });
  expect((await tools.search(id)).records).toMatchObject([{ a: 1, b: 'x' }]);
  const again = async () => {
    await world.result('resource_patch', { id, hash: String(asked.length) }, { as: boss });
    expect(await tools.settled(id)).toMatchObject({ state: 'DONE' });
    return (await world.database.db.tableLoad.findUnique({ where: { resourceId: id } }))!;
  };
  const first = await again();
  expect(asked.at(-1)).toMatchObject({ etag: first.etag });
  content = 'a,b\n1,x\n2,y\n';
  expect((await again()).loadedAt > first.loadedAt).toBe(true);
  expect((await tools.search(id)).total).toBe(2);
});

it('fetches a remote file whose copied metadata says "upload"', async () => {
  const { id, job } = await link(`http://${host}/file.csv`, { url_type: 'upload' });
  expect(job).toMatchObject({ state: 'DONE', error: null });
  expect((await tools.search(id)).fields.map((field: { id: string }) => field.id)).toEqual(['_id', 'a', 'b']);
  const resource = await world.result('resource_show', { id }, { as: boss });
  expect(resource).toMatchObject({ url_type: 'upload', url: `http://${host}/file.csv`, datastore_active: true });
});

it.each([['moved.csv'], ['packed.csv'], ['archive.csv']])('reads %s', async (path) => {
  const { id, job } = await link(`http://${host}/${path}`);
  expect(job).toMatchObject({ state: 'DONE', error: null });
  expect((await tools.search(id)).fields.length).toBe(3);
});

it('reads a file that is longer than the part used to detect its format', async () => {
  const { id, job } = await link(`http://${host}/mebibyte.csv`);
  expect(job).toMatchObject({ state: 'DONE', error: null });
  expect((await tools.search(id)).total).toBe(2 ** 18 - 1);
});

it.each([
  ['loop.csv', 'FAILED', /redirects more than 5 times/],
  ['away.csv', 'FAILED', /Private addresses are blocked/],
  ['scheme.csv', 'FAILED', /http or https URL|Only http and https/],
  ['bomb.csv', 'FAILED', /larger than 1048576 bytes/],
  ['large.csv', 'FAILED', /larger than 1048576 bytes/],
  ['vast.csv', 'FAILED', /larger than 1048576 bytes when unpacked/],
  ['status/404', 'FAILED', /responded with 404/],
  ['status/503', 'QUEUED', /responded with 503/],
  ['cut.csv', 'QUEUED', /The download failed/],
])('ends %s as %s', async (path, state, error) => {
  const { job } = await link(`http://${state === 'QUEUED' ? unsteady : host}/${path}`);
  expect(job).toMatchObject({ state, error: expect.stringMatching(error) });
  expect(forbiddenAsked).toBe(0);
});

it('retries a link that exceeds the timeout', async () => {
  const hasty = await createWorld({ ...settings(), 'catalog.loading.timeout': 1 });
  await hasty.datastore();
  const as = await hasty.make.user({ sysadmin: true });
  const working = await hasty.app.startWorker();
  try {
    const dataset = (await hasty.make.dataset()).id;
    const { id } = await hasty.result(
      'resource_create',
      { package_id: dataset, url: `http://${host}/slow.csv` },
      { as },
    );
    expect(await loadingIn(hasty, () => as).settled(id)).toMatchObject({
      state: 'QUEUED',
      error: expect.stringMatching(/longer than 1 s/),
    });
  } finally {
    await working.stop();
    await hasty.end();
  }
});

describe('refuses private addresses', () => {
  const port = () => forbidden.split(':')[1];
  it.each([
    [() => `http://${forbidden}/x.csv`],
    [() => `http://localhost:${port()}/x.csv`],
    [() => `http://LOCALHOST.:${port()}/x.csv`],
    [() => `http://2130706433:${port()}/x.csv`],
    [() => `http://0x7f.1:${port()}/x.csv`],
    [() => `http://0:${port()}/x.csv`],
    [() => `http://[::1]:${port()}/x.csv`],
    [() => `http://[::ffff:127.0.0.1]:${port()}/x.csv`],
    [() => `http://[::ffff:7f00:1]:${port()}/x.csv`],
    [() => `http://[64:ff9b::7f00:1]:${port()}/x.csv`],
    [() => 'http://169.254.169.254/latest/meta-data'],
    [() => 'http://10.0.0.1/x.csv'],
    [() => 'http://[fd00::1]/x.csv'],
    [() => 'http://[fe80::1]/x.csv'],
  ])('%#', async (url) => {
    const signal = AbortSignal.timeout(30_000);
    await expect(fetchPublic({ url: url(), allowedHosts: [host], signal })).rejects.toMatchObject({
      kind: expect.stringMatching(/VALIDATION|UNAVAILABLE/),
      message: expect.stringMatching(/Private addresses are blocked|cannot be reached/),
    });
    expect(forbiddenAsked).toBe(0);
  });

  it('allows a host only at the configured port', async () => {
    const signal = AbortSignal.timeout(30_000);
    await expect(fetchPublic({ url: `http://${forbidden}/`, allowedHosts: [host], signal })).rejects.toThrow(
      /Private addresses/,
    );
    const answer = await fetchPublic({ url: `http://${forbidden}/`, allowedHosts: ['127.0.0.1'], signal });
    answer.body.destroy();
    expect(answer.status).toBe(200);
  });
});

it('leaves no table if its resource is deleted during the load', async () => {
  const resource = { package_id: datasetId, url: `http://${host}/held.csv`, format: 'CSV' };
  const { id } = await world.result('resource_create', resource, { as: boss });
  const release = await until(() => held);
  await world.result('resource_delete', { id }, { as: boss });
  release();
  expect(await tools.settled(id)).toMatchObject({ state: 'DONE' });
  const {
    stores: { datastore },
  } = world.app.callAs(world.system);
  const stored = () => datastore!.sql.rows({ text: `SELECT FROM pg_class WHERE relname = '${id}'` });
  await until(async () => (await stored()).length === 0);
  expect(await tablesCheck(world.app.callAs(world.system))).toMatchObject({ orphans: [] });
});

it('cancels the load of a link that hangs', async () => {
  const { id } = await world.result(
    'resource_create',
    { package_id: datasetId, url: `http://${host}/slow.csv` },
    { as: boss },
  );
  const { databaseId } = (
    await world.graph(`{ jobs(where: { subject: "${id}" }) { nodes { databaseId } } }`, {}, { as: boss })
  ).body.data.jobs.nodes[0];
  await world.graph(`mutation { cancelJob(input: { id: "${databaseId}" }) { job { state } } }`, {}, { as: boss });
  expect(await tools.settled(id)).toMatchObject({ state: 'CANCELLED' });
});
