/** Usage counts of two processes add up, and a killed process loses at most its last second. */
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

const REQUESTS = 50_000;
const CONNECTIONS = 16;
/** ms between two flushes, and a margin for the last one to reach the database. */
const LOST = 1_500;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox';

let database: TestDatabase;
let dataDir: string;
let one: TestServer;
let two: TestServer;
let client: pg.Client;
let ids: string[];
let resources: string[];

beforeAll(async () => {
  database = await createDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'catalog-usage-'));
  const env = { CATALOG__DATABASE_URL: database.url, CATALOG__DATA_DIR: dataDir };
  one = await startServer(env);
  two = await startServer(env, { key: one.key });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      one.call('package_create', { name: `d-${n}`, resources: [{ url: `http://files.test/${n}.csv` }] }),
    ),
  );
  ids = made.map((it) => it.id);
  resources = made.map((it) => it.resources[0].id);
}, 120_000);
afterAll(async () => {
  await client?.end();
  await Promise.all([one?.stop('SIGKILL'), two?.stop('SIGKILL')]);
  await database.end();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A request: its path and user agent, and the object and kind that it counts for (null for none). */
interface Step {
  readonly path: string;
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly counts: string | null;
}

/** Ten kinds of requests in turn, each from its own visitor. */
function step(n: number): Step {
  const at = n % ids.length;
  const agent = { 'user-agent': `${BROWSER}/${n}` };
  const path = `/api/3/action/package_show?id=${ids[at]}`;
  const read = `${ids[at]}  3`;
  switch (Math.floor(n / ids.length) % 10) {
    case 0:
      return { path, method: 'HEAD', headers: agent, counts: null };
    case 1:
      return {
        path: `/api/3/action/resource_show?id=${resources[at]}`,
        headers: agent,
        counts: `${ids[at]} ${resources[at]} 3`,
      };
    case 2:
      return {
        path,
        headers: { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
        counts: null,
      };
    case 3:
      return { path: '/api/3/action/package_show?id=missing', headers: agent, counts: null };
    case 4:
      return { path, headers: { ...agent, 'sec-purpose': 'prefetch' }, counts: null };
    case 5:
      return { path: `/api/2/rest/dataset/${ids[at]}`, headers: agent, counts: read };
    default:
      return { path, headers: agent, counts: read };
  }
}

/** Sends a step. Resolves after the whole response, and rejects if the connection ends before. */
const send = (agent: http.Agent, base: string, { path, method = 'GET', headers }: Step): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = http.request(base + path, { method, headers, agent }, (res) => {
      res.on('error', reject).on('end', resolve).resume();
    });
    request.on('error', reject).end();
  });

interface Answered {
  readonly key: string;
  readonly at: number;
}

/** Runs the steps of one process. Returns the counts of answered steps, and the unanswered steps. */
async function run(base: string, steps: readonly Step[], onAnswer: (count: number) => void) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const ledger: Answered[] = [];
  const unanswered: Step[] = [];
  let next = 0;
  let answered = 0;
  const work = async () => {
    while (next < steps.length) {
      const it = steps[next++]!;
      try {
        await send(agent, base, it);
        answered += 1;
        if (it.counts !== null) ledger.push({ key: it.counts, at: performance.now() });
        onAnswer(answered);
      } catch {
        unanswered.push(it);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  agent.destroy();
  return { ledger, unanswered };
}

const tally = (keys: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const [dataset, resource, kind] = key.split(' ');
    if (resource !== '') counts.set(`${dataset}  ${kind}`, (counts.get(`${dataset}  ${kind}`) ?? 0) + 1);
  }
  return counts;
};

async function stored(): Promise<Map<string, number>> {
  await until(async () => (await client.query('SELECT 1 FROM usage_batch')).rows.length === 0);
  const { rows } = await client.query(
    "SELECT dataset_id || ' ' || resource_id || ' ' || kind AS key, sum(count)::int AS count FROM usage_day GROUP BY 1",
  );
  return new Map(rows.map(({ key, count }) => [key, count]));
}

it('equals the ledger of 50,000 requests to two processes, one of which is killed half-way', async () => {
  const steps = Array.from({ length: REQUESTS }, (_, n) => step(n));
  const half = REQUESTS / 2;
  let killedAt = 0;
  const [first, second] = await Promise.all([
    run(one.base, steps.slice(0, half), () => {}),
    run(two.base, steps.slice(half), (count) => {
      if (count !== half / 2) return;
      killedAt = performance.now();
      two.process.kill('SIGKILL');
    }),
  ]);
  // The remaining steps go to the other process, as with a load balancer.
  const rest = await run(one.base, second.unanswered, () => {});
  expect(killedAt).toBeGreaterThan(0);
  expect(rest.unanswered).toEqual([]);
  await one.stop();
  const all = [...first.ledger, ...second.ledger, ...rest.ledger];
  const sure = all.filter((it) => !second.ledger.includes(it) || it.at < killedAt - LOST);
  one = await startServer({ CATALOG__DATABASE_URL: database.url, CATALOG__DATA_DIR: dataDir }, { key: one.key });
  const counts = await stored();
  const [least, most] = [tally(sure.map(({ key }) => key)), tally(all.map(({ key }) => key))];
  // A request that the killed process counted without answering was sent again.
  const doubled = CONNECTIONS;
  const sum = (of: Map<string, number>) =>
    [...of].reduce((total, [key, count]) => total + (/ {2}/.test(key) ? count : 0), 0);
  console.info(`usage: ledger ${all.length}, stored ${sum(counts)}, surely stored ${sure.length}`);
  expect([...counts.keys()].sort()).toEqual([...most.keys()].sort());
  for (const [key, count] of counts) {
    expect([key, count >= (least.get(key) ?? 0)]).toEqual([key, true]);
    expect([key, count <= most.get(key)! + doubled]).toEqual([key, true]);
  }
  expect(sum(counts)).toBeGreaterThanOrEqual(sure.length);
  expect(sum(counts)).toBeLessThanOrEqual(all.length + doubled);
}, 400_000);

it('loses nothing when a process is stopped', async () => {
  const before = await stored();
  const agent = new http.Agent({ keepAlive: true });
  for (let n = 0; n < 100; n += 1)
    await send(agent, one.base, {
      path: `/api/3/action/package_show?id=${ids[0]}`,
      headers: { 'user-agent': `${BROWSER}/stop-${n}` },
      counts: null,
    });
  agent.destroy();
  await one.stop();
  one = await startServer({ CATALOG__DATABASE_URL: database.url, CATALOG__DATA_DIR: dataDir }, { key: one.key });
  expect((await stored()).get(`${ids[0]}  3`)).toBe(before.get(`${ids[0]}  3`)! + 100);
});
