/**
 * Runs callers' SQL that creates huge values or endless work, and prints figures. No PostgreSQL process may grow by more than 256 MiB or
 * run for more than 2 s past its timeout, and the server must keep working.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ADMIN_URL, createDatabase, plannedDatastore, type TestDatabase } from '../helpers/database.ts';
import { GREAT, ORDINARY } from '../helpers/great.ts';
import { MIB, memoryOf } from '../helpers/memory.ts';
import { startServer, type TestServer } from '../helpers/server.ts';

const MINUTES = 60_000;
/** Private memory of a PostgreSQL process in bytes. */
const ownMemory = (pid: number): number => {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
};

/** PostgreSQL processes that serve the read-only role in one database, with the duration of their open transactions in ms. */
const BACKENDS = `SELECT pid, coalesce(extract(epoch FROM clock_timestamp() - xact_start) * 1000, 0)::float8 AS "busyMs"
  FROM pg_stat_activity WHERE datname = $1 AND usename = 'datastore_read'`;

/**
 * The third value is the statement timeout in s. It is shorter in the second run, because PostgreSQL's memory does not depend on Node's
 * heap.
 */
describe.each([
  ['the default heap', '', 5],
  ['a heap of 1 GiB', '--max-old-space-size=1024', 2],
])('anonymous statements with %s', (_, nodeOptions, limit) => {
  let database: TestDatabase;
  let server: TestServer;
  const tables = plannedDatastore();
  const name = new URL(tables.readUrl).pathname.slice(1);
  let stations: string;
  let big: string;
  let witness: pg.Client;
  let admin: pg.Client;
  let watching = true;
  let watcher: Promise<void>;
  const start = new Map<number, number>();
  const worst = { memory: 0, busy: 0, server: 0 };

  beforeAll(async () => {
    [database] = await Promise.all([createDatabase(), tables.create()]);
    server = await startServer({
      NODE_OPTIONS: nodeOptions,
      CATALOG__DATABASE_URL: database.url,
      CATALOG__DATASTORE__WRITE_URL: tables.writeUrl,
      CATALOG__DATASTORE__READ_URL: tables.readUrl,
      CATALOG__DATASTORE__SQL_TIMEOUT: String(limit),
      CATALOG__DATASTORE__STATEMENTS_PER_CALLER: '8',
    });
    const { id } = await server.call('package_create', { name: 'statements' });
    const table = async (records: object[]) =>
      (await server.call('datastore_create', { resource: { package_id: id }, records })).resource_id;
    stations = await table(
      Array.from({ length: 3_000 }, (_, n) => ({ station: `Station ${n}, ${n % 7}`, line: n % 40, level: n / 7 })),
    );
    big = await table([{ a: 'a'.repeat(4_000_000), b: 'a'.repeat(2_000_000), j: { list: [1, 2, 3] } }]);
    witness = new pg.Client({ connectionString: tables.writeUrl });
    admin = new pg.Client({ connectionString: process.env[ADMIN_URL] });
    await Promise.all([witness.connect(), admin.connect()]);
    watcher = watch();
  }, 5 * MINUTES);
  afterAll(async () => {
    watching = false;
    await watcher;
    await Promise.all([witness?.end(), admin?.end()]);
    await server?.stop();
    await Promise.all([database?.end(), tables.end()]);
  }, MINUTES);

  async function watch(): Promise<void> {
    while (watching) {
      const { rows } = await admin.query<{ pid: number; busyMs: number }>(BACKENDS, [name]);
      for (const { pid, busyMs } of rows) {
        const memory = ownMemory(pid);
        if (!start.has(pid)) start.set(pid, memory);
        worst.memory = Math.max(worst.memory, memory - start.get(pid)!);
        worst.busy = Math.max(worst.busy, busyMs);
      }
      worst.server = Math.max(worst.server, memoryOf(server.process));
      await sleep(10);
    }
  }

  async function ask(sql: string) {
    const from = performance.now();
    const response = await fetch(`${server.base}/api/3/action/datastore_search_sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql: sql.replaceAll('STATIONS', `"${stations}"`).replaceAll('BIG', `"${big}"`) }),
    });
    const text = await response.text();
    const { success, error } = JSON.parse(text) as { success: boolean; error?: { __type: string; message: string } };
    return { success, error, bytes: text.length, seconds: (performance.now() - from) / 1_000 };
  }

  it(
    'limits the time and memory of each statement, and never fails internally',
    async () => {
      const figures: { sql: string; seconds: number; mib: number; server: number; said: string }[] = [];
      for (const sql of GREAT) {
        worst.memory = 0;
        worst.server = 0;
        const { success, error, bytes, seconds } = await ask(sql);
        const said = success ? `${bytes} bytes` : `${error?.__type}: ${error?.message}`;
        figures.push({ sql, seconds, mib: worst.memory / MIB, server: worst.server / MIB, said });
        expect([sql, said]).toEqual([sql, expect.not.stringContaining('Internal')]);
        expect([sql, seconds < limit + 2, worst.memory < 256 * MIB]).toEqual([sql, true, true]);
      }
      const lines = figures
        .sort((a, b) => b.mib - a.mib || b.seconds - a.seconds)
        .map(
          ({ sql, seconds, mib, server, said }) =>
            `${mib.toFixed(0).padStart(4)} MiB ${seconds.toFixed(2).padStart(6)} s  node ${server.toFixed(0)} MiB  ${sql.slice(0, 90)} → ${said.slice(0, 110)}`,
        );
      console.log(`${figures.length} statements\n${lines.join('\n')}`);
      expect(worst.busy / 1_000).toBeLessThan(limit + 2);
    },
    20 * MINUTES,
  );

  it(
    'limits eight concurrent statements in the same way, and answers other requests',
    async () => {
      worst.memory = 0;
      worst.busy = 0;
      worst.server = 0;
      const waits: number[] = [];
      let isOver = false;
      const others = (async () => {
        while (!isOver) {
          const from = performance.now();
          expect((await fetch(`${server.base}/api/3/action/status_show`)).status).toBe(200);
          waits.push(performance.now() - from);
          await sleep(50);
        }
      })();
      const queue = [...GREAT];
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let sql = queue.pop(); sql !== undefined; sql = queue.pop()) {
            const { error } = await ask(sql);
            expect([sql, String(error?.__type)]).toEqual([sql, expect.not.stringContaining('Internal')]);
          }
        }),
      );
      isOver = true;
      await others;
      console.log(
        `eight at once: ${(worst.memory / MIB).toFixed(0)} MiB in one process of PostgreSQL at most, ${(worst.busy / 1000).toFixed(1)} s of work at most, node ${(worst.server / MIB).toFixed(0)} MiB, status_show ${Math.max(...waits).toFixed(0)} ms at most of ${waits.length}`,
      );
      expect([worst.memory < 256 * MIB, worst.busy < (limit + 2) * 1_000]).toEqual([true, true]);
    },
    20 * MINUTES,
  );

  it('runs ordinary statements', async () => {
    const failed = [];
    for (const sql of ORDINARY) {
      const { success, error } = await ask(sql);
      if (!success) failed.push([sql, error?.message]);
    }
    expect(failed).toEqual([]);
  });

  it('never crashes PostgreSQL', async () => {
    // A crash of any PostgreSQL process would have closed all connections.
    expect((await witness.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    expect(server.process.exitCode).toBe(null);
  });
});
