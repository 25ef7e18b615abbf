/** A PostgreSQL that hangs, that is killed, and that takes no writes: what each endpoint answers, when, and when all is well again. */
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

/** Seconds of the pause; 60 is what the acceptance of a release asks for. */
const PAUSE = Number(process.env.PAUSE_SECONDS ?? 15);
/** ms within which every endpoint must answer: the time without an answer, that of the check, and what a busy machine adds. */
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

/** Answers that are not as they must be while the database is down. */
const wrongOf = (answers: readonly Answer[]) =>
  answers.filter(
    ({ status, retryAfter, text, time }, index) =>
      status !== 503 || retryAfter === null || !endpoints[index]!.says.test(text) || time > LIMIT,
  );

const failedOf = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 0 || status >= 500);

it('answers everywhere while all is well', async () => {
  expect(failedOf(await askAll())).toEqual([]);
  expect(await askSocket(server.base, server.key)).toContain('totalCount');
  expect((await fetch(`${server.base}/readyz`)).status).toBe(200);
});

it('says 503 at every endpoint while PostgreSQL is paused, and is normal within 2 s after', async () => {
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
  expect(recovery).toBeLessThan(10_000); // 2 s on a machine that does nothing else
  expect((await fetch(`${server.base}/readyz`)).status).toBe(200);
  expect(server.process.exitCode).toBeNull();
});

it('writes few lines of log about it, and none with a stack trace', () => {
  const lines = server
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(lines.filter((line) => line.includes('"stack"')).slice(0, 3)).toEqual([]);
  expect(lines.length).toBeLessThan(100 + PAUSE * 5);
});

it('says 503 while PostgreSQL is gone, and recovers by itself', async () => {
  // As long as it is stopped, nobody can start it anew.
  signal(processesOf(dataDir), 'SIGKILL');
  const answers = await askAll();
  expect(answers.filter(({ status }) => status === 0 || status === 500)).toEqual([]);
  await until(async () => failedOf(await askAll()).length === 0);
  await sleep(0);
  expect(server.process.exitCode).toBeNull();
});
