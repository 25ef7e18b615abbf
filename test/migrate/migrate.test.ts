import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/migrate/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../helpers/database.ts';

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

it('applies every file once, however many processes start together', async () => {
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, folder)));
  expect(applied.filter((names) => names.length > 0)).toEqual([['0001_first', '0002_second']]);
  expect(await rows('SELECT count(*)::int FROM first')).toEqual([1]);
  expect(await migrate(database.url, folder)).toEqual([]);
});

it('applies only what is new', async () => {
  await migrate(database.url, folder);
  write('0003_third', 'INSERT INTO first VALUES (3);');
  expect(await migrate(database.url, folder)).toEqual(['0003_third']);
});

it('refuses a file that was changed after it had been applied', async () => {
  await migrate(database.url, folder);
  write('0001_first', 'CREATE TABLE first (id bigint);');
  await expect(migrate(database.url, folder)).rejects.toThrow('Migration 0001_first was changed after it was applied');
});

it('refuses a database that is newer than the program', async () => {
  await migrate(database.url, folder);
  rmSync(join(folder, '0002_second'), { recursive: true });
  await expect(migrate(database.url, folder)).rejects.toThrow(
    'newer than this program. It has the migrations 0002_second',
  );
});

it('leaves nothing of a file that fails, keeps those before it, and says where', async () => {
  write('0003_bad', 'CREATE TABLE third (id int);\n\nCREATE TABLE broken (id nonsense);');
  await expect(migrate(database.url, folder)).rejects.toThrow(
    'Migration 0003_bad failed: type "nonsense" does not exist (line 3)',
  );
  expect(await rows(`SELECT to_regclass('first') IS NOT NULL, to_regclass('third') IS NULL`)).toEqual([true, true]);
  write('0003_bad', 'CREATE TABLE third (id int);');
  expect(await migrate(database.url, folder)).toEqual(['0003_bad']);
});

it('brings an empty database to the schema of the catalog', async () => {
  expect(await migrate(database.url)).toContain('0001_catalog');
  expect(await rows('SELECT count(*)::int FROM dataset')).toEqual([0]);
});
