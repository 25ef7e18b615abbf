/** Row counts of tables: updated by every write, exact, and never recounted by readers. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { statementOf } from '../../src/datastore/fragment.ts';
import { planSearch } from '../../src/datastore/rows/search.plan.ts';
import { searchSql, tableSource } from '../../src/datastore/rows/search.sql.ts';
import { COUNTS } from '../../src/datastore/tables/counts.sql.ts';
import { noteCount, setCount } from '../../src/datastore/tables/counts.store.ts';
import type { Datastore } from '../../src/infra/postgres/datastore.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let table: Tables['table'];
let write: Tables['write'];
let store: Datastore;

beforeAll(async () => {
  ({ world, table, write } = await createTables());
  store = world.app.callAs(world.system).stores.datastore!;
});
afterAll(() => world.end());

const SCAN = { format: 'objects', numbers: 'text', counting: 'scan' } as const;
const rows = (n: number, from = 0) => Array.from({ length: n }, (_, place) => ({ k: from + place, v: 'x' }));
const keyed = (records = rows(10)) => table({ primary_key: 'k', records });
const total = async (resource_id: string): Promise<number> =>
  (await world.result('datastore_search', { resource_id, limit: 1 })).total;

/** The reported row count of a table, checked against a scan. */
async function told(resource_id: string): Promise<number> {
  const [{ n }] = (await store.sql.rows<{ n: number }>({
    text: `SELECT count(*)::int AS n FROM "${resource_id}"`,
  })) as [{ n: number }];
  expect(await total(resource_id)).toBe(n);
  expect((await world.result('datastore_info', { id: resource_id })).meta.count).toBe(n);
  const query = `{ table(id: "${resource_id}") { size { count } records(first: 1) { totalCount } } }`;
  expect((await world.graph(query)).body.data.table).toEqual({ size: { count: n }, records: { totalCount: n } });
  return n;
}

describe('the number of rows', () => {
  it('is exact after every kind of write', async () => {
    const id = await keyed();
    expect(await told(id)).toBe(10);
    await write('datastore_upsert', { resource_id: id, method: 'insert', records: rows(5, 10) });
    expect(await told(id)).toBe(15);
    await write('datastore_upsert', {
      resource_id: id,
      records: [...rows(5, 12), { k: 0, v: 'again' }, { k: 0, v: 'twice' }],
    });
    expect(await told(id)).toBe(17);
    await write('datastore_upsert', { resource_id: id, method: 'update', records: rows(3) });
    expect(await told(id)).toBe(17);
    await write('datastore_create', { resource_id: id, records: rows(2, 100) });
    expect(await told(id)).toBe(19);
    await write('datastore_records_delete', { resource_id: id, filters: { k: { gte: 100 } } });
    expect(await told(id)).toBe(17);
    await write('datastore_delete', { resource_id: id, filters: { k: 1 } });
    expect(await told(id)).toBe(16);
    await write('datastore_records_delete', { resource_id: id, filters: {} });
    expect(await told(id)).toBe(0);
    await write('datastore_delete', { resource_id: id });
    await write('datastore_create', { resource_id: id, records: rows(4) });
    expect(await told(id)).toBe(4);
  });

  it('is unchanged by a refused write or a dry run', async () => {
    const id = await keyed();
    const refused = [
      { method: 'insert', records: [...rows(3, 50), { k: 1 }] },
      { method: 'insert', records: rows(3, 50), dry_run: true },
      { method: 'update', records: [{ k: 999 }] },
      { records: [{ k: 'no number' }] },
    ];
    for (const params of refused) await write('datastore_upsert', { resource_id: id, ...params });
    expect(await told(id)).toBe(10);
  });

  it('is exact under concurrent writers, with few count entries', async () => {
    const id = await keyed(rows(1, 5_000));
    const methods = ['upsert', 'upsert', 'insert'];
    for (let round = 0; round < 6; round++)
      await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          n === 7
            ? write('datastore_records_delete', { resource_id: id, filters: { k: { lt: round * 7 } } })
            : write('datastore_upsert', {
                resource_id: id,
                method: methods[n % 3],
                records: rows(20, round * 10 + n * 3),
              }),
        ),
      );
    expect(await told(id)).toBeGreaterThan(0);
    const notes = await store.sql.rows({ text: `SELECT n FROM ${COUNTS} WHERE relation = '${id}'` });
    expect(notes.length).toBeLessThan(40);
  });

  it('includes a row once that two writers insert concurrently', async () => {
    const id = await keyed();
    let late: Promise<unknown> = Promise.resolve();
    await store.write(async (sql) => {
      await sql.rows({ text: `INSERT INTO "${id}" (k) VALUES (500)` });
      await noteCount(sql, id, 1);
      late = write('datastore_upsert', { resource_id: id, records: [{ k: 500, v: 'late' }, { k: 501 }] });
      const waits = { text: 'SELECT FROM pg_locks WHERE NOT granted AND transactionid IS NOT NULL' };
      await until(async () => (await store.sql.rows(waits)).length > 0);
    });
    await late;
    expect(await told(id)).toBe(12);
  });

  it('makes no writer wait for another', async () => {
    const id = await keyed();
    await store.write(async (sql) => {
      await noteCount(sql, id, 1_000);
      await write('datastore_upsert', { resource_id: id, records: rows(1, 70) });
      expect(await told(id)).toBe(11);
      await noteCount(sql, id, -1_000);
    });
    expect(await told(id)).toBe(11);
  });

  it('can be set when all rows are replaced', async () => {
    const id = await keyed();
    await store.write(async (sql) => {
      await sql.rows({ text: `TRUNCATE "${id}"` });
      await sql.rows({ text: `INSERT INTO "${id}" (k) SELECT generate_series(1, 3000)` });
      await setCount(sql, id, 3000);
    });
    expect(await told(id)).toBe(3000);
  });

  it('is computed for a table without a stored count, until the next write', async () => {
    const id = await keyed();
    const forget = () => store.write((sql) => setCount(sql, id, null));
    await forget();
    expect(await told(id)).toBe(10);
    await Promise.all(
      [1, 2, 3].map((n) => write('datastore_upsert', { resource_id: id, method: 'insert', records: rows(2, n * 10) })),
    );
    expect(await told(id)).toBe(16);
    await store.write((sql) => sql.rows({ text: `DELETE FROM "${id}"` }));
    expect(await total(id)).toBe(16); // the stored count, because readers do not count rows
  });

  it('needs no scan of all rows', async () => {
    const id = await keyed(rows(2_000));
    const [column] = [{ id: '_id', type: 'int4', info: null }];
    const { plan } = planSearch({ limit: 5 }, [column!]);
    const { statement, values } = statementOf('t', searchSql(tableSource(id, [column!]), plan, SCAN));
    const [row] = await store.sql.rows<Record<string, unknown>>(
      { text: `EXPLAIN (ANALYZE, FORMAT JSON) ${statement.text}` },
      values,
    );
    const looks: [string, number][] = [];
    const walk = (node: Record<string, any>): void => {
      if (node['Relation Name'] === id) looks.push([node['Node Type'], node['Actual Rows'] * node['Actual Loops']]);
      for (const inner of node.Plans ?? []) walk(inner);
    };
    walk((row!['QUERY PLAN'] as any)[0].Plan);
    expect(looks.filter(([, seen]) => seen > 0)).toEqual([[expect.stringMatching(/^Index/), 5]]);
  });
});

it('protects the table of counts from every caller', async () => {
  const admin = await world.make.sysadmin();
  for (const [name, params] of [
    ['datastore_search', { resource_id: COUNTS }],
    ['datastore_info', { id: COUNTS }],
    ['datastore_search_sql', { sql: `SELECT * FROM "${COUNTS}"` }],
  ] as const)
    for (const as of [null, admin]) expect((await world.action(name, params, { as })).body.success).toBe(false);
  const { records } = await world.result(
    'datastore_search',
    { resource_id: '_table_metadata', limit: 1000 },
    { as: admin },
  );
  expect(records.map(({ name }: { name: string }) => name)).not.toContain(COUNTS);
  for (const id of [COUNTS, '_table_metadata', 'x'.repeat(64), ' x', 'a"b']) {
    const { body } = await world.make.dataset({ resources: [{ databaseId: id, url: 'http://x' }] });
    const made = await world.action(
      'datastore_create',
      { resource_id: body.resources[0]!.id, force: true, records: [{ a: 1 }] },
      { as: admin },
    );
    expect([id, made.body.error]).toEqual([
      id,
      expect.objectContaining({ resource_id: [expect.stringContaining('not a valid table name')] }),
    ]);
  }
});
