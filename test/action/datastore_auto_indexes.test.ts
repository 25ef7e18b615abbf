/** Automatic indexes: creation from reads, concurrent writers, and removal. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cancelKeeping, listAutoIndexes } from '../../src/datastore/indexes/indexes.sql.ts';
import { flushShapes, keepIndexes, planIndexes } from '../../src/datastore/indexes/keep.service.ts';
import { lockWriters } from '../../src/datastore/rows/load.sql.ts';
import { addWords, replaceByRecords } from '../../src/datastore/rows/load.store.ts';
import { run } from '../../src/datastore/run.store.ts';
import type { Datastore } from '../../src/infra/postgres/datastore.ts';
import { runCommand } from '../helpers/command.ts';
import { createTables, interrupted, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let table: Tables['table'];
let write: Tables['write'];
let search: Tables['search'];
let store: Datastore;

beforeAll(async () => {
  ({ world, table, write, search, store } = await createTables());
});
afterAll(() => world.end());

const call = () => world.app.callAs(world.system);
const SMALL = { minRows: 10, minUses: 5 };
const rows = (n: number, from = 0) =>
  Array.from({ length: n }, (_, at) => {
    const k = from + at;
    return { k, a: k % 3, b: `w${k % 5}`, c: (k * 7) % 11, d: k / 4 };
  });
const keyed = (n = 200) => table({ primary_key: 'k', records: rows(n) });
const ask = (id: string, n = 6, params: object = { filters: { a: 1, b: 'w2' }, sort: 'c desc' }) =>
  Promise.all(Array.from({ length: n }, () => search({ resource_id: id, limit: 5, ...params })));
const keep = async () => {
  await flushShapes(call());
  await keepIndexes(call(), SMALL);
};
const indexesOf = (id: string) => listAutoIndexes(store.sql, [id]);
const info = (id: string) => world.result('datastore_info', { id });

/** A table with an automatic index. */
async function indexed(): Promise<string> {
  const id = await keyed();
  await ask(id);
  await keep();
  expect(await indexesOf(id)).toHaveLength(1);
  return id;
}

describe('an automatic index', () => {
  it('is created from the filters and sort orders of readers, and reported with its reason', async () => {
    const id = await keyed();
    await ask(id, 4);
    await keep();
    expect(await indexesOf(id)).toEqual([]);
    await ask(id, 2);
    await flushShapes(call());
    const { make } = await planIndexes(call(), SMALL);
    expect(make.filter((plan) => plan.table === id)).toHaveLength(1);
    await keep();
    const reason = 'filters by a, b; sorted by c DESC';
    expect(await indexesOf(id)).toMatchObject([{ columns: ['a', 'b', 'c'], included: [], isValid: true, reason }]);
    expect((await info(id)).auto_indexes).toMatchObject([
      { fields: ['a', 'b', 'c'], reason, created_at: expect.any(String) },
    ]);
    const query = `{ table(id: "${id}") { indexes primaryKey autoIndexes { fields reason size } } }`;
    expect((await world.graph(query)).body.data.table).toEqual({
      indexes: [['k']], // declared by the publisher
      primaryKey: ['k'],
      autoIndexes: [{ fields: ['a', 'b', 'c'], reason, size: expect.any(Number) }],
    });
    const stored = await world.database.sql.rows<{ shape: string }>({ text: 'SELECT shape FROM table_shape' });
    expect(JSON.stringify(stored)).not.toContain('w2'); // names of columns, never values
  });

  it('serves a filtered, sorted page without a sort', async () => {
    const id = await indexed();
    const text = `EXPLAIN SELECT _id FROM "${id}" WHERE a = 1 AND b = 'w2' ORDER BY c DESC, _id LIMIT 5`;
    const plan = await store.write(async (sql) => {
      await sql.rows({ text: 'SET LOCAL enable_seqscan = off' });
      return sql.rows({ text });
    });
    expect(JSON.stringify(plan)).toContain('_auto_');
    expect(JSON.stringify(plan)).not.toContain('Sort');
  });

  it('includes the columns of aggregates, also in SQL of callers', async () => {
    const id = await keyed();
    const sql = `SELECT c, count(*), avg(d) FROM "${id}" WHERE a = 1 AND b IN ('w1', 'w2') GROUP BY c`;
    for (let n = 0; n < 6; n += 1) await world.result('datastore_search_sql', { sql });
    await keep();
    const reason = 'filters by a, b; sorted by c; aggregates of d';
    expect(await indexesOf(id)).toMatchObject([{ columns: ['a', 'b', 'c'], included: ['d'], reason }]);
    const explained = await store.write(async (db) => {
      for (const way of ['seqscan', 'hashagg', 'bitmapscan']) await db.rows({ text: `SET LOCAL enable_${way} = off` });
      return db.rows({ text: `EXPLAIN ${sql.replace("b IN ('w1', 'w2')", "b = 'w1'")}` });
    });
    expect(JSON.stringify(explained)).toMatch(/GroupAggregate.*Index Only Scan using _auto_/);
    expect(JSON.stringify(explained)).not.toContain('Sort');
    const other = await keyed();
    const query = `{ table(id: "${other}") { aggregate(groupBy: [{ field: "c" }], filter: [{ field: "a", eq: 1 }]) { nodes { count } } } }`;
    for (let n = 0; n < 6; n += 1) await world.graph(query);
    await keep();
    expect(await indexesOf(other)).toMatchObject([{ columns: ['a', 'c'], included: [] }]);
  });

  it('is created for selects in SQL of callers, and for filtered downloads', async () => {
    const [selected, downloaded] = [await keyed(), await keyed()];
    const sql = `SELECT * FROM "${selected}" WHERE a = 1 ORDER BY d DESC LIMIT 5`;
    for (let n = 0; n < 6; n += 1) {
      await world.result('datastore_search_sql', { sql });
      await world.request(`/datastore/dump/${downloaded}?filters={"a":1,"b":"w2"}`);
    }
    await keep();
    expect(await indexesOf(selected)).toMatchObject([{ reason: 'filters by a; sorted by d DESC' }]);
    expect(await indexesOf(downloaded)).toMatchObject([{ reason: 'filters by a, b' }]);
  });

  it('is dropped when its reads end, or when writes outnumber reads', async () => {
    const [unread, written] = [await indexed(), await indexed()];
    await world.database.sql.rows({
      text: `UPDATE table_shape SET used_at = used_at - interval '4 weeks' WHERE resource_id = '${unread}'`,
    });
    for (let n = 0; n < 14; n += 1) await write('datastore_upsert', { resource_id: written, records: rows(1, n) });
    await keep();
    expect([await indexesOf(unread), await indexesOf(written)]).toEqual([[], []]);
  });

  it('is dropped when the setting allows none', async () => {
    const id = await indexed();
    const settings = { ...world.settings, 'catalog.datastore.auto_indexes': 0 };
    await keepIndexes({ ...call(), settings }, SMALL);
    expect(await indexesOf(id)).toEqual([]);
  });

  it('is not created for a table that is loaded more often than it is read', async () => {
    const id = await keyed();
    const load = () =>
      replaceByRecords(
        store,
        id,
        {
          fields: ['k', 'a'].map((name) => ({ id: name, type: 'int', info: null })),
          primaryKey: [],
          aliases: [],
          pages: async function* () {
            yield rows(50).map(({ k, a }) => ({ k, a }));
          },
          signal: new AbortController().signal,
        },
        async () => {},
      );
    for (let n = 0; n < 4; n += 1) await load();
    await ask(id, 6, { filters: { a: 1 } });
    await keep();
    expect(await indexesOf(id)).toMatchObject([{ columns: ['a'] }]);
    for (let n = 0; n < 4; n += 1) await load();
    await keep();
    expect(await indexesOf(id)).toEqual([]);
  });

  it('is not created for a small table, for declared columns, or beyond the limits', async () => {
    const small = await table({ records: rows(5) });
    const declared = await table({ records: rows(50), indexes: ['a,b'] });
    const many = await table({ records: rows(50) });
    await ask(small);
    await ask(declared, 6, { filters: { a: 1, b: 'w1' } });
    const columns = ['a', 'b', 'c', 'd', 'k'];
    for (const id of columns) await ask(many, 6, { filters: { [id]: '1' }, sort: columns.find((one) => one !== id) });
    await keep();
    expect([await indexesOf(small), await indexesOf(declared)]).toEqual([[], []]);
    expect(await indexesOf(many)).toHaveLength(world.settings['catalog.datastore.auto_indexes']);
  });

  it('is replaced only by an index that can be built', async () => {
    const other = await createTables({ 'catalog.datastore.auto_indexes': 1 });
    const system = () => other.world.app.callAs(other.world.system);
    const keepThere = async () => {
      await flushShapes(system());
      await keepIndexes(system(), SMALL);
    };
    const long = Array.from({ length: 9_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join('');
    try {
      const records = rows(2_000).map((row) => ({ ...row, w: row.k === 7 ? long : 'w' }));
      const id = await other.table({ primary_key: 'k', records });
      const there = async () =>
        (await listAutoIndexes(system().stores.datastore!.sql, [id])).map(({ columns, isValid }) => [columns, isValid]);
      const read = async (column: string, n: number) => {
        for (let time = 0; time < n; time += 1)
          await other.search({ resource_id: id, filters: { [column]: column === 'a' ? 1 : 'x' }, limit: 0 });
      };
      await read('a', 10);
      await keepThere();
      expect(await there()).toEqual([[['a'], true]]);
      await read('w', 40);
      await keepThere();
      expect(await there()).toEqual(expect.arrayContaining([[['a'], true]])); // w has a value that is too long for an index
      await keepThere();
      expect(await there()).toEqual([[['a'], true]]);
      await read('b', 80);
      await keepThere();
      expect(await there()).toEqual([[['b'], true]]);
      await other.world.database.sql.rows({
        text: `UPDATE table_shape SET used_at = used_at - interval '9 weeks' WHERE shape NOT LIKE '%w%'`,
      });
      await keepThere();
      expect(await there()).toEqual([]); // it has no recent reads, and the other one still cannot be built
    } finally {
      await other.world.end();
    }
  });

  it('is listed by the command, together with an index that is due', async () => {
    const settings = { ...call().settings, 'catalog.database_url': world.database.url };
    const id = await indexed();
    const printed = async (...words: string[]) => (await runCommand(settings, 'datastore', 'indexes', ...words)).out;
    const listed = async () =>
      (JSON.parse(await printed('--json')) as { table: string }[]).filter((index) => index.table === id);
    const index = {
      table: id,
      fields: 'a, b, c',
      reason: 'filters by a, b; sorted by c DESC',
      created: expect.stringMatching(/^20/),
      bytes: expect.stringMatching(/^\d+$/),
      scans: expect.stringMatching(/^\d+$/),
    };
    expect(await listed()).toEqual([{ ...index, state: 'to drop' }]); // the table is below the minimum size of the command
    expect((await write('datastore_upsert', { resource_id: id, records: rows(10_000) })).body).toMatchObject({
      success: true,
    });
    await ask(id, 25);
    await ask(id, 25, { filters: { d: 1 } });
    await flushShapes(call());
    expect(await listed()).toEqual([
      { ...index, state: 'kept' },
      { ...index, state: 'to make', fields: 'd', reason: 'filters by d', created: '', bytes: '', scans: '' },
    ]);
    expect(await printed()).toContain('filters by a, b; sorted by c DESC');
  });

  it('stays when publishers declare indexes, keys and fields, and is dropped with its table', async () => {
    const id = await indexed();
    const fields = (await info(id)).fields.slice(1).map(({ id, type }: { id: string; type: string }) => ({ id, type }));
    for (const params of [
      { indexes: ['a'] },
      { indexes: ['b'], primary_key: 'k' },
      { fields: [...fields, { id: 'e', type: 'int' }] },
      { indexes: [] },
    ])
      expect((await write('datastore_create', { resource_id: id, ...params })).body.error).toBeUndefined();
    expect(await indexesOf(id)).toMatchObject([{ isValid: true }]);
    await addWords(store, id, new AbortController().signal); // replaces the table
    expect(await indexesOf(id)).toEqual([]);
    expect((await search({ resource_id: id, filters: { a: 1, b: 'w2' } })).total).toBe(13);
    await keep();
    expect(await indexesOf(id)).toMatchObject([{ isValid: true }]);
    await write('datastore_delete', { resource_id: id });
    await write('datastore_create', { resource_id: id, records: rows(20).map(({ k }) => ({ k })) });
    await keep();
    expect(await indexesOf(id)).toEqual([]);
  });

  it('is dropped when a write has a value that is too long for it, and the write succeeds', async () => {
    const wide = (length: number) =>
      Array.from({ length }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join('');
    for (const length of [1_200, 9_000]) {
      const id = await indexed();
      const { body } = await write('datastore_upsert', { resource_id: id, records: [{ k: 7, b: wide(length) }] });
      expect(body.error).toBeUndefined();
      expect(await indexesOf(id)).toEqual([]);
      expect((await search({ resource_id: id, filters: { k: 7 } })).records[0].b).toBe(wide(length));
      expect((await search({ resource_id: id })).total).toBe(200);
      await keep(); // fails silently
      expect((await info(id)).auto_indexes).toEqual([]);
    }
    const declared = await table({ primary_key: 'k', records: rows(20), indexes: ['b'] });
    const { body } = await write('datastore_upsert', { resource_id: declared, records: [{ k: 7, b: wide(9_000) }] });
    expect(body.error.message).toContain('index row');
  });
});

describe('while an index is built', () => {
  /** Runs `work` while an index waits for an older transaction that wrote the table. */
  async function during(id: string, work: () => Promise<void>): Promise<unknown> {
    await ask(id);
    await flushShapes(call());
    let making: Promise<unknown> = Promise.resolve();
    await store.write(async (sql) => {
      await sql.rows({ text: `UPDATE "${id}" SET c = c WHERE k = 199` });
      making = keepIndexes(call(), SMALL);
      await until(async () => (await indexesOf(id)).length > 0);
      await work();
    });
    return making;
  }
  const isMaking = async (id: string): Promise<boolean> => {
    const text = `SELECT FROM pg_locks WHERE relation = '"${id}"'::regclass AND mode = 'ShareUpdateExclusiveLock' AND granted`;
    return (await store.sql.rows({ text })).length > 0;
  };

  it('writers of rows wait for no lock', async () => {
    const id = await keyed();
    await during(id, async () => {
      for (const [name, params] of [
        ['datastore_upsert', { records: rows(3) }],
        ['datastore_upsert', { method: 'insert', records: rows(3, 900) }],
        ['datastore_records_delete', { filters: { k: { gte: 900 } } }],
      ] as const)
        expect((await write(name, { resource_id: id, ...params })).body.success).toBe(true); // the index still waits
      expect(await isMaking(id)).toBe(true);
      const { keep, drop, make } = await planIndexes(call(), SMALL);
      const own = (list: readonly { readonly table: string }[]) => list.filter((index) => index.table === id);
      expect([own(keep), own(drop), own(make)]).toMatchObject([[{ isInProgress: true, isValid: false }], [], []]);
    });
    expect(await indexesOf(id)).toMatchObject([{ isInProgress: false, isValid: true }]);
  });

  it('a cancellation for a table change leaves an invalid index, which the next run drops', async () => {
    const id = await keyed();
    await during(id, async () => {
      await store.write(async (sql) => {
        await cancelKeeping(sql, id);
        await until(async () => !(await isMaking(id)));
        expect(await indexesOf(id)).toMatchObject([{ isValid: false }]);
      });
    });
    expect((await info(id)).auto_indexes).toEqual([]);
    expect((await write('datastore_upsert', { resource_id: id, records: rows(3) })).body.success).toBe(true);
    await keepIndexes(call(), SMALL);
    expect(await indexesOf(id)).toEqual([]); // the next attempt follows after two minutes
    await store.write((sql) => run(sql, 'lock', lockWriters(id)));
  });

  it('a stop signal also ends VACUUM of freshly loaded tables', async () => {
    const ids = [await keyed(), await keyed(), await keyed()];
    for (const id of ids) {
      await store.write((sql) => sql.rows({ text: `ALTER TABLE "${id}" SET (autovacuum_enabled = false)` }));
      await ask(id);
    }
    await flushShapes(call());
    const stop = new AbortController();
    const sent: string[] = [];
    const stopping = interrupted(store, (sql, statement, values) => {
      if (statement.text.includes('VACUUM')) {
        sent.push(statement.text);
        stop.abort();
      }
      return sql.rows(statement, values);
    });
    const stopped = { ...call(), stores: { ...call().stores, datastore: stopping } };
    await expect(keepIndexes(stopped, SMALL, stop.signal)).rejects.toThrow();
    expect(sent).toHaveLength(1);
    await keepIndexes(call(), SMALL);
    for (const id of ids) expect(await indexesOf(id)).toMatchObject([{ isValid: true }]);
  });

  it('another process builds none, and a stop signal ends the run', async () => {
    const id = await keyed();
    const stop = new AbortController();
    await ask(id);
    await flushShapes(call());
    await store.write(async (sql) => {
      await sql.rows({ text: `UPDATE "${id}" SET c = c WHERE k = 199` });
      const making = keepIndexes(call(), SMALL, stop.signal);
      await until(() => isMaking(id));
      const free = await store.sql.rows<{ free: boolean }>({
        text: `SELECT pg_try_advisory_lock(hashtextextended('automatic indexes', 5432)) AS free`,
      });
      expect(free).toEqual([{ free: false }]);
      stop.abort();
      await expect(making).rejects.toThrow();
    });
    await keepIndexes(call(), SMALL);
    expect(await indexesOf(id)).toMatchObject([{ isValid: true }]);
  });
});

it('query shapes of a table are limited in memory and in the database', async () => {
  const names = Array.from({ length: 45 }, (_, n) => `f${n}`);
  const id = await table({ fields: names.map((name) => ({ id: name, type: 'int' })), records: [{ f0: 1 }] });
  for (let from = 0; from < 45; from += 15) {
    for (const name of names.slice(from, from + 15)) await search({ resource_id: id, filters: { [name]: 1 } });
    await flushShapes(call());
  }
  for (const name of names.slice(0, 25)) await search({ resource_id: id, filters: { [name]: 1 } });
  await flushShapes(call());
  const rows = await world.database.sql.rows<{ uses: number }>({
    text: `SELECT uses FROM table_shape WHERE resource_id = '${id}' AND shape <> '' ORDER BY uses DESC`,
  });
  expect(rows.length).toBe(40);
  expect(rows.filter(({ uses }) => uses > 1.5).length).toBeLessThanOrEqual(20); // of 25 in one flush
});
