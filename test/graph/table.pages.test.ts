/** Pages of a table's records: each record once, in both directions, for values that are hard to compare. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTables, type Tables } from '../helpers/tables.ts';

let tables: Tables;
const ids: string[] = [];

const VALUES = {
  ratio: ['NaN', 'Infinity', '-Infinity', '0.1', '-0', '0', '1e-300', '0.30000000000000004', '0.3', null],
  price: ['NaN', '0.10', '0.1', '123456789012345678901234567890.123456789', '-1', null, null],
  at: ['2020-01-01 00:00:00.000001', '2020-01-01 00:00:00.000002', 'infinity', '-infinity', '0044-03-15 BC', null],
  zoned: ['2020-01-01 00:00:00+00', '2020-01-01 01:00:00+01', '2020-01-01 00:00:00.000001+00', null],
  word: ['a', 'A', 'á', 'a\u0301', 'b', ' b', 'b ', '', 'é', 'Ä', 'ß', 'ss', '😀', 'ｚ', "'", '\\', '"', null, null],
  small: ['-32768', '32767', '0', null],
  lasts: ['1 mon', '30 days', '720:00:00', '-1 day', null],
  list: ['{}', '{a,NULL}', '{"",a}', null],
  open: ['true', 'false', null],
} as const;
const TYPES: Record<keyof typeof VALUES, string> = {
  ratio: 'float8',
  price: 'numeric',
  at: 'timestamp',
  zoned: 'timestamptz',
  word: 'text',
  small: 'int2',
  lasts: 'interval',
  list: 'text[]',
  open: 'bool',
};
const NAMES = Object.keys(TYPES) as (keyof typeof VALUES)[];
const COUNT = 60;

beforeAll(async () => {
  tables = await createTables();
  const fields = NAMES.map((id) => ({ id, type: TYPES[id] }));
  const records = Array.from({ length: COUNT }, (_, n) =>
    Object.fromEntries(NAMES.map((id, at) => [id, VALUES[id][(n * 7 + at * n) % VALUES[id].length]])),
  );
  ids.push(await tables.table({ fields, records }), await tables.table({ fields, records, indexes: NAMES }));
});
afterAll(() => tables.world.end());

type Order = { field: string; direction: 'ASC' | 'DESC' }[];

async function page(id: string, orderBy: Order, args: string, cursor: string | null): Promise<any> {
  const query = `query ($orderBy: [TableOrderInput!], $cursor: String) { resource(id: "${id}") { table { records(${args}, orderBy: $orderBy) {
    nodes pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } } } }`;
  const { body } = await tables.world.graph(query, { orderBy, cursor });
  expect(body.errors).toBeUndefined();
  return body.data.resource.table.records;
}

const idsOf = (nodes: { _id: number }[]): number[] => nodes.map(({ _id }) => _id);

describe.each([0, 1])('pages of a table (with indexes: %d)', (table) => {
  it.each<[string]>([
    ['ratio'],
    ['-ratio'],
    ['price'],
    ['-price'],
    ['at'],
    ['-at'],
    ['zoned'],
    ['-zoned'],
    ['word'],
    ['-word'],
    ['small'],
    ['lasts'],
    ['-lasts'],
    ['list'],
    ['-open'],
    ['-_id'],
    ['open -word'],
    ['-open ratio -at'],
    ['small -small word'],
    ['zoned open -lasts price'],
  ])('contain each record once in the order %s', async (order) => {
    const id = ids[table]!;
    const orderBy: Order = order.split(' ').map((name) => ({
      field: name.replace('-', ''),
      direction: name.startsWith('-') ? 'DESC' : 'ASC',
    }));
    const sort = orderBy.map(({ field, direction }) => `"${field}" ${direction}`).join(', ');
    const found = await tables.search({ resource_id: id, sort: `${sort}, _id`, limit: COUNT });
    const expected = idsOf(found.records);
    expect(new Set(expected).size).toBe(COUNT);
    const paged: number[] = [];
    for (let after: string | null = null, isMore = true; isMore; ) {
      const { nodes, pageInfo } = await page(id, orderBy, 'first: 1, after: $cursor', after);
      paged.push(...idsOf(nodes));
      [after, isMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
      if (paged.length > COUNT) break;
    }
    expect(paged).toEqual(expected);
    const backward: number[] = [];
    for (let before: string | null = null, isMore = true; isMore; ) {
      const { nodes, pageInfo } = await page(id, orderBy, 'last: 4, before: $cursor', before);
      backward.unshift(...idsOf(nodes));
      [before, isMore] = [pageInfo.startCursor, pageInfo.hasPreviousPage];
      if (backward.length > COUNT) break;
    }
    expect(backward).toEqual(expected);
  });
});

const codeOf = async (selection: string, variables = {}) => {
  const types = 'query ($orderBy: [TableOrderInput!], $after: String)';
  const { body } = await tables.world.graph(`${types} { ${selection} }`, variables);
  return body.errors?.[0]?.extensions.code;
};

it('counts the values of sort fields towards the size of a page', async () => {
  const id = await tables.table({ fields: [{ id: 'word', type: 'text' }] });
  const client = new pg.Client({ connectionString: tables.world.settings['catalog.datastore.write_url'] as string });
  await client.connect();
  await client.query(`ALTER TABLE "${id}" DISABLE TRIGGER USER`); // no full text
  await client.query(`INSERT INTO "${id}" (word) SELECT repeat('x', 1024 * 1024) FROM generate_series(1, 65)`);
  await client.end();
  const records = (first: number) =>
    codeOf(
      `table(id: "${id}") { records(first: ${first}, after: $after, fields: ["_id"], orderBy: $orderBy) { nodes } }`,
      { orderBy: [{ field: 'word' }] },
    );
  expect(await records(60)).toBeUndefined();
  expect(await records(65)).toBe('LIMIT');
});

it('refuses more than 32 sort fields', async () => {
  const [id] = ids;
  const selection = `table(id: "${id}") { records(first: 2, after: $after, orderBy: $orderBy) { nodes } }`;
  for (const [count, code] of [
    [32, undefined],
    [33, 'VALIDATION'],
    [3_000, 'VALIDATION'],
  ] as const) {
    const orderBy = Array.from({ length: count }, () => ({ field: 'open' }));
    const key = JSON.stringify([...orderBy.map(() => 'true'), '1']);
    const after = Buffer.from(JSON.stringify([key])).toString('base64url');
    expect([count, await codeOf(selection, { orderBy }), await codeOf(selection, { orderBy, after })]).toEqual([
      count,
      code,
      code,
    ]);
  }
});
