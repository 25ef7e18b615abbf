/** Totals after kill -9 during writes: of the catalog, read by another process, and of PostgreSQL, read by the same process. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { query } from '../helpers/backups.ts';
import { createDatabase, createDatastore } from '../helpers/database.ts';
import { postmasterOf } from '../helpers/processes.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

const rows = (n: number, from = 0) => Array.from({ length: n }, (_, at) => ({ k: from + at, g: (from + at) % 3 }));
/** Connections of this role that still run a statement. */
const BUSY = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
  AND state <> 'idle' AND pid <> pg_backend_pid()`;
/** Minimum number of writes before the kill. */
const WRITES = 20;

interface Databases {
  readonly catalogUrl: string;
  readonly datastoreWriteUrl: string;
  readonly datastoreReadUrl: string;
}

const startOn = (urls: Databases, first?: TestServer) =>
  startServer(
    {
      CATALOG__DATABASE_URL: urls.catalogUrl,
      CATALOG__DATASTORE__WRITE_URL: urls.datastoreWriteUrl,
      CATALOG__DATASTORE__READ_URL: urls.datastoreReadUrl,
    },
    first,
  );

/** Four clients write through `writer` until `kill`. Then `reader` must return the total of a plain scan, with every acknowledged row. */
async function killWhileWriting(urls: Databases, writer: TestServer, reader: TestServer, kill: () => Promise<void>) {
  const dataset = { name: 'written', resources: [{ url: 'http://example.com/a.csv' }] };
  const { resources } = await writer.call('package_create', dataset);
  const resource_id = resources[0].id;
  await writer.call('datastore_create', { resource_id, force: true, primary_key: 'k', records: rows(30) });
  const total = async (): Promise<number> =>
    (await reader.call('datastore_search', { resource_id, filters: { g: 1 } })).total;
  expect(await total()).toBe(10);
  const acknowledged: number[] = [];
  let isKilled = false;
  const writers = [1, 2, 3, 4].map(async (number) => {
    for (let k = number * 10_000; !isKilled; k += 5) {
      await writer.call('datastore_upsert', { resource_id, force: true, records: rows(5, k) });
      acknowledged.push(k);
    }
  });
  const ended = Promise.allSettled(writers);
  await until(async () => (await total()) > 10 && acknowledged.length >= WRITES);
  await kill();
  isKilled = true;
  await ended;
  const read = (text: string, values: unknown[] = []) => query(urls.datastoreWriteUrl, text, values);
  await until(async () => (await read(BUSY).catch(() => [1])).length === 0);
  await until(() => total().catch(() => null));
  const [{ n }] = await read(`SELECT count(*)::int AS n FROM "${resource_id}" WHERE g = 1`);
  expect([await total(), await total()]).toEqual([n, n]);
  const [{ lost }] = await read(
    `SELECT count(*)::int AS lost FROM unnest($1::int[]) a (k) WHERE NOT EXISTS (SELECT FROM "${resource_id}" r WHERE r.k = a.k)`,
    [acknowledged],
  );
  expect(lost).toBe(0);
}

it('is exact in another process after a server is killed while it writes', async () => {
  const [catalog, datastore] = await Promise.all([createDatabase(), createDatastore()]);
  const urls = { catalogUrl: catalog.url, datastoreWriteUrl: datastore.writeUrl, datastoreReadUrl: datastore.readUrl };
  const servers: TestServer[] = [];
  const start = async () => {
    const server = await startOn(urls, servers[0]);
    servers.push(server);
    return server;
  };
  try {
    const first = await start();
    await killWhileWriting(urls, first, await start(), () => first.stop('SIGKILL'));
  } finally {
    for (const server of servers) await server.stop();
    await Promise.all([catalog.end(), datastore.end()]);
  }
});

it('is exact in the same process after PostgreSQL is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'totals-kill-'));
  chmodSync(folder, 0o711);
  const urls = await startEmbedded({ dataDir: folder });
  let server: TestServer | undefined;
  try {
    const running = (server = await startOn(urls));
    const killed = postmasterOf(folder);
    await killWhileWriting(urls, running, running, async () => void process.kill(killed, 'SIGKILL'));
    expect(postmasterOf(folder)).not.toBe(killed);
  } finally {
    await server?.stop();
    await urls.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});
