/** The embedded PostgreSQL: each test starts and kills real servers. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.ts';
import { readLock } from '../../src/embedded/postmaster.ts';
import { until } from '../helpers/until.ts';

/** For tests that only root can run. */
const itAsRoot = process.getuid?.() === 0 ? it : () => {};
let folder: string;
let started: Embedded[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-')));
  chmodSync(folder, 0o711);
  started = [];
});
afterEach(async () => {
  // Stops all servers before removing a folder, because two of them may share one cluster.
  for (const server of started) await server.stop();
  for (const { folder: own } of started) rmSync(own, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

async function start(dataDir = join(folder, 'data')): Promise<Embedded> {
  const server = await startEmbedded({ dataDir });
  started.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const results = [await client.query({ text: sql, rowMode: 'array' })].flat(); // several statements return several results
    return results.flatMap(({ rows }) => rows.flat());
  } finally {
    await client.end().catch(() => {});
  }
}

const pidOf = (server: Embedded): number => readLock(join(server.folder, 'cluster'))?.pid ?? 0;

describe('a new server', () => {
  it('has both databases, and roles with minimal permissions', async () => {
    const server = await start();
    await query(server.catalogUrl, 'CREATE TABLE kept (id int)');
    await query(server.datastoreWriteUrl, 'CREATE TABLE numbers AS SELECT 1 AS id');
    expect(await query(server.datastoreReadUrl, 'SELECT id FROM numbers')).toEqual([1]);
    const refused = [
      'INSERT INTO numbers VALUES (2)',
      'CREATE TABLE mine (id int)',
      'CREATE TEMP TABLE mine (id int)',
      `SELECT pg_read_file('postmaster.pid')`,
      'SELECT * FROM pg_authid',
      'CREATE SCHEMA mine',
    ].map((sql) =>
      expect(query(server.datastoreReadUrl, `BEGIN READ WRITE; ${sql}`)).rejects.toThrow(/permission denied/),
    );
    await Promise.all(refused);
    const elsewhere = ['catalog', 'postgres', 'template1'].map((name) =>
      server.datastoreReadUrl.replace('/datastore?', `/${name}?`),
    );
    for (const url of elsewhere) await expect(query(url, 'SELECT 1')).rejects.toThrow(/permission denied for database/);
    await expect(query(server.datastoreWriteUrl.replace('/datastore?', '/catalog?'), 'SELECT 1')).rejects.toThrow(
      /permission denied/,
    );
  });

  it('is durable, sorts by code point, and does not listen on the network', async () => {
    const server = await start();
    const shown = await Promise.all(
      ['fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'server_encoding'].map((name) =>
        query(server.catalogUrl, `SHOW ${name}`),
      ),
    );
    expect(shown.flat()).toEqual(['on', 'on', 'on', '', 'UTF8']);
    expect(
      await query(server.catalogUrl, `SELECT x FROM unnest(array['b', 'A', 'é', 'a', 'B']) AS x ORDER BY x`),
    ).toEqual(['A', 'B', 'a', 'b', 'é']);
  });

  itAsRoot('runs as another user when root starts it, with private files', async () => {
    const server = await start();
    expect(statSync(join(server.folder, 'cluster')).uid).not.toBe(0);
    expect(statSync(server.folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(`/proc/${pidOf(server)}/status`, 'utf8')).not.toMatch(/^Uid:\s+0\s/m);
  });

  itAsRoot('works for a data folder that only root can enter, and reuses its data at the next start', async () => {
    chmodSync(folder, 0o700);
    const server = await start();
    expect(server.folder).not.toContain(folder);
    await query(server.catalogUrl, 'CREATE TABLE kept (id int)');
    await server.stop();
    const again = await start();
    expect(again.folder).toBe(server.folder);
    expect(await query(again.catalogUrl, 'SELECT count(*)::int FROM kept')).toEqual([0]);
    cpSync(join(folder, 'data'), join(folder, 'copy'), { recursive: true });
    await expect(start(join(folder, 'copy'))).rejects.toThrow(/belongs to .*data\/postgres, not to .*copy/);
  });

  it('uses a short socket path for a long folder path', async () => {
    const server = await start(join(folder, 'a'.repeat(60), 'b'.repeat(60)));
    expect(await query(server.catalogUrl, 'SELECT 1')).toEqual([1]);
  });
});

describe('several processes', () => {
  it('share one server, and only the last one stops it', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(pidOf(first)).toBe(pidOf(second));
    expect(await first.stop()).toBe(false);
    expect(await query(second.catalogUrl, 'SELECT 1')).toEqual([1]);
    expect(await second.stop()).toBe(true);
    await expect(query(second.catalogUrl, 'SELECT 1')).rejects.toThrow();
  });

  it('do not stop the server while another client is connected', async () => {
    const server = await start();
    const visitor = new pg.Client({ connectionString: server.catalogUrl });
    await visitor.connect();
    expect(await server.stop()).toBe(false);
    expect((await visitor.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await visitor.end();
    await (await start()).stop();
  });
});

describe('after a kill', () => {
  it('keeps every acknowledged row, and restarts automatically', async () => {
    const server = await start();
    await query(server.catalogUrl, 'CREATE TABLE kept (id int); INSERT INTO kept SELECT generate_series(1, 1000)');
    process.kill(pidOf(server), 'SIGKILL');
    const count = () => query(server.catalogUrl, 'SELECT count(*)::int FROM kept');
    expect(await until(() => count().catch(() => null), count)).toEqual([1000]);
  });

  it('retries until the server starts', async () => {
    const server = await start();
    const settings = join(server.folder, 'cluster/postgresql.conf');
    renameSync(settings, `${settings}.away`);
    process.kill(pidOf(server), 'SIGKILL');
    const one = () => query(server.catalogUrl, 'SELECT 1');
    await sleep(3_000); // the first attempt fails
    await expect(one()).rejects.toThrow();
    renameSync(`${settings}.away`, settings);
    expect(await until(() => one().catch(() => null), one)).toEqual([1]);
  });

  it('starts despite a lock file whose process id belongs to another program', async () => {
    const server = await start();
    const cluster = join(server.folder, 'cluster');
    const lock = readFileSync(join(cluster, 'postmaster.pid'), 'utf8');
    await server.stop();
    writeFileSync(join(cluster, 'postmaster.pid'), lock.replace(/^\d+/, String(process.pid)));
    expect(await query((await start()).catalogUrl, 'SELECT 1')).toEqual([1]);
  });
});

describe('a foreign folder', () => {
  it('is refused if it has other data', async () => {
    mkdirSync(join(folder, 'data/postgres'), { recursive: true });
    writeFileSync(join(folder, 'data/postgres/PG_VERSION'), '18\n');
    await expect(start()).rejects.toThrow(/is not a database of this program/);
  });

  it('is refused if another version created it', async () => {
    const server = await start();
    await server.stop();
    writeFileSync(join(server.folder, 'cluster/PG_VERSION'), '15\n');
    await expect(start()).rejects.toThrow(/was created by PostgreSQL 15, but this is PostgreSQL 18/);
  });

  it('is refused if it is a copy of a running cluster', async () => {
    const server = await start();
    cpSync(server.folder, join(folder, 'copy/postgres'), {
      recursive: true,
      filter: (path) => !path.includes('.s.PGSQL'),
    });
    await expect(start(join(folder, 'copy'))).rejects.toThrow(/was copied or moved from .* still running/);
  });
});
