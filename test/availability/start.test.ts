/** Concurrent first starts: one process does the one-time work, and the others wait for it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatastore, createEmptyDatabase } from '../helpers/database.ts';
import { startServer, type TestServer } from '../helpers/server.ts';

/** Does not wait for an administrator, because another process may create it. */
const ANY = { key: 'none' };

let servers: TestServer[] = [];
let folders: string[] = [];

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  servers = [];
  folders = [];
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'catalog-start-'));
  chmodSync(made, 0o711);
  folders.push(made);
  return made;
}

/** Stops all servers and counts how often a first administrator was printed. */
async function administrators(): Promise<number> {
  for (const { base } of servers) expect((await fetch(`${base}/readyz`)).status).toBe(200);
  // A process prints its administrator before it ends.
  await Promise.all(servers.map((server) => server.stop()));
  for (const server of servers) expect(server.process.exitCode).toBe(0);
  return servers.reduce((sum, server) => sum + server.said().split('API key ').length - 1, 0);
}

it('creates one administrator when servers start together on an empty database', async () => {
  const [database, datastore] = await Promise.all([createEmptyDatabase(), createDatastore()]);
  try {
    const env = {
      CATALOG__DATABASE_URL: database.url,
      CATALOG__DATASTORE__WRITE_URL: datastore.writeUrl,
      CATALOG__DATASTORE__READ_URL: datastore.readUrl,
      CATALOG__DATA_DIR: folder(),
    };
    servers = await Promise.all([1, 2, 3].map(() => startServer(env, ANY)));
    expect(await administrators()).toBe(1);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      `SELECT name, count(*)::int AS n FROM user_account WHERE name LIKE 'admin%' GROUP BY name`,
    );
    await client.end();
    expect(rows).toEqual([{ name: 'admin', n: 1 }]);
  } finally {
    await Promise.all([database.end(), datastore.end()]);
  }
});

it('shares one embedded PostgreSQL when servers start together in an empty folder', async () => {
  const env = { CATALOG__DATA_DIR: folder(), CATALOG__DATABASE_URL: '' };
  servers = await Promise.all([1, 2].map(() => startServer(env, ANY)));
  expect(await administrators()).toBe(1);
});
