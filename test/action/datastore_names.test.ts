/** Column names that our own statements also use, as aliases or columns: every kind of read returns them. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTables, type Tables } from '../helpers/tables.ts';

const NAMES = [
  ...'abcdefghijklmnopqrstuvwxyz',
  ...['text', 'rows', 'record', 'records', 'key', 'value', 'total', 'bytes', 'texts', 'own', 'page', 'row', 'number'],
];
const RECORD = Object.fromEntries(NAMES.map((name) => [name, `${name}!`]));

let tables: Tables;
let id: string;
beforeAll(async () => {
  tables = await createTables();
  id = await tables.table({ fields: NAMES.map((name) => ({ id: name, type: 'text' })), records: [RECORD] });
});
afterAll(() => tables.world.end());

const WAYS: Record<string, () => Promise<unknown>> = {
  datastore_search: async () => (await tables.world.result('datastore_search', { resource_id: id })).records[0],
  'datastore_search with filters, text and order': async () =>
    (
      await tables.world.result('datastore_search', {
        resource_id: id,
        filters: { s: 's!', r: 'r!' },
        q: { text: 'text' },
        sort: 's desc, r, text',
      })
    ).records[0],
  datastore_search_sql: async () =>
    (await tables.world.result('datastore_search_sql', { sql: `SELECT * FROM "${id}"` })).records[0],
  'datastore_search_sql with one column': async () => {
    const found: Record<string, unknown> = {};
    for (const name of NAMES) {
      const sql = `SELECT max("${name}") AS "${name}" FROM "${id}"`;
      Object.assign(found, (await tables.world.result('datastore_search_sql', { sql })).records[0]);
    }
    return found;
  },
  'a dump of lines': async () =>
    JSON.parse((await tables.world.request(`/datastore/dump/${id}?format=ndjson`)).text.split('\n')[0]!),
  'records in the graph': async () => {
    const query = `{ resource(id: "${id}") { table { records(first: 1) { nodes } } } }`;
    const { body, text } = await tables.world.graph(query);
    return body.data?.resource?.table?.records?.nodes[0] ?? text;
  },
};

it.each(Object.entries(WAYS))('%s returns every column', async (_name, ask) => {
  expect(await ask()).toMatchObject(RECORD);
});
