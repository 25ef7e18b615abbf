/** `/readyz` and every endpoint while PostgreSQL is paused, stopped or out of connections, and their recovery in the same process. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.ts';
import { ask, type Endpoint, endpointsOf, makeScenery } from '../helpers/endpoints.ts';
import { valuesOf } from '../helpers/metrics.ts';
import { freePort } from '../helpers/port.ts';
import { processesOf, signal } from '../helpers/processes.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

/** Maximum ms until `/readyz` changes: 2 s, and a margin for a busy machine. */
const IN_TIME = 6_000;
const MAX_CONNECTIONS = 40;

let [dataDir, folder] = ['', ''];
let postgres: Embedded;
let server: TestServer;
let endpoints: Endpoint[];
let monitoring: string;

const start = () => startEmbedded({ dataDir, durable: false, maxConnections: MAX_CONNECTIONS });

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'catalog-ready-'));
  folder = mkdtempSync(join(tmpdir(), 'catalog-ready-'));
  chmodSync(dataDir, 0o711);
  postgres = await start();
  const port = await freePort();
  monitoring = `http://127.0.0.1:${port}`;
  // This PostgreSQL is external, so the catalog cannot restart it.
  server = await startServer({
    CATALOG__DATA_DIR: folder,
    CATALOG__DATABASE_URL: postgres.catalogUrl,
    CATALOG__DATASTORE__WRITE_URL: postgres.datastoreWriteUrl,
    CATALOG__DATASTORE__READ_URL: postgres.datastoreReadUrl,
    CATALOG__MONITORING__PORT: String(port),
    CATALOG__LOG_LEVEL: 'info',
  });
  endpoints = endpointsOf(await makeScenery(server.base, server.key, server.call));
});

afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
  for (const path of [dataDir, folder]) rmSync(path, { recursive: true, force: true });
});

const ready = () => fetch(`${monitoring}/readyz`, { signal: AbortSignal.timeout(10_000) });
const isRed = async () => (await ready()).status === 503;
const isGreen = async () => (await ready()).status === 200;
const askAll = () => Promise.all(endpoints.map((endpoint) => ask(server.base, endpoint)));
const isWell = async () => (await askAll()).every(({ status }) => status > 0 && status < 500);

async function time(what: string, condition: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  await until(condition);
  const taken = performance.now() - began;
  console.log(`${what} after ${Math.round(taken)} ms`);
  expect(taken).toBeLessThan(IN_TIME);
}

/** Checks every endpoint while PostgreSQL is down. */
async function isDownEverywhere(): Promise<void> {
  const all = { database: 'failing', migrations: 'failing', datastore: 'failing', files: 'ok' };
  const said = async () => JSON.stringify(await (await ready()).json());
  // The parts are checked over two connections, which may fail at different times.
  await until(async () => (await said()) === JSON.stringify({ status: 'failing', parts: all }), said);
  expect((await fetch(`${monitoring}/livez`)).status).toBe(200);
  const answers = await askAll();
  const wrong = answers.filter(
    ({ status, retryAfter, text }, index) =>
      status !== 503 || retryAfter === null || !endpoints[index]!.says.test(text),
  );
  const failures = server.said().match(/^.*request failed.*$/gm); // the reasons, if a response is wrong
  expect([wrong.map(({ name, status, time }) => ({ name, status, time })), failures]).toEqual([[], null]);
  const page = await (await fetch(`${monitoring}/metrics`)).text();
  expect(valuesOf(page, 'catalog_part_up')).toMatchObject({ database: 0, files: 1 });
  expect(valuesOf(page, 'catalog_site_state_up')).toEqual({ '': 0 });
}

async function recovers(): Promise<void> {
  await time('green', isGreen);
  await until(isWell);
  expect(server.process.exitCode).toBeNull();
}

it('is ready while all parts work, and lists each part', async () => {
  await until(isGreen);
  expect(await (await ready()).json()).toEqual({
    status: 'ready',
    parts: { database: 'ok', migrations: 'ok', datastore: 'ok', files: 'ok' },
  });
});

it('fails quickly while PostgreSQL is paused, and recovers', async () => {
  const pids = processesOf(dataDir);
  signal(pids, 'SIGSTOP');
  try {
    await time('paused: red', isRed);
    await isDownEverywhere();
  } finally {
    signal(pids, 'SIGCONT');
  }
  await recovers();
});

it('fails quickly while PostgreSQL is stopped, and recovers after its start', async () => {
  const pids = processesOf(dataDir);
  await postgres.stop(); // so that it is not restarted
  signal(pids.slice(0, 1), 'SIGINT'); // a fast shutdown
  await time('stopped: red', isRed);
  await isDownEverywhere();
  postgres = await start();
  await recovers();
});

it('fails while PostgreSQL has no free connection, and recovers', async () => {
  const admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  // This test takes each connection that the catalog loses.
  const taken: pg.Client[] = [];
  let isOver = false;
  const taking = (async () => {
    while (!isOver) {
      const client = new pg.Client({ connectionString: postgres.catalogUrl, application_name: 'taker' });
      client.on('error', () => {});
      await client.connect().then(
        () => taken.push(client),
        () => new Promise((resolve) => setTimeout(resolve, 5)),
      );
    }
  })();
  const cut = () =>
    admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> 'postgres' AND application_name <> 'taker'`,
    );
  try {
    await until(async () => (await cut()) && (await isRed()) && taken.length > MAX_CONNECTIONS - 15);
    await until(async () => {
      await cut();
      const { parts } = (await (await ready()).json()) as { parts: Record<string, string> };
      return parts.database === 'failing' && parts.datastore === 'failing';
    });
    const answers = await askAll();
    expect(answers.filter(({ status }) => status === 0 || status === 500)).toEqual([]);
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(answers.length / 2);
    expect((await fetch(`${monitoring}/livez`)).status).toBe(200);
  } finally {
    isOver = true;
    await taking;
    await Promise.all(taken.map((client) => client.end()));
    await admin.end();
  }
  await recovers();
});

it('reveals no address, user or password', async () => {
  const red = server.said();
  const { hostname } = new URL('http://localhost');
  for (const text of [await (await ready()).text(), await (await fetch(`${monitoring}/metrics`)).text()]) {
    expect(text).not.toContain(hostname);
    expect(text).not.toMatch(/postgres(ql)?:|catalog_owner|password/);
  }
  expect(red).toContain('a part of the service fails');
});
