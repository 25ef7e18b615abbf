/** /datastore/dump as Parquet: column types, search parameters, large files, and readers that disconnect. */
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let table: Tables['table'];
beforeAll(async () => {
  ({ world, table } = await createTables({ 'catalog.datastore.downloads_per_caller': 10 }));
});
afterAll(() => world.end());

async function get(path: string): Promise<{ status: number; file: ArrayBuffer }> {
  const answer = await fetch(`${world.base}/datastore/dump/${path}`);
  return { status: answer.status, file: await answer.arrayBuffer() };
}
async function read(path: string): Promise<Record<string, unknown>[]> {
  const { status, file } = await get(path);
  expect(status).toBe(200);
  return parquetReadObjects({ file });
}
const fill = (id: string, rows: string) =>
  world.app
    .callAs(world.system)
    .stores.datastore!.write((sql) => sql.rows({ text: `INSERT INTO "${id}" (n, text) ${rows}` }));
const typed = (type: string, values: unknown[]) => ({
  fields: [{ id: 'v', type }],
  records: values.map((v) => ({ v })),
});

describe('a table as Parquet', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['int', [1, -2147483648, null], [1, -2147483648, null]],
    ['int2', [5, null], [5, null]],
    ['bigint', ['9223372036854775807', '-9223372036854775808', null], [2n ** 63n - 1n, -(2n ** 63n), null]],
    ['float', [0.1, -1e300, null], [0.1, -1e300, null]],
    ['real', [0.5, null], [0.5, null]],
    ['bool', [true, false, null], [true, false, null]],
    ['text', ['', 'é ✓ \u0001 "', '👍', null], ['', 'é ✓ \u0001 "', '👍', null]],
    ['numeric', ['1.50', '-0.003', '12', null], [1.5, -0.003, 12, null]],
    ['numeric', ['123456789012345678', '-5', null], [123456789012345678n, -5n, null]],
    ['numeric', ['NaN', '1.5'], ['NaN', '1.5']],
    ['numeric', [`1${'0'.repeat(40)}`, '1.5'], [`1${'0'.repeat(40)}`, '1.5']],
    ['date', ['2024-02-29', '0001-01-01', 'infinity'], [new Date('2024-02-29'), new Date('0001-01-01'), null]],
    [
      'timestamp',
      ['2024-02-29T12:34:56.789', '1969-12-31T23:59:59', 'infinity', null],
      [new Date('2024-02-29T12:34:56.789Z'), new Date('1969-12-31T23:59:59Z'), null, null],
    ],
    ['timestamptz', ['2024-02-29T12:34:56+02:00'], [new Date('2024-02-29T10:34:56Z')]],
    ['json', [{ a: [1, 'é'] }, null], ['{"a": [1, "é"]}', null]],
    ['text[]', [['a', 'b"'], []], ['["a", "b\\""]', '[]']],
    ['uuid', ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
    ['time', ['12:34:56'], ['12:34:56']],
  ])('stores values of %s %j', async (type, given, kept) => {
    const found = await read(`${await table(typed(type, given))}?format=parquet`);
    expect(found).toEqual(kept.map((v, place) => ({ _id: place + 1, v })));
  });

  it('stores long numerics as exact decimals', async () => {
    const id = await table(typed('numeric', ['12345678901234567890.0000000001', '-1']));
    const { file } = await get(`${id}?format=parquet&fields=v`);
    const { schema } = await parquetMetadataAsync(file);
    expect(schema[1]).toMatchObject({
      name: 'v',
      converted_type: 'DECIMAL',
      precision: 38,
      scale: 10,
      type_length: 16,
    });
    expect((await read(`${id}?format=parquet&fields=v`))[1]).toEqual({ v: -1 });
  });

  it('accepts the parameters of a search, unusual column names, and empty results', async () => {
    const id = await table({ records: [{ 'a.b c é': 1, n: 2 }, { n: 3 }, { n: 4 }] });
    expect(await read(`${id}?format=parquet&fields=n,a.b c é&sort=n desc&limit=2&offset=1`)).toEqual([
      { n: 3, 'a.b c é': null },
      { n: 2, 'a.b c é': 1 },
    ]);
    expect(await read(`${id}?format=parquet&fields=n&filters=${encodeURIComponent('{"n": {"gte": 4}}')}`)).toEqual([
      { n: 4 },
    ]);
    expect(await read(`${id}?format=parquet&limit=0`)).toEqual([]);
    expect((await get(`${id}?format=parquet&fields=nope`)).status).toBe(400);
    expect((await get(`${id}?format=parquet&filters=${encodeURIComponent('{"n": "x"}')}`)).status).toBe(400);
  });

  it('is complete for large tables and large values', async () => {
    const records = Array.from({ length: 12_000 }, (_, n) => ({ n, text: `${n}`.repeat(100) }));
    const id = await table({ records: [records[0]] });
    await fill(id, `SELECT n, repeat(n::text, 100) FROM generate_series(1, 11999) n`);
    await fill(id, `SELECT -1, repeat('x', 9000000)`);
    const { file } = await get(`${id}?format=parquet`);
    expect((await parquetMetadataAsync(file)).row_groups.length).toBeGreaterThan(1);
    const found = await parquetReadObjects({ file });
    expect(found.slice(0, -1)).toEqual(records.map((record, place) => ({ _id: place + 1, ...record })));
    expect((found.at(-1) as { text: string }).text).toHaveLength(9_000_000);
  });

  it('is limited to a few concurrent readers, and available again once they disconnect', async () => {
    const id = await table({ records: [{ n: 1, text: 'x' }] });
    const long = "(SELECT string_agg(md5((n * m)::text), '') FROM generate_series(1, 100) m)";
    await fill(id, `SELECT n, ${long} FROM generate_series(1, 10000) n`);
    const waiting = await Promise.all(
      Array.from(
        { length: 4 },
        () =>
          new Promise<http.IncomingMessage>((resolve, reject) => {
            http.get(`${world.base}/datastore/dump/${id}?format=parquet`, resolve).on('error', reject);
          }),
      ),
    );
    expect(waiting.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect((await get(`${id}?format=parquet`)).status).toBe(503);
    for (const answer of waiting) answer.destroy();
    await until(async () => (await get(`${id}?format=parquet&limit=1`)).status === 200);
  });
});
