/** Automatic indexes that cannot be built: full disk, and values that are too long. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listAutoIndexes } from '../../src/datastore/indexes/indexes.sql.ts';
import { flushShapes, keepIndexes } from '../../src/datastore/indexes/keep.service.ts';
import { unavailable } from '../../src/infra/postgres/failures.ts';
import { createTables, interrupted, type Tables } from '../helpers/tables.ts';

let tables: Tables;
beforeAll(async () => {
  tables = await createTables();
});
afterAll(() => tables.world.end());

const SMALL = { minRows: 10, minUses: 5 };
const call = () => tables.world.app.callAs(tables.world.system);
const indexesOf = (id: string) => listAutoIndexes(tables.store.sql, [id]);
const rows = (n: number) => Array.from({ length: n }, (_, k) => ({ k, a: k % 3, t: `w${k % 5}` }));

/** Creates a table and reads it with each of these filters. */
async function read(filters: readonly object[], params: object = {}): Promise<string> {
  const id = await tables.table({ primary_key: 'k', records: rows(100), ...params });
  for (const filter of filters)
    for (let time = 0; time < 6; time += 1) await tables.search({ resource_id: id, filters: filter, limit: 0 });
  await flushShapes(call());
  return id;
}

it('a full disk ends the run, and the partial index is dropped immediately', async () => {
  const ids = [await read([{ a: 1 }]), await read([{ a: 1 }])];
  let builds = 0;
  const full = interrupted(tables.store, async (sql, statement, values) => {
    if (!statement.text.includes('CREATE INDEX')) return sql.rows(statement, values);
    builds += 1;
    // Values that are not unique leave an invalid index, as a full disk does.
    await sql
      .rows({ text: statement.text.replace(/CREATE INDEX(.*), "_id"/, 'CREATE UNIQUE INDEX$1') })
      .catch(() => {});
    throw unavailable('No space', Object.assign(new Error('No space left on device'), { code: '53100' }));
  });
  await keepIndexes({ ...call(), stores: { ...call().stores, datastore: full } }, SMALL);
  expect(builds).toBe(1);
  expect([await indexesOf(ids[0]!), await indexesOf(ids[1]!)]).toEqual([[], []]);
  await keepIndexes(call(), SMALL); // the other table is next
  expect((await Promise.all(ids.map(indexesOf))).flat()).toMatchObject([{ isValid: true }]);
});

const long = Array.from({ length: 9_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join('');

/** Values that are too long for an index. PostgreSQL names the index only in the error for the first one. */
const LONG = [
  ['is named by PostgreSQL', long.slice(0, 1_200)],
  ['is not named', long],
] as const;

it.each(LONG)('a value that is too long drops only the text index, where the index %s', async (_what, t) => {
  const id = await read([{ a: 1 }, { t: 'w1' }]);
  await keepIndexes(call(), SMALL);
  expect((await indexesOf(id)).map(({ columns }) => columns).sort()).toEqual([['a'], ['t']]);
  await tables.change('datastore_upsert', { resource_id: id, records: [{ k: 500, t }] });
  expect((await indexesOf(id)).map(({ columns }) => columns)).toEqual([['a']]);
});

it.each(LONG)('a dry run of such a value succeeds and drops nothing, where the index %s', async (_what, t) => {
  const id = await read([{ a: 1 }, { t: 'w1' }]);
  await keepIndexes(call(), SMALL);
  await tables.change('datastore_upsert', { resource_id: id, records: [{ k: 500, t }], dry_run: true });
  expect((await indexesOf(id)).map(({ columns }) => columns).sort()).toEqual([['a'], ['t']]);
  expect((await tables.search({ resource_id: id, filters: { k: 500 } })).total).toBe(0);
});

it('a value that is too long for a declared index is refused, and drops nothing', async () => {
  const id = await read([{ a: 1 }], { indexes: ['t'] });
  await keepIndexes(call(), SMALL);
  const { body } = await tables.write('datastore_upsert', { resource_id: id, records: [{ k: 500, t: long }] });
  expect(body.success).toBe(false);
  expect(await indexesOf(id)).toMatchObject([{ columns: ['a'] }]);
});
