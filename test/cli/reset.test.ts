import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { command } from '../../src/cli/reset.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { createDatabase, createDatastore, type TestDatabase, type TestDatastore } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';

let catalog: TestDatabase;
let datastore: TestDatastore;

beforeAll(async () => {
  [catalog, datastore] = await Promise.all([createDatabase(), createDatastore()]);
});
afterAll(async () => {
  await Promise.all([catalog.end(), datastore.end()]);
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

const reset = (...args: string[]) =>
  command(args, {
    settings: settingsForTests({
      'catalog.database_url': catalog.url,
      'catalog.datastore.write_url': datastore.writeUrl,
    }),
    log: pino({ level: 'silent' }),
  });

const addUser = () => query(catalog.url, `INSERT INTO user_account (id, name) VALUES (gen_random_uuid(), 'someone')`);

it('deletes nothing without --yes', async () => {
  await addUser();
  await expect(reset()).rejects.toThrow('catalog reset --yes');
  expect(await query(catalog.url, 'SELECT count(*)::int FROM user_account')).toEqual([1]);
});

it('empties both databases and keeps the schema', async () => {
  await query(datastore.writeUrl, 'CREATE TABLE numbers (id int)');
  await query(datastore.writeUrl, 'CREATE VIEW more AS SELECT * FROM numbers');
  await reset('--yes');
  expect(await query(catalog.url, 'SELECT count(*)::int FROM user_account')).toEqual([0]);
  expect(await query(catalog.url, 'SELECT count(*) > 0 FROM _prisma_migrations')).toEqual([true]);
  expect(
    await query(datastore.readUrl, `SELECT count(*)::int FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
  ).toEqual([0]);
});

it('waits for a write in progress', async () => {
  await addUser();
  const writer = new pg.Client({ connectionString: catalog.url });
  await writer.connect();
  await writer.query('BEGIN');
  await writer.query(`UPDATE user_account SET about = 'busy'`);
  const done = reset('--yes');
  const waiting = `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await query(catalog.url, waiting))[0] === 1);
  await writer.query('COMMIT');
  await writer.end();
  await done;
  expect(await query(catalog.url, 'SELECT count(*)::int FROM user_account')).toEqual([0]);
});
