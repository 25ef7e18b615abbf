import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, migrationState } from '../../src/migrate/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  write('0001_first', 'CREATE TABLE first (id int);');
  write('0002_second', 'INSERT INTO first VALUES (1);');
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await database.end();
});

function write(name: string, sql: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'migration.sql'), sql);
}

async function rows(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

/** Runs `work` while the transaction of `reader` has read the table. */
async function whileReading(table: string, work: (reader: pg.Client) => Promise<void>): Promise<void> {
  const reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
  try {
    await reader.query('BEGIN');
    await reader.query(`SELECT * FROM ${table}`);
    await work(reader);
  } finally {
    await reader.end();
  }
}

/** Resolves when a migration waits for a lock on the table. */
const untilWaitingFor = (table: string) =>
  until(async () => {
    const [waiting] = await rows(`SELECT count(*)::int FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND relation = '${table}'::regclass AND NOT granted`);
    return waiting === 1;
  });

it('applies every file once when several processes start together', async () => {
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, folder)));
  expect(applied.filter((names) => names.length > 0)).toEqual([['0001_first', '0002_second']]);
  expect(await rows('SELECT count(*)::int FROM first')).toEqual([1]);
  expect(await migrate(database.url, folder)).toEqual([]);
});

it('applies only new files', async () => {
  await migrate(database.url, folder);
  write('0003_third', 'INSERT INTO first VALUES (3);');
  expect(await migrate(database.url, folder)).toEqual(['0003_third']);
});

it('refuses a file that changed after it was applied', async () => {
  await migrate(database.url, folder);
  write('0001_first', 'CREATE TABLE first (id bigint);');
  await expect(migrate(database.url, folder)).rejects.toThrow('Migration 0001_first was changed after it was applied');
});

it('runs on a database that a newer release migrated, and applies its own migrations', async () => {
  write('0003_added_later', 'ALTER TABLE first ADD note text;');
  write('0004_needs_0.0.1_drop_note', 'ALTER TABLE first DROP note;');
  await migrate(database.url, folder);
  for (const name of ['0003_added_later', '0004_needs_0.0.1_drop_note'])
    rmSync(join(folder, name), { recursive: true });
  expect(await migrate(database.url, folder)).toEqual([]);
  expect(await migrationState(database.url, folder)).toEqual({
    pending: [],
    newer: ['0003_added_later', '0004_needs_0.0.1_drop_note'],
  });
  write('0003_mine', 'INSERT INTO first VALUES (3);');
  expect(await migrate(database.url, folder)).toEqual(['0003_mine']);
});

it('refuses a database with a migration that requires a newer program', async () => {
  write('0003_needs_99.0.0_drop_first', 'DROP TABLE first;');
  await migrate(database.url, folder);
  rmSync(join(folder, '0003_needs_99.0.0_drop_first'), { recursive: true });
  await expect(migrate(database.url, folder)).rejects.toThrow(
    'too new for this program. A newer version has applied 0003_needs_99.0.0_drop_first.',
  );
});

it('lets requests pass while it waits for a table in use', async () => {
  await migrate(database.url, folder);
  await whileReading('first', async (reader) => {
    write('0003_third', 'ALTER TABLE first ADD note text;');
    const migrated = migrate(database.url, folder);
    await untilWaitingFor('first');
    // Waits for the migration, which releases its lock for a moment.
    expect(await rows('SELECT count(*)::int FROM first')).toEqual([1]);
    await reader.query('COMMIT');
    expect(await migrated).toEqual(['0003_third']);
  });
});

it('does not end a request that holds a table and waits for another', async () => {
  write('0003_third', 'CREATE TABLE third (id int);');
  await migrate(database.url, folder);
  await whileReading('third', async (reader) => {
    write('0004_both', 'ALTER TABLE first ADD note text;\n-- ALTER TABLE absent\nALTER TABLE third ADD note text;');
    const migrated = migrate(database.url, folder);
    await untilWaitingFor('third');
    // The migration has locked one of the two tables, and waits for the other.
    expect((await reader.query('SELECT * FROM first')).rows).toEqual([{ id: 1 }]);
    await reader.query('COMMIT');
    expect(await migrated).toEqual(['0004_both']);
  });
});

it('locks the table of a dropped index before the first statement', async () => {
  write(
    '0003_indexes',
    'CREATE TABLE third (id int); CREATE INDEX first_id ON first (id); CREATE INDEX third_id ON third (id); CREATE SEQUENCE attempts;',
  );
  await migrate(database.url, folder);
  await whileReading('third', async (reader) => {
    write('0004_drop', `DROP INDEX first_id;\nSELECT nextval('attempts');\nDROP INDEX IF EXISTS third_id;`);
    const migrated = migrate(database.url, folder);
    await untilWaitingFor('third');
    // A rollback does not reset a sequence. This proves that no statement has run yet, and later that each ran once.
    expect(await rows('SELECT is_called FROM attempts')).toEqual([false]);
    await reader.query('COMMIT');
    expect(await migrated).toEqual(['0004_drop']);
    expect(await rows('SELECT last_value::int FROM attempts')).toEqual([1]);
  });
});

it('creates an index without waiting for readers', async () => {
  await migrate(database.url, folder);
  await whileReading('first', async () => {
    write('0003_index', 'CREATE INDEX first_id ON first (id);');
    expect(await migrate(database.url, folder)).toEqual(['0003_index']);
  });
});

it('rolls back a failing file, keeps earlier files, and names the line', async () => {
  write('0003_bad', 'CREATE TABLE third (id int);\n\nCREATE TABLE broken (id nonsense);');
  await expect(migrate(database.url, folder)).rejects.toThrow(
    'Migration 0003_bad failed: type "nonsense" does not exist (line 3)',
  );
  expect(await rows(`SELECT to_regclass('first') IS NOT NULL, to_regclass('third') IS NULL`)).toEqual([true, true]);
  write('0003_bad', 'CREATE TABLE third (id int);');
  expect(await migrate(database.url, folder)).toEqual(['0003_bad']);
});

it("migrates an empty database to the catalog's schema", async () => {
  expect(await migrate(database.url)).toContain('0001_catalog');
  expect(await rows('SELECT count(*)::int FROM dataset')).toEqual([0]);
});
