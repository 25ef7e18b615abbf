/** Totals of searches with filters: stored by version of the rows, exact after every event, and in one pass with the page. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addWords, replaceByRecords, replaceTable } from '../../src/datastore/rows/load.store.ts';
import { countFound } from '../../src/datastore/rows/rows.store.ts';
import { planSearch } from '../../src/datastore/rows/search.plan.ts';
import { tableSource } from '../../src/datastore/rows/search.sql.ts';
import { keepTotal, knownTotal, MAX_TOTALS } from '../../src/datastore/rows/totals.ts';
import { COUNTS, ownTables } from '../../src/datastore/tables/counts.sql.ts';
import { noteCount } from '../../src/datastore/tables/counts.store.ts';
import { listColumns } from '../../src/datastore/tables/tables.sql.ts';
import { type Datastore, openDatastore } from '../../src/infra/postgres/datastore.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { backUp, restoreFrom } from '../helpers/backups.ts';
import { createDatastore, createEmptyDatabase } from '../helpers/database.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let table: Tables['table'];
let write: Tables['write'];
let change: Tables['change'];
let search: Tables['search'];
let store: Datastore;

beforeAll(async () => {
  ({ world, table, write, change, search, store } = await createTables({}, { counts: true }));
});
afterAll(() => world.end());

const rows = (n: number, from = 0) =>
  Array.from({ length: n }, (_, at) => ({ k: from + at, g: (from + at) % 3, t: `w${(from + at) % 5}` }));
const keyed = (n = 30) => table({ primary_key: 'k', records: rows(n) });
const sent = async (work: () => Promise<unknown>): Promise<string> => (await world.statementsOf(work)).join('\n');

/** Milliseconds after which a search reads the columns of its table again, with a margin. */
const MAX_AGE = 1_100;
/** Part of the SQL of a search that does not count. */
const UNCOUNTED = 'NULL::float8 AS total';

/** Totals by search and by connection, compared with a plain scan. */
async function totalOf(id: string, g = 1): Promise<number> {
  const [{ n }] = (await store.sql.rows({ text: `SELECT count(*)::int AS n FROM "${id}" WHERE g = ${g}` })) as [
    { n: number },
  ];
  expect((await search({ resource_id: id, filters: { g } })).total).toBe(n);
  const query = `{ table(id: "${id}") { records(first: 1, filter: [{ field: "g", eq: ${g} }]) { totalCount } } }`;
  expect((await world.graph(query)).body.data.table.records.totalCount).toBe(n);
  return n;
}

it.each<[string, string[], (number: string) => string, number[]]>([
  ['comparisons', ['1', '2', '3'], (number) => `{ "gt": ${number} }`, [3, 0, 1]],
  ['lists', ['infinity', '-infinity', '-infinity'], (number) => `[${number}]`, [2, 1]],
])('differs for infinite numbers of both signs in %s, which JSON writes alike', async (_what, xs, filter, totals) => {
  const resource_id = await table({ fields: [{ id: 'x', type: 'float8' }], records: xs.map((x) => ({ x })) });
  const total = async (number: string) => {
    const answer = await fetch(`${world.base}/api/3/action/datastore_search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{ "resource_id": "${resource_id}", "filters": { "x": ${filter(number)} } }`,
    });
    return ((await answer.json()) as { result: { total: number } }).result.total;
  };
  const last = async () => (xs.includes('2') ? [await total('2')] : []);
  for (let time = 0; time < 2; time += 1)
    expect([await total('-1e999'), await total('1e999'), ...(await last())]).toEqual(totals);
});

it.each(['json', 'jsonb'])('differs for strings and other values of %s', async (type) => {
  const values = [1, 1, 1, '1', true, 'true', 'true', { a: 1 }, { a: 1 }, '{"a":1}'];
  const id = await table({ fields: [{ id: 'j', type }], records: values.map((j) => ({ j })) });
  for (const order of [values, [...values].reverse()]) {
    for (const j of order) {
      const expected = values.filter((value) => JSON.stringify(value) === JSON.stringify(j)).length;
      expect(await search({ resource_id: id, filters: { j } })).toMatchObject({ total: expected });
      const filter = '[{ field: "j", eq: $j }]';
      const query = `query ($j: JSON) { table(id: "${id}") { records(filter: ${filter}) { totalCount } } }`;
      if (typeof j === 'object') continue; // the graph compares with scalars and JSON columns alike, tested above
      expect((await world.graph(query, { j })).body.data.table.records.totalCount).toBe(expected);
    }
    await write('datastore_upsert', { resource_id: id, method: 'insert', records: [{ j: null }] });
  }
});

describe('the total of a search for words', () => {
  it('comes with the records, and is counted separately for an empty page', async () => {
    const id = await keyed();
    const params = { resource_id: id, q: 'w1' };
    await search(params);
    const ask = (more: object) => sent(async () => expect((await search({ ...params, ...more })).total).toBe(6));
    await write('datastore_upsert', { resource_id: id, records: [{ k: 100, t: 'other' }] });
    expect(await ask({ limit: 2 })).not.toMatch(/count\(\*\) FROM/);
    await write('datastore_upsert', { resource_id: id, records: [{ k: 101, t: 'other' }] });
    expect(await ask({ limit: 2, offset: 50 })).toMatch(/count\(\*\) FROM/);
    expect(await ask({ limit: 2, offset: 50 })).not.toContain('EXPLAIN');
    for (const records_format of ['lists', 'csv', 'tsv', 'objects']) {
      await write('datastore_upsert', { resource_id: id, records: [{ k: 101, t: 'other' }] });
      expect(await ask({ records_format })).not.toMatch(/count\(\*\) FROM/);
    }
  });
});

describe('a stored total', () => {
  it('is counted once, until the next write', async () => {
    const id = await keyed();
    const ask = () => search({ resource_id: id, filters: { g: 1 }, sort: 't' });
    expect(await sent(ask)).toContain('_found');
    const again = await sent(ask);
    expect(again).toContain(UNCOUNTED);
    expect(again).not.toMatch(/EXPLAIN|count\(\*\)/);
    await write('datastore_upsert', { resource_id: id, records: [{ k: 0, g: 1 }] });
    expect((await ask()).total).toBe(11);
  });

  it('is counted in one pass with the page, also after a write', async () => {
    const id = await keyed();
    const ask = () => search({ resource_id: id, filters: { g: 1 }, sort: 't' });
    await ask();
    await change('datastore_upsert', { resource_id: id, records: [{ k: 0, g: 1 }] });
    await sleep(MAX_AGE); // the columns are read again
    const statements = await sent(ask);
    expect(statements).toContain('_found');
    expect(statements).not.toContain(UNCOUNTED);
  });

  it('is exact after every kind of write', async () => {
    const id = await keyed();
    expect(await totalOf(id)).toBe(10);
    await change('datastore_upsert', { resource_id: id, method: 'insert', records: rows(6, 30) });
    expect(await totalOf(id)).toBe(12);
    await change('datastore_upsert', { resource_id: id, method: 'update', records: [{ k: 0, g: 1 }] }); // as many rows as before
    expect(await totalOf(id)).toBe(13);
    await change('datastore_upsert', {
      resource_id: id,
      records: [
        { k: 0, g: 2 },
        { k: 500, g: 1 },
      ],
    });
    expect(await totalOf(id)).toBe(13);
    await change('datastore_create', { resource_id: id, records: [{ k: 600, g: 1 }] });
    expect(await totalOf(id)).toBe(14);
    const fields = Object.entries({ k: 'int', g: 'int', t: 'text', late: 'int' }).map(([id, type]) => ({ id, type }));
    await change('datastore_create', { resource_id: id, fields });
    expect(await totalOf(id)).toBe(14);
    await change('datastore_records_delete', { resource_id: id, filters: { k: 600 } });
    expect(await totalOf(id)).toBe(13);
    await change('datastore_delete', { resource_id: id, filters: { g: 1 } });
    expect(await totalOf(id)).toBe(0);
    await change('datastore_delete', { resource_id: id });
    await change('datastore_create', { resource_id: id, records: rows(9) });
    expect(await totalOf(id)).toBe(3);
  });

  it('is exact after a file is loaded, after its words are indexed, and after a harvest', async () => {
    const id = await keyed();
    expect(await totalOf(id)).toBe(10);
    const { signal } = new AbortController();
    const fields = ['k', 'g'].map((name) => ({ id: name, type: 'int', info: null }));
    const settle = async () => {};
    const file = () => Readable.from([Buffer.from('1,1\n2,1\n3,2\n')]);
    await replaceTable(store, id, {
      fields,
      delimiter: ',',
      rows: file,
      count: () => 3,
      signal,
      ready: settle,
      settle,
    });
    expect(await totalOf(id)).toBe(2);
    await addWords(store, id, signal);
    expect(await totalOf(id)).toBe(2);
    const pages = async function* () {
      yield [{ k: 1, g: 1 }];
    };
    await replaceByRecords(store, id, { fields, primaryKey: [], aliases: [], pages, signal }, settle);
    expect(await totalOf(id)).toBe(1);
  });

  it('stays exact after a refused, dry-run or rolled-back write', async () => {
    const id = await keyed();
    expect(await totalOf(id)).toBe(10);
    await write('datastore_upsert', { resource_id: id, records: [{ k: 90, g: 1 }, { k: 'x' }] });
    await write('datastore_upsert', { resource_id: id, records: [{ k: 90, g: 1 }], dry_run: true });
    const undone = store.write(async (sql) => {
      await sql.rows({ text: `INSERT INTO "${id}" (k, g) VALUES (91, 1)` });
      await noteCount(sql, id, 1);
      expect(await totalOf(id)).toBe(10); // readers during the write
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await totalOf(id)).toBe(10);
  });

  it('survives a writer that is killed before its commit, and one that is killed after it', async () => {
    const id = await keyed();
    expect(await totalOf(id)).toBe(10);
    const url = store.pools.datastore_write!.options.connectionString;
    const program = `import pg from 'pg';
      const client = new pg.Client({ connectionString: process.argv[1] });
      await client.connect();
      await client.query('BEGIN');
      await client.query('INSERT INTO "${id}" (k, g) VALUES (' + process.argv[2] + ', 1)');
      await client.query('INSERT INTO "${COUNTS}" (relation, n) VALUES ($1, 1)', ['${id}']);
      if (process.argv[3] === 'after') await client.query('COMMIT');
      process.kill(process.pid, 'SIGKILL');`;
    const killed = (k: number, when: string) =>
      once(
        spawn(process.execPath, ['--input-type=module', '-e', program, String(url), String(k), when], {
          cwd: projectRoot,
          stdio: 'inherit',
        }),
        'exit',
      );
    expect(await killed(91, 'before')).toEqual([null, 'SIGKILL']);
    expect(await totalOf(id)).toBe(10);
    expect(await killed(92, 'after')).toEqual([null, 'SIGKILL']);
    expect(await totalOf(id)).toBe(11);
  });

  it('is that of the restored rows in a restored DataStore, although the process has stored a later one', async () => {
    const id = await keyed();
    const folder = mkdtempSync(join(tmpdir(), 'totals-'));
    const [catalog, datastore] = await Promise.all([createEmptyDatabase(), createDatastore()]);
    const from = { 'catalog.database_url': world.database.url, 'catalog.data_dir': join(folder, 'from') };
    const to = {
      'catalog.database_url': catalog.url,
      'catalog.datastore.write_url': datastore.writeUrl,
      'catalog.datastore.read_url': datastore.readUrl,
      'catalog.data_dir': join(folder, 'to'),
    };
    const restored = openDatastore(settingsForTests(to), ownTables)!;
    try {
      const { file } = await backUp({ ...world.settings, ...from, 'catalog.secret': 'a secret of this test' }, folder);
      await write('datastore_upsert', { resource_id: id, records: [{ k: 90, g: 1 }] });
      expect(await totalOf(id)).toBe(11);
      await restoreFrom(settingsForTests(to), file);
      const source = tableSource(id, await listColumns(restored.sql, id));
      const { plan } = planSearch({ filters: { g: 1 } }, source.columns);
      expect(await countFound(restored.sql, source, plan)).toMatchObject({ total: 10 });
      expect(await totalOf(id)).toBe(11);
    } finally {
      await restored.close();
      await Promise.all([catalog.end(), datastore.end()]);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is exact for readers during concurrent writes', async () => {
    const id = await keyed();
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 8; n += 1)
        await write('datastore_upsert', { resource_id: id, records: [{ k: 1_000 + writer * 10 + n, g: n % 2 }] });
    });
    let isOver = false;
    const reader = (async () => {
      for (let least = 0; !isOver; ) {
        const { total } = await search({ resource_id: id, filters: { g: 1 }, limit: 1000 });
        expect(total).toBeGreaterThanOrEqual(least);
        least = total;
      }
    })();
    const pages = (async () => {
      while (!isOver) {
        const { total, records } = await search({ resource_id: id, filters: { g: [1] }, limit: 1000, sort: 't' });
        expect(records).toHaveLength(total); // one snapshot
      }
    })();
    await Promise.all(writers);
    isOver = true;
    await Promise.all([reader, pages]);
    expect(await totalOf(id)).toBe(26);
  });

  it('is not stored for conditions that depend on the time', async () => {
    const id = await table({
      fields: [
        { id: 'at', type: 'timestamp' },
        { id: 'd', type: 'date' },
      ],
      records: [{ at: '2020-01-01T00:00:00' }],
    });
    for (const filters of [{ at: { lt: 'now' } }, { d: 'today' }, { at: ['tomorrow'] }]) {
      await search({ resource_id: id, filters });
      expect(await sent(() => search({ resource_id: id, filters }))).not.toContain(UNCOUNTED);
    }
    const filters = { at: { lte: '2020-01-01T00:00:00Z' } };
    await search({ resource_id: id, filters });
    expect(await sent(() => search({ resource_id: id, filters }))).toContain(UNCOUNTED);
  });

  it('is not computed for requests without a total', async () => {
    const id = await keyed();
    const pages = async () => {
      expect(await search({ resource_id: id, filters: { g: 1 }, include_total: false })).not.toHaveProperty('total');
      await world.graph(
        `{ table(id: "${id}") { records(filter: [{ field: "g", eq: 1 }]) { nodes pageInfo { hasNextPage } } } }`,
      );
      await world.request(`/datastore/dump/${id}?filters={"g":1}`);
    };
    expect(await sent(pages)).not.toMatch(/count\(\*\)|EXPLAIN/);
  });

  it('is evicted when there are too many', () => {
    for (let n = 0; n <= MAX_TOTALS; n += 1) keepTotal(`edge ${n}`, '1', n);
    expect([knownTotal('edge 0'), knownTotal(`edge ${MAX_TOTALS}`)]).toEqual([
      undefined,
      { version: '1', total: MAX_TOTALS },
    ]);
  });
});

it('estimates totals above a threshold, like later versions of CKAN', async () => {
  const id = await table({ primary_key: 'k', records: rows(3_000), calculate_record_count: true });
  const asked = (params: object) => search({ resource_id: id, limit: 1, ...params });
  const estimated = await asked({ filters: { g: 1 }, total_estimation_threshold: 100 });
  expect(estimated.total_was_estimated).toBe(true);
  expect(Math.abs(estimated.total - 1_000)).toBeLessThan(200);
  for (const [params, total] of [
    [{ filters: { g: 2 }, total_estimation_threshold: 100_000 }, 1_000],
    [{ filters: { g: 2 }, total_estimation_threshold: 100 }, 1_000], // already stored
    [{ total_estimation_threshold: 1 }, 3_000],
    [{ filters: { g: 0 } }, 1_000],
  ] as const)
    expect(await asked(params)).toMatchObject({ total, total_was_estimated: false });
  await change('datastore_upsert', { resource_id: id, records: [{ k: 5_000, g: 2 }] });
  expect(await asked({ filters: { g: 2 }, total_estimation_threshold: 100 })).toMatchObject({
    total_was_estimated: true, // the stored total is of the previous version of the table
  });
  const { body } = await world.action('datastore_search', { resource_id: id, total_estimation_threshold: -1 });
  expect(body.error.total_estimation_threshold).toEqual([expect.stringContaining('at least 0')]);
});
