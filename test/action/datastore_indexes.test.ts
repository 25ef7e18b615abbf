/** Indexes over several fields, page links, field ids, and unsupported parameters. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTables, type Tables } from '../helpers/tables.ts';

let tables: Tables;
let datastore: pg.Client;
beforeAll(async () => {
  tables = await createTables();
  datastore = new pg.Client({ connectionString: tables.world.settings['catalog.datastore.write_url']! });
  await datastore.connect();
});
afterAll(async () => {
  await datastore.end();
  await tables.world.end();
});

const fields = ['a', 'b', 'x,y'].map((id) => ({ id, type: 'text' }));
const invalid = async (params: object) => {
  const resource_id = await tables.resource();
  const { body } = await tables.write('datastore_create', { resource_id, fields, ...params });
  const { message: _message, __type: type, ...keys } = body.error;
  expect(type).toBe('Validation Error');
  return keys;
};

/** Columns of the non-unique indexes, sorted. */
async function indexesOf(table: string): Promise<string[]> {
  const { rows } = await datastore.query<{ columns: string }>(
    `SELECT substring(indexdef FROM 'USING btree \\((.*)\\)$') AS columns FROM pg_indexes
      WHERE tablename = $1 AND indexdef LIKE 'CREATE INDEX%USING btree%)' AND indexdef NOT LIKE '%WHERE%' ORDER BY columns`,
    [table],
  );
  return rows.map(({ columns }) => columns);
}

it('creates one index for an item with commas, in every form of the list', async () => {
  const FORMS: readonly [unknown, string[]][] = [
    [
      ['a', 'a,b'],
      ['a', 'a, b'],
    ],
    ['a,b', ['a', 'b']],
    ['a', ['a']],
    ['["a", "b, a"]', ['a', 'b, a']],
    [['"a","b"'], ['a, b']],
    [[['x,y', 'a']], ['"x,y", a']],
    ['', []],
    [[], []],
    [[''], []],
  ];
  for (const [indexes, expected] of FORMS) {
    const table = await tables.table({ fields, indexes });
    expect([indexes, await indexesOf(table)]).toEqual([indexes, expected]);
  }
});

it('accepts indexes in the graph as lists of fields, or as single fields', async () => {
  const resourceId = await tables.resource();
  const { body } = await tables.world.graph(
    'mutation ($input: CreateTableInput!) { createTable(input: $input) { table { resourceId } errors { message } } }',
    { input: { resourceId, force: true, fields, indexes: [['a', 'x,y'], 'b'] } },
    { as: tables.editor },
  );
  expect(body.data).toEqual({ createTable: { table: { resourceId }, errors: [] } });
  expect(await indexesOf(resourceId)).toEqual(['a, "x,y"', 'b']);
});

it('quotes an invalid index in the error', async () => {
  expect(await invalid({ indexes: ['a', 'b,nope'] })).toEqual({
    index: ['The field "b,nope" is not a valid column name.'],
  });
  expect(await invalid({ primary_key: ['a', 'nope'] })).toEqual({
    index: [`The field "['a', 'nope']" is not a valid column name.`], // as recorded
  });
  expect(await invalid({ indexes: [5] })).toEqual({ indexes: ['Neither a string nor a list: 5'] });
  expect(await invalid({ indexes: [[['a']]] })).toEqual({ indexes: ['Neither a string nor a list: ["a"]'] });
  expect(await invalid({ indexes: 5 })).toEqual({ indexes: ['Neither a string nor a list: 5'] });
  expect(await invalid({ indexes: Array.from({ length: 501 }, () => 'a') })).toEqual({
    index: ['At most 500 indexes (got 501)'],
  });
  expect(await invalid({ indexes: [Array.from({ length: 33 }, () => 'a').join()] })).toEqual({
    index: ['At most 32 fields in an index (got 33)'],
  });
});

it('refuses field ids that are not strings', async () => {
  for (const id of [5, true, ['a'], { a: 1 }])
    expect(await invalid({ fields: [{ id, type: 'text' }] })).toEqual({
      fields: [expect.stringContaining('is not a valid field name')],
    });
});

it('refuses table changes of later CKAN versions, and accepts their empty values', async () => {
  expect(await invalid({ delete_fields: true })).toEqual({ delete_fields: [expect.stringContaining('Not supported')] });
  expect(await invalid({ triggers: [{ function: 'f' }] })).toEqual({
    triggers: [expect.stringContaining('Not supported')],
  });
  await tables.table({ fields, delete_fields: false, triggers: [], calculate_record_count: true });
});

it('links to the previous page if there is one', async () => {
  const resource_id = await tables.table({ fields, records: [{ a: '1' }, { a: '2' }, { a: '3' }] });
  const prev = async (query: string) => {
    const { body } = await tables.world.request(`/api/3/action/datastore_search?resource_id=${resource_id}${query}`);
    const link = body.result._links.prev;
    return link === undefined ? null : new URL(link, 'http://x').searchParams.get('offset');
  };
  expect(await prev('')).toBeNull();
  expect(await prev('&offset=0')).toBeNull();
  expect(await prev('&offset=200')).toBe('100');
  expect(await prev('&limit=2&offset=4')).toBe('2');
  expect(await prev('&limit=2&offset=2')).toBe('0');
  expect(await prev('&limit=2&offset=1')).toBe('0');
  expect(await prev('&limit=0&offset=5')).toBeNull();
  const posted = await tables.search({ resource_id, limit: 1, offset: 2 });
  expect(posted._links.prev).toBe('/api/3/action/datastore_search?offset=1');
});
