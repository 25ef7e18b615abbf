/** Both databases of a backup are read at one point in time, despite concurrent writes to both. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { takePoint } from '../../src/backup/point.sql.ts';
import { createTables, type Tables } from '../helpers/tables.ts';

/** Increase with BACKUP_POINTS. */
const POINTS = Number(process.env.BACKUP_POINTS ?? 25);
const TABLES = 3;
const WRITERS = 6;

let tables: Tables;
let ids: string[];
beforeAll(async () => {
  tables = await createTables();
  ids = [];
  for (let n = 0; n < TABLES; n += 1) ids.push(await tables.table({ fields: [{ id: 'x', type: 'int' }] }));
});
afterAll(() => tables?.world.end());

const urls = () => ({
  catalog: tables.world.database.url,
  datastore: tables.world.settings['catalog.datastore.write_url']!,
});

/** Differences between rows according to the catalog and rows in the DataStore, and tables that only one database has. */
async function differences(): Promise<{ rows: Record<string, number>; tables: string[]; written: number }> {
  const point = await takePoint(urls());
  try {
    const { rows: log } = await point.catalog.query<{ id: string; n: number }>(
      `SELECT object_id AS id, sum(coalesce((detail->>'records')::int, 0) - coalesce((detail->>'deletedRecords')::int, 0))::int AS n
       FROM change WHERE object_type = 'table' GROUP BY 1`,
    );
    const { rows: active } = await point.catalog.query<{ id: string }>(
      'SELECT id FROM resource WHERE datastore_active',
    );
    const rows: Record<string, number> = {};
    for (const id of ids) {
      const { rows: found } = await point.datastore!.query<{ n: number }>(`SELECT count(*)::int AS n FROM "${id}"`);
      const said = log.find((row) => row.id === id)?.n ?? 0;
      if (said !== found[0]!.n) rows[id] = said - found[0]!.n;
    }
    const own = new Set(active.map(({ id }) => id));
    const strange = point.tables.filter((name) => !own.has(name));
    const missing = [...own].filter((id) => !point.tables.includes(id));
    return { rows, tables: [...strange, ...missing], written: log.reduce((sum, { n }) => sum + n, 0) };
  } finally {
    await point.close();
  }
}

it('has every write in both databases or in neither', async () => {
  let over = false;
  let refused = 0;
  const say = (status: number) => {
    if (status >= 400) refused += 1;
  };
  const writer = async (n: number) => {
    for (let turn = 0; !over; turn += 1) {
      const resource_id = ids[(n + turn) % TABLES]!;
      const records = Array.from({ length: 1 + (turn % 5) }, (_, x) => ({ x }));
      const { status } = await (turn % 4 === 3
        ? tables.write('datastore_delete', { resource_id, filters: { x: 1 } })
        : tables.write('datastore_upsert', { resource_id, records, method: 'insert' }));
      say(status);
    }
  };
  const maker = async () => {
    while (!over) {
      const resource_id = await tables.resource();
      say((await tables.write('datastore_create', { resource_id, records: [{ x: 1 }] })).status);
      if (!over) say((await tables.write('datastore_delete', { resource_id })).status);
    }
  };
  const writing = [...Array.from({ length: WRITERS }, (_, n) => writer(n)), maker()];
  const found: Awaited<ReturnType<typeof differences>>[] = [];
  try {
    for (let n = 0; n < POINTS; n += 1) found.push(await differences());
  } finally {
    over = true;
    await Promise.all(writing);
  }
  expect(found.map(({ rows, tables }) => ({ rows, tables }))).toEqual(found.map(() => ({ rows: {}, tables: [] })));
  expect(found.at(-1)!.written).toBeGreaterThan(found[0]!.written);
  expect(refused).toBe(0);
});

it('waits for a table that is being replaced, without blocking its writer', async () => {
  const [id] = ids as [string];
  const writer = new pg.Client({ connectionString: urls().datastore });
  await writer.connect();
  await writer.query('BEGIN');
  await writer.query(`LOCK TABLE "${id}" IN ACCESS EXCLUSIVE MODE`);
  const point = takePoint(urls());
  const first = await Promise.race([point, new Promise((resolve) => setTimeout(() => resolve('waits'), 1_500))]);
  expect(first).toBe('waits');
  expect(
    (await tables.write('datastore_upsert', { resource_id: ids[1], records: [{ x: 9 }], method: 'insert' })).status,
  ).toBe(200);
  await writer.query('ROLLBACK');
  await writer.end();
  await (await point).close();
});

it('lets clients write rows of a table, but not replace it, until it is copied', async () => {
  const point = await takePoint(urls());
  expect(
    (await tables.write('datastore_upsert', { resource_id: ids[0], records: [{ x: 9 }], method: 'insert' })).status,
  ).toBe(200);
  let isDropped = false;
  const drop = tables.write('datastore_delete', { resource_id: ids[2] }).then(({ status }) => {
    isDropped = true;
    return status;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(isDropped).toBe(false);
  await point.close();
  expect(await drop).toBe(200);
});

it('waits for a migration, sees the rows of tables that it rewrote, and blocks later migrations until its end', async () => {
  const migration = new pg.Client({ connectionString: urls().catalog });
  await migration.connect();
  const { rows: before } = await migration.query('SELECT count(*)::int AS n FROM resource');
  await migration.query('BEGIN');
  await migration.query('ALTER TABLE resource ADD COLUMN rewritten text DEFAULT clock_timestamp()::text');
  const taken = takePoint(urls());
  expect(await Promise.race([taken, sleep(1_500, 'waits')])).toBe('waits');
  await migration.query('COMMIT');
  const point = await taken;
  const { rows } = await point.catalog.query('SELECT count(*)::int AS n FROM resource');
  expect([rows, before[0].n > 0]).toEqual([before, true]);
  await migration.query(`SET lock_timeout = '300ms'`);
  const second = () => migration.query('ALTER TABLE resource DROP COLUMN rewritten');
  await expect(second()).rejects.toMatchObject({ code: '55P03' });
  await point.close();
  await second();
  await migration.end();
});
