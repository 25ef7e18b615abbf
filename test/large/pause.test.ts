/** Responses of every endpoint while PostgreSQL hangs or is killed, and the recovery afterwards. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type Answer,
  ask,
  askSocket,
  type Endpoint,
  endpointsOf,
  makeScenery,
  type Scenery,
} from '../helpers/endpoints.ts';
import { processesOf, signal } from '../helpers/processes.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

/** Length of the pause in seconds. Release acceptance uses 60. */
const PAUSE = Number(process.env.PAUSE_SECONDS ?? 15);
/** Maximum response time of every endpoint in ms: the response timeout, the timeout of the check, and a margin for a busy machine. */
const LIMIT = 20_000;

let dataDir: string;
let server: TestServer;
let scenery: Scenery;
let endpoints: Endpoint[];

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'catalog-pause-'));
  chmodSync(dataDir, 0o711);
  server = await startServer({ CATALOG__DATA_DIR: dataDir, CATALOG__LOG_LEVEL: 'info', DATABASE_URL: '' });
  scenery = await makeScenery(server.base, server.key, server.call);
  endpoints = endpointsOf(scenery);
});

afterAll(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const askAll = () => Promise.all(endpoints.map((endpoint) => ask(server.base, endpoint)));

/** Responses that are wrong while the database is down. */
const wrongOf = (answers: readonly Answer[]) =>
  answers.filter(
    ({ status, retryAfter, text, time }, index) =>
      status !== 503 || retryAfter === null || !endpoints[index]!.says.test(text) || time > LIMIT,
  );

const failedOf = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 0 || status >= 500);

it('answers at every endpoint while PostgreSQL works', async () => {
  expect(failedOf(await askAll())).toEqual([]);
  expect(await askSocket(server.base, server.key)).toContain('totalCount');
  expect((await fetch(`${server.base}/readyz`)).status).toBe(200);
});

it('returns 503 at every endpoint while PostgreSQL is paused, and recovers within 10 s', async () => {
  const pids = processesOf(dataDir);
  signal(pids, 'SIGSTOP');
  const began = performance.now();
  try {
    await until(async () => (await fetch(`${server.base}/readyz`)).status === 503);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect((await fetch(`${server.base}/livez`)).status).toBe(200);
    const rounds: Answer[][] = [];
    do {
      rounds.push(await askAll());
      expect(wrongOf(rounds.at(-1)!)).toEqual([]);
    } while (performance.now() - began < PAUSE * 1_000);
    expect(await askSocket(server.base)).toMatch(/UNAVAILABLE/);
    expect(await askSocket(server.base, server.key)).toMatch(/closed 1013 UNAVAILABLE/);
    const slowest = rounds.flat().sort((a, b) => b.time - a.time)[0]!;
    console.log(
      `paused: ${rounds.length} rounds, the slowest answer ${slowest.name} after ${Math.round(slowest.time)} ms`,
    );
  } finally {
    signal(pids, 'SIGCONT');
  }
  const continued = performance.now();
  await until(async () => failedOf(await askAll()).length === 0);
  const recovery = performance.now() - continued;
  console.log(`normal ${Math.round(recovery)} ms after SIGCONT`);
  expect(recovery).toBeLessThan(10_000); // 2 s on a quiet machine
  expect((await fetch(`${server.base}/readyz`)).status).toBe(200);
  expect(server.process.exitCode).toBeNull();
});

it('logs few lines about the outage, and no stack trace', () => {
  const lines = server
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(lines.filter((line) => line.includes('"stack"')).slice(0, 3)).toEqual([]);
  expect(lines.length).toBeLessThan(100 + PAUSE * 5);
});

it('answers every request without a 500 after PostgreSQL is killed, and recovers automatically', async () => {
  signal(processesOf(dataDir), 'SIGKILL');
  const answers = await askAll();
  expect(answers.filter(({ status }) => status === 0 || status === 500)).toEqual([]);
  await until(async () => failedOf(await askAll()).length === 0);
  await sleep(0);
  expect(server.process.exitCode).toBeNull();
});
