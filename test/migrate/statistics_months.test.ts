/** Converts the days and months that an older version counted into one row per month. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/migrate/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../helpers/database.ts';

const OWN = '0055_statistics_months';
const FOLDER = 'prisma/migrations';

let database: TestDatabase;
let client: pg.Client;
let old: string;
beforeEach(async () => {
  database = await createEmptyDatabase();
  old = mkdtempSync(join(tmpdir(), 'migrations-'));
  for (const name of readdirSync(FOLDER))
    if (name < OWN) cpSync(join(FOLDER, name), join(old, name), { recursive: true });
  await migrate(database.url, old);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  rmSync(old, { recursive: true });
  await database.end();
});

/** Adds changes to the count of a day, as the older version does. */
const count = (of: pg.Client, day: string, changes: number, [scope, dimension, key, action] = ALL) =>
  of.query(
    `INSERT INTO statistics_period AS p (scope, dimension, period, start, key, action, count)
      SELECT $1, $2, period, date_trunc(period, $3::timestamp)::date, $4, $5, $6 FROM (VALUES ('day'), ('month')) l(period)
      ON CONFLICT (scope, dimension, period, start, key, action) DO UPDATE SET count = p.count + EXCLUDED.count`,
    [scope, dimension, day, key, action, changes],
  );
const ALL = ['public', 'all', '', 'updated'];
const ANN = ['member:office', 'user', 'ann', 'created'];

/** Months with their sum and their days with a non-zero count. */
async function months(): Promise<string[]> {
  const { rows } = await client.query<{ month: string; days: string[] }>(
    `SELECT concat_ws(' ', scope, key, action, month::text, count, array_length(days, 1)) AS month, days FROM statistics_month ORDER BY 1`,
  );
  return rows.map(({ month, days }) =>
    [month, ...days.flatMap((number, at) => (number === '0' ? [] : `${at + 1}:${number}`))].join(' '),
  );
}

it('keeps every count on its day, including negative ones', async () => {
  for (const [day, changes] of [
    ['2024-01-31', 3],
    ['2024-02-01', 1],
    ['2024-02-29', 2],
    ['2024-12-31', 5],
    ['2025-01-01', 7],
    ['2025-03-02', 4],
    ['2025-03-30', -4],
    ['2025-04-30', 9_007_199_254_740],
  ] as const)
    await count(client, day, changes);
  await count(client, '2024-01-31', -1, ANN);
  await client.query(`SET timezone = 'Pacific/Auckland'`);
  expect(await migrate(database.url)).toContain(OWN);
  expect(await months()).toEqual([
    'member:office ann created 2024-01-01 -1 31 31:-1',
    'public  updated 2024-01-01 3 31 31:3',
    'public  updated 2024-02-01 3 31 1:1 29:2',
    'public  updated 2024-12-01 5 31 31:5',
    'public  updated 2025-01-01 7 31 1:7',
    'public  updated 2025-03-01 0 31 2:4 30:-4',
    'public  updated 2025-04-01 9007199254740 31 30:9007199254740',
  ]);
});

it('waits for a server of the older version that is counting', async () => {
  const server = new pg.Client({ connectionString: database.url });
  await server.connect();
  try {
    await server.query('BEGIN');
    await count(server, '2024-05-05', 1);
    const migrated = migrate(database.url);
    const isWaiting = `SELECT count(*) > 0 AS it FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    while (!(await client.query(isWaiting)).rows[0].it) await sleep(20);
    await server.query('COMMIT');
    expect(await migrated).toContain(OWN);
    expect(await months()).toEqual(['public  updated 2024-05-01 1 31 5:1']);
  } finally {
    await server.end();
  }
});
