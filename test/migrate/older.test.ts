/**
 * Migrates filled databases of older states to this release without losing a row. The data is that of a current catalog, as far as the
 * older tables have its columns. Runs some states by default, all with MIGRATE_ALL.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/migrate/migrate.ts';
import { createEmptyDatabase } from '../helpers/database.ts';
import { randomWrites } from '../helpers/random-writes.ts';
import { createWorld, type World } from '../helpers/world.ts';

const FOLDER = 'prisma/migrations';
const NAMES = readdirSync(FOLDER)
  .filter((name) => /^\d/.test(name))
  .sort();
const STATES = NAMES.slice(0, -1).filter((_, index) => process.env.MIGRATE_ALL || index % 14 === 0);
const WRITES = 120;

let world: World;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  world = await createWorld();
  const [admin, editor] = await Promise.all([world.make.sysadmin(), world.make.user()]);
  const organizations = await Promise.all(
    [1, 2].map(() => world.make.organization({ members: { [editor.id]: 'editor' } })),
  );
  const groups = await Promise.all([1, 2].map(() => world.make.group()));
  for (let n = 0; n < 5; n += 1)
    await world.make.dataset({ ownerOrganization: organizations[n % 2]!.id, resources: [{ url: `http://x/${n}` }] });
  const write = randomWrites({ world, admin, editor, organizations, groups });
  for (let n = 1; n <= WRITES; n += 1) await write(n);
  for (const { id } of groups) await world.action('follow_group', { id }, { as: editor });
});
afterAll(async () => {
  await world?.end();
  rmSync(folder, { recursive: true });
});

const COLUMNS = `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type,
    a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS required, a.attidentity <> '' AS numbered
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations' AND a.attgenerated = ''
    AND a.atttypid <> 'xid8'::regtype ORDER BY 1, a.attnum`;
interface Column {
  table: string;
  column: string;
  type: string;
  required: boolean;
  numbered: boolean;
}

/** A value for a column that this release does not have. */
const anyValue = (type: string): string =>
  type.startsWith('timestamp')
    ? 'now()'
    : type === 'boolean'
      ? 'false'
      : /int|numeric|double/.test(type)
        ? '0'
        : `''::${type}`;

async function counts(client: pg.Client, tables: Iterable<string>): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of tables)
    found[table] = (await client.query(`SELECT count(*)::int AS n FROM "${table}"`)).rows[0].n;
  return found;
}

/** Copies the rows of the catalog into the tables of an older state. Returns their counts. */
async function fill(client: pg.Client): Promise<Record<string, number>> {
  const now = new Set(
    (await world.database.sql.rows<Column>({ text: COLUMNS })).map(({ table, column }) => `${table}.${column}`),
  );
  const { rows } = await client.query<Column>(COLUMNS);
  const tables = new Map<string, Column[]>();
  for (const column of rows) tables.set(column.table, [...(tables.get(column.table) ?? []), column]);
  const { rows: keys } = await client.query<{ drop: string; make: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
  );
  for (const { drop } of keys) await client.query(drop);
  for (const [table, columns] of tables) {
    if (!columns.some(({ column }) => now.has(`${table}.${column}`))) continue;
    const { rows: data } = await world.database.pool.query(
      `SELECT coalesce(json_agg(t), '[]')::text AS text FROM "${table}" t`,
    );
    const common = columns.filter(({ column, required }) => required || now.has(`${table}.${column}`));
    const values = common.map(({ column, type }) => (now.has(`${table}.${column}`) ? `r."${column}"` : anyValue(type)));
    await client.query(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
    await client.query(`DELETE FROM "${table}"`);
    await client.query(
      `INSERT INTO "${table}" (${common.map(({ column }) => `"${column}"`).join(', ')}) OVERRIDING SYSTEM VALUE
        SELECT ${values.join(', ')} FROM json_populate_recordset(NULL::"${table}", $1) r`,
      [data[0].text],
    );
    await client.query(`ALTER TABLE "${table}" ENABLE TRIGGER USER`);
    for (const { column, numbered } of columns)
      if (numbered)
        await client.query(
          `SELECT setval(pg_get_serial_sequence('"${table}"', '${column}'), coalesce(max("${column}"), 1)) FROM "${table}"`,
        );
  }
  for (const { make } of keys) await client.query(make);
  return counts(client, tables.keys());
}

it.each(STATES)('migrates the data of %s', async (state) => {
  const database = await createEmptyDatabase();
  const old = join(folder, state);
  for (const name of NAMES.filter((name) => name <= state))
    cpSync(join(FOLDER, name), join(old, name), { recursive: true });
  await migrate(database.url, old);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const before = await fill(client);
    expect(before).toMatchObject({ dataset: expect.any(Number), resource: expect.any(Number) });
    expect(before.dataset).toBeGreaterThan(10);
    expect(await migrate(database.url)).toEqual(NAMES.filter((name) => name > state));
    const { rows } = await client.query<Column>(COLUMNS);
    const kept = new Set(rows.map(({ table }) => table));
    const after = await counts(
      client,
      Object.keys(before).filter((table) => kept.has(table)),
    );
    for (const [table, n] of Object.entries(after)) expect([table, n >= before[table]!]).toEqual([table, true]);
    expect(after.dataset).toBe(before.dataset);
    // Later writes, with all triggers enabled.
    await client.query(`UPDATE dataset_document SET title = title || '!'`);
    await client.query(`UPDATE user_account SET state = state`);
  } finally {
    await client.end();
    await database.end();
  }
});
