/** Two server processes check 300 links to loopback addresses of all kinds: verdicts, politeness, memory, recovery. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { figures, MIB, watched } from '../helpers/memory.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { AUTHORITY } from './expired.ts';
import { createFarm, type Farm, type Seen } from './farm.ts';

/** ms between two requests to a host, by default. */
const PAUSE = 1_000;

let farm: Farm;
let world: World;
let folder: string;
const servers: TestServer[] = [];
/** Ids of the resources, in the order of the links. */
let ids: string[];

beforeAll(async () => {
  farm = await createFarm();
  world = await createWorld({ 'catalog.loading.links': false });
  folder = mkdtempSync(join(tmpdir(), 'links-'));
  writeFileSync(join(folder, 'authority.pem'), AUTHORITY);
  const PER_DATASET = 50;
  ids = [];
  for (let from = 0; from < farm.links.length; from += PER_DATASET) {
    const resources = farm.links.slice(from, from + PER_DATASET).map(({ url, format }) => ({ url, format }));
    const { body } = await world.make.dataset({ resources });
    ids.push(...body.resources.map(({ id }) => id));
  }
  const env = {
    CATALOG__DATABASE_URL: world.database.url,
    CATALOG__DATA_DIR: join(folder, 'data'),
    CATALOG__LOADING__LINKS: 'false',
    CATALOG__LOADING__ALLOWED_HOSTS: farm.hosts.join(' '),
    CATALOG__LINKS__DELAY: '0',
    CATALOG__LINKS__HOSTS: '50',
    NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
  };
  servers.push(await startServer(env));
  servers.push(await startServer(env, servers[0]));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await world.end();
  await farm.end();
  rmSync(folder, { recursive: true, force: true });
});

interface Stored {
  id: string;
  verdict: string;
  reason: string | null;
  http_status: number | null;
  final_url: string | null;
  failures: number;
}

const stored = async (): Promise<Stored[]> =>
  (
    await world.database.pool.query<Stored>(
      `SELECT resource_id AS id, upper(verdict) AS verdict, upper(reason) AS reason, http_status, final_url, failures
       FROM resource_link WHERE verdict IS NOT NULL`,
    )
  ).rows;
const idsOf = (kind: string) => ids.filter((_id, index) => farm.links[index]!.kind === kind);
/** Makes these links due now. */
async function due(some: readonly string[]): Promise<void> {
  await world.database.pool.query(
    `WITH l AS (UPDATE resource_link SET next_at = now() WHERE resource_id = ANY ($1) RETURNING host)
     UPDATE link_host SET due_at = now(), free_at = now() WHERE host IN (SELECT host FROM l)`,
    [some],
  );
}
const linkOf = (id: string) =>
  servers[0]!.graph(`{ resource(databaseId: "${id}") { id link { verdict reason failures since checkedAt lastOkAt firstFailureAt isRequested
    size mediaType history { verdict reason status } } } }`);

it('finds the verdict of every link in constant memory', async () => {
  const { seconds, before, grew } = await watched(servers[0]!.process, () =>
    until(
      async () => (await stored()).length === farm.links.length,
      async () => (await stored()).length,
      150,
    ),
  );
  const byId = new Map((await stored()).map((one) => [one.id, one]));
  const wrong = farm.links.flatMap((link, index) => {
    const { verdict, reason, http_status, final_url } = byId.get(ids[index]!)!;
    const found = {
      verdict,
      reason,
      ...(link.status !== undefined && { status: http_status }),
      ...(link.finalUrl && { finalUrl: final_url }),
    };
    const { kind, verdict: _v, url, host: _h, format: _f, ...expected } = link;
    const wanted = { ...expected, verdict: link.verdict };
    return JSON.stringify(Object.entries(found).sort()) === JSON.stringify(Object.entries(wanted).sort())
      ? []
      : [{ kind, url, found }];
  });
  expect(wrong).toEqual([]);
  console.log(`300 links: ${figures({ seconds, before, grew })}`);
  expect(grew).toBeLessThan(150 * MIB);
});

it('reads only a small part of large and endless bodies', () => {
  const sent = farm.links.filter(({ kind }) => kind === 'flood' || kind === 'large').map(({ host }) => farm.sent(host));
  console.log(`most bytes that left one server: ${Math.max(...sent)}`);
  expect(sent.length).toBe(6);
  expect(Math.max(...sent)).toBeLessThan(16 * MIB); // includes the system's buffers
});

it('sends one request at a time per host, with a pause between requests, across both processes', () => {
  const byHost = new Map<string, Seen[]>();
  for (const one of farm.seen) byHost.set(one.host, [...(byHost.get(one.host) ?? []), one]);
  const pauses = [...byHost.values()].flatMap((requests) =>
    requests.slice(1).map((one, index) => one.start - requests[index]!.start),
  );
  const overlaps = [...byHost.values()].flatMap((requests) =>
    requests.slice(1).filter((one, index) => one.start < requests[index]!.end),
  );
  console.log(`${farm.seen.length} requests, least pause ${Math.min(...pauses).toFixed(0)} ms`);
  expect(pauses.length).toBeGreaterThan(300);
  expect(Math.min(...pauses)).toBeGreaterThan(PAUSE - 2);
  expect(overlaps).toEqual([]);
});

it('reads robots.txt first, once per host, and respects it', () => {
  for (const host of farm.hosts) {
    const requests = farm.seen.filter((one) => one.host === host);
    if (requests.length === 0) continue; // the certificate is refused before any request
    expect(requests.map(({ path }) => path === '/robots.txt')).toEqual(requests.map((_one, index) => index === 0));
  }
  expect(farm.seen.filter(({ path }) => path.startsWith('/closed/'))).toEqual([]);
});

it('connects to no private address that is not allowed', () => {
  const allowed = new Set(farm.hosts);
  expect(farm.seen.filter(({ host }) => !allowed.has(host))).toEqual([]);
});

it('sends its user agent and requests only the first byte', () => {
  expect(new Set(farm.seen.map(({ agent }) => agent.replace(/:\d+\)$/, ')')))).toEqual(
    new Set(['catalog-link-checker (+http://localhost)']),
  );
  const gets = farm.seen.filter(({ method, path }) => method === 'GET' && path !== '/robots.txt');
  expect(gets.length).toBeGreaterThan(50);
  expect(new Set(gets.map(({ headers }) => headers.range))).toEqual(new Set(['bytes=0-0']));
});

it('waits as long as Retry-After says', async () => {
  const { rows } = await world.database.pool.query(
    `SELECT min(extract(epoch FROM l.next_at - l.checked_at)) AS link, min(extract(epoch FROM h.free_at - l.checked_at)) AS host
     FROM resource_link l JOIN link_host h ON h.host = l.host WHERE l.resource_id = ANY ($1)`,
    [idsOf('busy')],
  );
  expect(Number(rows[0].link)).toBeGreaterThan(3_500);
  expect(Number(rows[0].host)).toBeGreaterThan(3_500);
});

it('revalidates with a conditional request', async () => {
  const [id] = idsOf('ok');
  const { host } = farm.links[ids.indexOf(id!)]!;
  await due([id!]);
  const last = await until(() => farm.seen.filter((one) => one.host === host && one.path === '/0')[1]);
  expect(last.headers['if-none-match']).toBe('"1"');
});

it('detects recovered servers, and counts the failures of others', async () => {
  for (const kind of ['error', 'notFound', 'silent']) farm.heal(kind);
  const recovering = [...idsOf('error'), ...idsOf('notFound'), ...idsOf('silent')];
  const failing = idsOf('closing');
  for (const round of [2, 3]) {
    await due(failing);
    await until(
      async () =>
        (await stored()).filter(({ id, failures }) => failing.includes(id) && failures === round).length ===
        failing.length,
    );
  }
  await due(recovering);
  await until(
    async () =>
      (await stored()).filter(({ id, verdict }) => recovering.includes(id) && verdict === 'OK').length ===
      recovering.length,
  );
  const { resource } = await linkOf(recovering[0]!);
  expect(resource.link).toMatchObject({
    verdict: 'OK',
    reason: null,
    failures: 0,
    firstFailureAt: null,
    size: 4,
    mediaType: 'text/csv',
  });
  expect(resource.link.history).toEqual([
    { verdict: 'OK', reason: null, status: 200 },
    { verdict: 'UNKNOWN', reason: 'SERVER_ERROR', status: 500 },
  ]);
  const broken = (await linkOf(failing[0]!)).resource.link;
  expect(broken).toMatchObject({ verdict: 'BROKEN', reason: 'NETWORK', failures: 3 });
  expect(broken.since > broken.firstFailureAt).toBe(true);
});

it("checks a link at an editor's request, at most once a minute", async () => {
  farm.heal('gone');
  const [id] = idsOf('gone');
  const { resource } = await linkOf(id!);
  const request = `mutation { checkResourceLink(input: { resourceId: "${resource.id}" }) { link { isRequested } errors { code } } }`;
  expect((await servers[1]!.graph(request)).checkResourceLink).toEqual({
    link: { isRequested: true },
    errors: [],
  });
  await until(async () => (await linkOf(id!)).resource.link.verdict === 'OK');
  expect((await servers[0]!.graph(request)).checkResourceLink.errors).toEqual([{ code: 'LIMIT' }]);
});

it('finds datasets by verdict and counts them', async () => {
  const found = await until(async () => {
    const result = await servers[0]!.call('package_search', {
      fq: 'link_status:broken',
      'facet.field': ['link_status'],
    });
    return result.facets.link_status?.ok && result;
  });
  const { rows } = await world.database.pool.query(
    `SELECT verdict, count(DISTINCT r.dataset_id)::int AS n FROM resource_link l JOIN resource r ON r.id = l.resource_id
     WHERE r.dataset_id IN (SELECT dataset_id FROM resource JOIN resource_link ON resource_id = id WHERE verdict = 'broken') GROUP BY 1`,
  );
  const counts = Object.fromEntries(rows.map(({ verdict, n }) => [verdict, n]));
  expect(found.count).toBe(counts.broken);
  expect(found.facets.link_status).toEqual(counts);
});
