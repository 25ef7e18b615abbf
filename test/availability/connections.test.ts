/** Connections that are lost, or whose server hangs, while no query waits on them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.ts';
import { createPool, type Timeouts } from '../../src/infra/postgres/client.ts';
import { openDatabase, transact } from '../../src/infra/postgres/db.ts';
import { asRefusal } from '../../src/infra/postgres/failures.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { processesOf, signal } from '../helpers/processes.ts';

let database: TestDatabase;
let folder: string;
let server: Embedded;

beforeAll(async () => {
  database = await createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'catalog-hang-'));
  chmodSync(folder, 0o711);
  server = await startEmbedded({ dataDir: folder, durable: false });
});

afterAll(async () => {
  await database.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const TIMEOUTS: Timeouts = { connect: 2_000, response: 1_000, statement: 3_000, transaction: 5_000 };
const DOWN = { kind: 'UNAVAILABLE' };
const refused = (failure: unknown) => asRefusal(failure);

it('survives the loss of a connection before it is handed out', async () => {
  const pool = createPool({ connectionString: database.url, max: 2 });
  for (let n = 0; n < 5; n += 1) {
    pool.once('connect', (client) => {
      // As if the server is killed between connecting and the handover of the connection.
      (client as any).connection.stream.destroy(new Error('lost'));
    });
    const client = await pool.connect().catch(() => null);
    await expect(Promise.resolve(client?.query('SELECT 1'))).rejects.toThrow();
    client?.release(true);
  }
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

it('times out on a server that hangs, in and outside transactions, and reconnects immediately', async () => {
  const hung = openDatabase({ url: server.catalogUrl, max: 2, timeouts: TIMEOUTS });
  const one = { name: 'test_one', text: 'SELECT 1 AS one' };
  const inside = () => transact(hung.db, async (_db, sql) => sql.rows(one));
  try {
    await Promise.all([hung.sql.rows(one), inside()]);
    const pids = processesOf(folder);
    signal(pids, 'SIGSTOP');
    try {
      const began = performance.now();
      const answers = await Promise.all([
        ...[1, 2, 3, 4].map(() => hung.sql.rows(one).catch(refused)),
        ...[1, 2].map(() => inside().catch(refused)),
        ...[1, 2].map(() => hung.db.vocabulary.count().catch(refused)),
      ]);
      for (const answer of answers) expect(answer).toMatchObject(DOWN);
      expect(performance.now() - began).toBeLessThan(30_000); // 6 s, and a margin for a busy machine
    } finally {
      signal(pids, 'SIGCONT');
    }
    expect(await hung.sql.rows(one)).toEqual([{ one: 1 }]);
    expect(await inside()).toEqual([{ one: 1 }]);
  } finally {
    await hung.close();
  }
});

it('lets a slow statement on a responsive server run until its own timeout', async () => {
  const slow = openDatabase({ url: server.catalogUrl, max: 1, timeouts: TIMEOUTS });
  const wait = (seconds: number) => ({ text: `SELECT pg_sleep(${seconds})::text AS slept` });
  try {
    expect(await slow.sql.rows(wait(2))).toEqual([{ slept: '' }]); // twice the response timeout
    expect(await slow.sql.rows(wait(60)).catch(refused)).toMatchObject(DOWN);
    expect(await transact(slow.db, (_db, sql) => sql.rows(wait(4)))).toEqual([{ slept: '' }]);
    expect(await transact(slow.db, (_db, sql) => sql.rows(wait(60))).catch(refused)).toMatchObject(DOWN);
    expect(await slow.sql.rows(wait(0))).toEqual([{ slept: '' }]);
  } finally {
    await slow.close();
  }
});

it('reports an unknown outcome for a commit without a response', async () => {
  const lost = openDatabase({ url: server.catalogUrl, max: 1, timeouts: TIMEOUTS });
  try {
    const work = transact(lost.db, async (_db, sql) => {
      const [row] = await sql.rows<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
      process.kill(row!.pid, 'SIGSTOP');
      setTimeout(() => process.kill(row!.pid, 'SIGKILL'), 100);
    });
    await expect(work).rejects.toMatchObject({
      ...DOWN,
      message: expect.stringContaining('the outcome is unknown'),
    });
  } finally {
    await lost.close();
  }
});
