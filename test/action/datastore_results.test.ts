/** Results of callers' SQL and of aggregates: stored by version of their tables from the second request on, and exact after every event. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { betweenVersions, MAX_RESULT, storedResult } from '../../src/datastore/results.service.ts';
import { tableAggregate } from '../../src/datastore/rows/aggregate.service.ts';
import { noteCount } from '../../src/datastore/tables/counts.store.ts';
import { listColumns } from '../../src/datastore/tables/tables.sql.ts';
import { cacheCounts } from '../../src/infra/concurrency/lru.ts';
import type { Datastore } from '../../src/infra/postgres/datastore.ts';
import type { Sql } from '../../src/infra/postgres/db.ts';
import { JsonText } from '../../src/kernel/json.ts';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

let tables: Tables;
let world: World;
let store: Datastore;
beforeAll(async () => {
  tables = await createTables({}, { counts: true });
  ({ world, store } = tables);
});
afterAll(() => world.end());

const rows = (n: number, from = 0) => Array.from({ length: n }, (_, at) => ({ k: from + at, g: (from + at) % 3 }));
const keyed = (n = 30) => tables.table({ primary_key: 'k', records: rows(n) });
const sumOf = (id: string) => `SELECT g, count(*) AS n, sum(k) AS s FROM "${id}" GROUP BY g ORDER BY g`;

const bySql = async (sql: string, as: TestUser | null = null) =>
  (await world.result('datastore_search_sql', { sql }, { as })).records;

async function groupsOf(id: string, args = 'groupBy: [{ field: "g" }], figures: [{ figure: SUM, field: "k" }]') {
  const query = `{ table(id: "${id}") { aggregate(${args}) { totalCount nodes { key { value } count figures { value } } } } }`;
  const { body } = await world.graph(query);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.table.aggregate;
}

/** Whether PostgreSQL computed the result of `work`. */
async function isComputed(work: () => Promise<unknown>): Promise<boolean> {
  return /datastore_(search_sql|groups|group_count) /.test((await world.statementsOf(work)).join('\n'));
}

/** Reads one table through the result cache, as SQL does. */
function stored<Result>(from: Datastore, id: string, key: string, read: () => Promise<Result>): Promise<Result> {
  const own = new Set([id]);
  return storedResult(from, own, `${key} ${id}`, (repeat) => betweenVersions(from, own, repeat, read));
}

/** Compares both results with a plain scan, three times. Returns the sums. */
async function exact(id: string): Promise<(string | null)[]> {
  const scan = await store.sql.rows<{ g: number; n: string; s: string }>({ text: sumOf(id) });
  for (let time = 0; time < 3; time += 1) {
    const found = (await bySql(sumOf(id))) as { g: number; n: string; s: string }[];
    expect(found.map(({ g, n, s }) => [g, Number(n), Number(s)])).toEqual(
      scan.map(({ g, n, s }) => [g, Number(n), Number(s)]),
    );
    const { totalCount, nodes } = await groupsOf(id);
    expect(totalCount).toBe(scan.length);
    expect(nodes).toEqual(
      scan.map(({ g, n, s }) => ({ key: [{ value: String(g) }], count: Number(n), figures: [{ value: s }] })),
    );
  }
  return scan.map(({ s }) => s);
}

describe('a result', () => {
  it.each<[string, (id: string) => Promise<unknown>]>([
    ['SQL', (id) => bySql(sumOf(id))],
    ['an aggregate', (id) => groupsOf(id)],
    ['a page after a cursor', (id) => groupsOf(id, 'groupBy: [{ field: "g" }], last: 2')],
  ])('of %s is stored from the second request on, until the next write', async (_what, ask) => {
    const id = await keyed();
    const computed = async () => [
      await isComputed(() => ask(id)),
      await isComputed(() => ask(id)),
      await isComputed(() => ask(id)),
    ];
    expect(await computed()).toEqual([true, true, false]);
    await tables.change('datastore_upsert', { resource_id: id, records: [{ k: 0, g: 1 }] });
    expect(await computed()).toEqual([true, false, false]);
  });

  it('is exact after every kind of write', async () => {
    const id = await keyed();
    const before = await exact(id);
    const changed = async (name: string, params: object) => {
      await tables.change(name, { resource_id: id, ...params });
      return exact(id);
    };
    expect(await changed('datastore_upsert', { method: 'insert', records: rows(6, 30) })).not.toEqual(before);
    await changed('datastore_upsert', { method: 'update', records: [{ k: 0, g: 1 }] });
    await changed('datastore_upsert', { records: [{ k: 0, g: 2 }] });
    await changed('datastore_create', { fields: ['k', 'g', 'late'].map((id) => ({ id, type: 'int' })) });
    await changed('datastore_create', { records: [{ k: 600, g: 1 }] });
    await changed('datastore_records_delete', { filters: { k: 600 } });
    await tables.change('datastore_delete', { resource_id: id });
    await changed('datastore_create', { records: rows(9), primary_key: 'k' });
    expect(await changed('datastore_delete', { filters: { g: 1 } })).toHaveLength(2);
  });

  it('stays exact after a refused or rolled-back write, and during a write', async () => {
    const id = await keyed();
    const before = await exact(id);
    await tables.write('datastore_upsert', { resource_id: id, records: [{ k: 90, g: 1 }, { k: 'x' }] });
    const undone = store.write(async (sql) => {
      await sql.rows({ text: `INSERT INTO "${id}" (k, g) VALUES (91, 1)` });
      await noteCount(sql, id, 1);
      expect(await exact(id)).toEqual(before);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await exact(id)).toEqual(before);
  });

  it('is never older than the last write that its reader saw acknowledged', async () => {
    const id = await keyed(1);
    let written = 1;
    let isOver = false;
    const writer = (async () => {
      for (let k = 1; k < 60; k += 1) {
        await tables.change('datastore_upsert', { resource_id: id, records: [{ k, g: 0 }] });
        written = k + 1;
      }
      isOver = true;
    })();
    const readers = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        const least = written;
        const [{ n }] = (await bySql(`SELECT count(*)::int AS n FROM "${id}"`)) as [{ n: number }];
        const { nodes } = await groupsOf(id, 'figures: [{ figure: MAX, field: "k" }]');
        expect(Math.min(n, nodes[0].count)).toBeGreaterThanOrEqual(least);
        expect(nodes[0].figures[0].value).toBe(String(nodes[0].count - 1)); // from one snapshot
      }
    });
    await Promise.all([writer, ...readers]);
  });

  it('of several tables changes with each table', async () => {
    const [one, two] = [await keyed(3), await keyed(3)];
    const sql = `SELECT (SELECT count(*) FROM "${one}")::int AS a, (SELECT count(*) FROM "${two}")::int AS b`;
    for (let n = 3; n < 6; n += 1) {
      for (let time = 0; time < 3; time += 1) expect(await bySql(sql)).toEqual([{ a: n, b: 3 }]);
      await tables.change('datastore_upsert', { resource_id: one, records: rows(1, n) });
    }
    await tables.change('datastore_upsert', { resource_id: two, records: rows(1, 90) });
    expect(await bySql(sql)).toEqual([{ a: 6, b: 4 }]);
  });

  it('of many tables in a list takes one statement for all their versions', async () => {
    const ids = [await keyed(3), await keyed(4), await keyed(5)];
    const ask = () => Promise.all(ids.map((id) => stored(store, id, 'list', async () => `found ${id}`)));
    for (let time = 0; time < 2; time += 1) await ask();
    let again: string[] = [];
    const statements = await world.statementsOf(async () => {
      again = await ask();
    });
    expect(again).toEqual(ids.map((id) => `found ${id}`));
    expect(statements).toEqual([expect.stringContaining('datastore_versions')]);
  });

  it('by alias is that of the table which currently has the alias', async () => {
    const [one, two] = [await keyed(3), await keyed(5)];
    const sql = 'SELECT count(*)::int AS n FROM "movable"';
    for (const [id, n] of [
      [one, 3],
      [two, 5],
    ] as const) {
      await tables.change('datastore_create', { resource_id: one, aliases: [] });
      await tables.change('datastore_create', { resource_id: id, aliases: ['movable'] });
      for (let time = 0; time < 3; time += 1) expect(await bySql(sql)).toEqual([{ n }]);
    }
  });

  it('by two aliases changes when they are swapped', async () => {
    const [one, two] = [await keyed(3), await keyed(5)];
    const sql =
      'SELECT (SELECT count(*)::int FROM "first alias") AS a, (SELECT count(*)::int FROM "second alias") AS b';
    const name = (id: string, ...aliases: string[]) => tables.change('datastore_create', { resource_id: id, aliases });
    for (const [first, second, records] of [
      [one, two, [{ a: 3, b: 5 }]],
      [two, one, [{ a: 5, b: 3 }]],
      [one, two, [{ a: 3, b: 5 }]],
    ] as const) {
      await name(one);
      await name(two);
      await name(first, 'first alias');
      await name(second, 'second alias');
      for (let time = 0; time < 3; time += 1) expect(await bySql(sql)).toEqual(records);
    }
  });

  it("of an administrator's view depends on all tables that it reads, and so does access to it", async () => {
    const ids = [await keyed(3), await keyed(5)];
    for (const [at, id] of ids.entries()) {
      const view = `two_tables_${at}`;
      const [one, two] = at === 0 ? ids : ids.toReversed();
      await store.write(async (sql) => {
        await sql.rows({ text: `CREATE VIEW ${view} AS SELECT a.k FROM "${one}" a JOIN "${two}" b USING (k)` });
        await sql.rows({ text: `GRANT SELECT ON ${view} TO PUBLIC` });
      });
      const ask = async () => Number((await bySql(`SELECT count(*) AS n FROM ${view}`))[0].n);
      for (let time = 0; time < 3; time += 1) expect(await ask()).toBe(3 - at);
      await tables.change('datastore_records_delete', { resource_id: id, filters: { k: at } });
      expect(await ask()).toBe(2 - at);
    }
    for (const id of ids) {
      const { package_id } = await world.result('resource_show', { id });
      await tables.change('package_patch', { id: package_id, private: true });
      for (const view of ['two_tables_0', 'two_tables_1'])
        await expect(bySql(`SELECT k FROM ${view}`)).rejects.toThrow('Access denied');
      await tables.change('package_patch', { id: package_id, private: false });
    }
  });

  it('of an aggregate is stored, although a column name contains "now"', async () => {
    const id = await tables.table({ fields: [{ id: 'snow', type: 'int' }], records: [{ snow: 1 }] });
    const ask = () => groupsOf(id, 'filter: [{ field: "snow", gt: 0 }], groupBy: [{ field: "snow" }]');
    for (let time = 0; time < 2; time += 1) await ask();
    expect(await isComputed(ask)).toBe(false);
  });

  it('of an outdated version frees its capacity', async () => {
    const id = await keyed(1);
    const before = cacheCounts().get('datastore_results')!.hits;
    let bytes = MAX_RESULT;
    const ask = () => stored(store, id, 'grows', async () => new JsonText(Buffer.alloc(bytes, 32)));
    for (let time = 0; time < 3; time += 1) await ask();
    expect(cacheCounts().get('datastore_results')!.hits).toBe(before + 1);
    await tables.change('datastore_upsert', { resource_id: id, records: [{ k: 0, g: 1 }] });
    bytes += 1;
    for (let time = 0; time < 3; time += 1) await ask();
    expect(cacheCounts().get('datastore_results')!.hits).toBe(before + 2);
  });

  it('of an alias that moves while the statement runs is not stored', async () => {
    const [one, two] = [await keyed(3), await keyed(5)];
    await tables.change('datastore_create', { resource_id: one, aliases: ['moves'] });
    const ask = (before: () => Promise<unknown>) =>
      stored(store, one, 'moves', async () => {
        await before();
        return (await store.sql.rows<{ n: number }>({ text: 'SELECT count(*)::int AS n FROM "moves"' }))[0]!.n;
      });
    const still = async () => {};
    expect(await ask(still)).toBe(3);
    const move = async (from: string, to: string) => {
      await tables.change('datastore_create', { resource_id: from, aliases: [] });
      await tables.change('datastore_create', { resource_id: to, aliases: ['moves'] });
    };
    expect(await ask(() => move(one, two))).toBe(5);
    await move(two, one);
    expect(await ask(still)).toBe(3);
  });

  it('of an aggregate is not reused for other column types', async () => {
    const id = await tables.table({
      fields: [{ id: 'x', type: 'text' }],
      records: [{ x: '12345678901234567890.120' }],
    });
    const call = world.app.callAs(world.system);
    const columns = await listColumns(store.sql, id);
    const args = { groupBy: [{ field: 'x' }] };
    const ask = async (type: string) => {
      const typed = columns.map((column) => (column.id === 'x' ? { ...column, type } : column));
      const { nodes } = await tableAggregate(call, { resourceId: id, columns: typed }, args);
      return nodes[0]!.key[0]!.value;
    };
    await store.write((sql) => sql.rows({ text: `ALTER TABLE "${id}" ALTER x TYPE numeric USING x::numeric` }));
    for (let time = 0; time < 3; time += 1) await ask('text');
    expect(await ask('numeric')).toBe('12345678901234567890.120');
  });

  it('is returned even if reading the version after it fails', async () => {
    const id = await keyed(1);
    let reads = 0;
    const failing: Datastore = {
      ...store,
      sql: { rows: (...args) => (++reads === 2 ? Promise.reject(new Error('gone')) : store.sql.rows(...args)) } as Sql,
    };
    const ask = () => stored(failing, id, 'lost', async () => 'found');
    for (let time = 0; time < 4; time += 1) expect(await ask()).toBe('found');
    expect(reads).toBe(5); // by request: none, two (one failed), two, one
  });

  it('is not stored if connections may lead to different servers', async () => {
    const id = await keyed(1);
    let ran = 0;
    const ask = (readsOneServer: boolean) =>
      stored({ ...store, readsOneServer }, id, 'servers', async () => (ran += 1));
    for (let time = 0; time < 3; time += 1) await ask(false);
    expect(ran).toBe(3);
    for (let time = 0; time < 3; time += 1) await ask(true);
    expect(ran).toBe(4);
  });

  it('is not returned to readers who may not read the table', async () => {
    const id = await tables.table({ primary_key: 'k', records: rows(3) }, true);
    for (let time = 0; time < 3; time += 1) expect(await bySql(sumOf(id), tables.member)).toHaveLength(3);
    for (const as of [null, tables.stranger]) {
      const { body } = await world.action('datastore_search_sql', { sql: sumOf(id) }, { as });
      expect(body).toMatchObject({ success: false, error: { __type: 'Authorization Error' } });
    }
    expect((await world.graph(`{ table(id: "${id}") { aggregate { totalCount } } }`)).body.data.table).toBeNull();
  });

  it('has the number format and the row limit of the request', async () => {
    const id = await keyed(3);
    const query = `query ($exact: Boolean, $rows: Int) {
      tableQuery(sql: "SELECT k::numeric AS k FROM \\"${id}\\" ORDER BY k", exactNumbers: $exact, maxRows: $rows) { records } }`;
    for (let time = 0; time < 3; time += 1)
      for (const [exact, rows, records] of [
        [false, null, ['0', '1', '2']],
        [true, null, [0, 1, 2]],
        [true, 2, [0, 1]],
      ] as const) {
        const { body } = await world.graph(query, { exact, rows });
        expect(body.data.tableQuery.records.map(({ k }: { k: unknown }) => k)).toEqual(records);
      }
  });

  it('differs for positive and negative infinity, which JSON lacks', async () => {
    const xs = ['infinity', '-infinity', '-infinity', '1'];
    const id = await tables.table({ fields: [{ id: 'x', type: 'float8' }], records: xs.map((x) => ({ x })) });
    for (let time = 0; time < 3; time += 1)
      for (const [bound, count] of [
        ['{ field: "x", gte: 1e999 }', 1],
        ['{ field: "x", lte: -1e999 }', 2],
      ] as const)
        expect((await groupsOf(id, `filter: [${bound}]`)).nodes[0].count).toBe(count);
  });

  it.each([
    ['SELECT now() AS at, word FROM $T', true],
    ["SELECT count(*) FROM $T WHERE at < 'today'", true],
    ['SELECT d FROM $T WHERE d = current_date', true],
    ['SELECT word::date AS d FROM $T', true],
    ["SELECT count(*) FROM $T WHERE at < '2020-01-01'", false],
  ])('of %s is computed each time: %s', async (text, always) => {
    const fields = [
      { id: 'at', type: 'timestamp' },
      { id: 'd', type: 'date' },
      { id: 'word', type: 'text' },
    ];
    const id = await tables.table({ fields, records: [{ at: '2019-01-01', d: '2019-01-01', word: 'today' }] });
    const sql = text.replace('$T', `"${id}"`);
    for (let time = 0; time < 2; time += 1) await bySql(sql);
    expect(await isComputed(() => bySql(sql))).toBe(always);
  });

  it.each([
    ['filter: [{ field: "d", lt: "tomorrow" }]'],
    ['filter: [{ field: "ds", eq: "{t\\\\oday}" }]'],
    ['groupBy: [{ field: "word" }], having: [{ figure: MAX, field: "d", lt: "tomorrow" }]'],
  ])('of %s is computed each time', async (args) => {
    const fields = Object.entries({ d: 'date', ds: '_date', word: 'text' }).map(([id, type]) => ({ id, type }));
    const id = await tables.table({ fields, records: [{ d: '2019-01-01', word: 'a' }] });
    for (let time = 0; time < 2; time += 1) await groupsOf(id, args);
    expect(await isComputed(() => groupsOf(id, args))).toBe(true);
  });

  it.each([
    [MAX_RESULT, 2],
    [MAX_RESULT + 1, 4],
  ])('of %s bytes is computed %s times for four requests', async (bytes, runs) => {
    const id = await keyed(1);
    let ran = 0;
    const read = async () => {
      ran += 1;
      return new JsonText(Buffer.alloc(bytes, 32));
    };
    for (let time = 0; time < 4; time += 1) await stored(store, id, `edge ${bytes}`, read);
    expect(ran).toBe(runs);
  });
});
