/** Statements that were expected to have other columns: their rows arrive before that is known. */
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { eachExpectedRow, OtherColumns } from '../../src/infra/postgres/row-query.ts';
import { addressOf } from '../helpers/database.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let tables: Tables;
beforeAll(async () => {
  tables = await createTables({ 'catalog.datastore.sql_timeout': 5 }, { counts: true });
  world = tables.world;
  // Reads are read-only even for a role that may write.
  const name = new URL(world.app.callAs(world.system).settings['catalog.datastore.read_url']!).pathname.slice(1);
  const admin = new pg.Client(addressOf(name));
  await admin.connect();
  await admin.query(`ALTER ROLE datastore_read IN DATABASE "${name}" SET default_transaction_read_only = off`);
  await admin.end();
});
afterAll(() => world.end());

const INT = [{ name: 'x', type: 23 }];
const expected = (client: pg.Client, rows: string, taken: string[]) =>
  eachExpectedRow(
    client,
    { text: "SELECT 'a' AS x", columns: INT },
    rows,
    [],
    ([value]) => void taken.push(String(value)),
    { before: ['BEGIN'], after: ['COMMIT'] },
  );

it('takes none of them, and does not wait for more than a million characters', async () => {
  const client = new pg.Client(world.database.url) as pg.Client & { connection: { stream: Socket } };
  await client.connect();
  client.on('error', () => {}); // it is cut off
  try {
    const taken: string[] = [];
    expect(await expected(client, "SELECT repeat('x', 1000) FROM generate_series(1, 1000)", taken)).toBe('differs');
    // 100 GB, of which the end is never read.
    const many = expected(client, "SELECT repeat('x', 1000), generate_series(1, 100000000)", taken);
    await expect(many).rejects.toBeInstanceOf(OtherColumns);
    expect(taken).toEqual([]);
  } finally {
    client.connection.stream.destroy();
  }
});

// Quotes in comments hide that these are different statements.
const shortOf = (n: number) => `SELECT /*'*/ ${n} AS x /*'*/`;
const longOf = (words: number, rows: number) =>
  `SELECT /*'*/ (SELECT string_agg(md5(a::text), chr(32)) FROM generate_series(1, ${words}) AS a) AS x FROM generate_series(1, ${rows}) AS b /*'*/`;
const isGuessed = async (words: number, rows: number) => {
  expect((await world.result('datastore_search_sql', { sql: shortOf(rows) })).records).toEqual([{ x: rows }]);
  let body: any;
  const sent = await world.statementsOf(async () => {
    ({ body } = await world.action('datastore_search_sql', { sql: longOf(words, rows) }));
  });
  expect(sent.filter((text) => text.includes('datastore_search_sql'))).toHaveLength(2);
  return body;
};

it.each([1, 100])(
  'of a statement that looks like another returns what the statement returns: %i rows',
  async (rows) => {
    const { result } = await isGuessed(3_000, rows);
    expect(result.fields).toEqual([{ id: 'x', type: 'text' }]);
    expect(result.records).toHaveLength(rows);
    expect(result.records[rows - 1].x).toHaveLength(98_999);
  },
);

it('of a statement that looks like another has the limits of the statement', async () => {
  // 30 GB, of which no machine sends the end in time.
  const { error } = await isGuessed(30_000, 31_000);
  expect(error.message).toContain('67108864 bytes');
});

it.each([
  ['the usual bounds, without commands of their own', 5_000, false, '5s', 'public', 2],
  ['another timeout', 1_500, false, '1500ms', 'public', 4],
  ['checked functions', 5_000, true, '5s', 'catalog_checked, pg_catalog, public', 4],
])('run in a read-only transaction with %s', async (_, timeout, checked, time, path, count) => {
  const store = world.app.callAs(world.system).stores.datastore!;
  const of = { text: "SELECT '' AS x", columns: [{ name: 'x', type: 25 }] };
  const settings = ['transaction_read_only', 'statement_timeout', 'search_path'];
  const text = `SELECT ${settings.map((name) => `current_setting('${name}')`).join(', ')}`;
  let found: readonly (string | null)[] = [];
  const sent = await world.statementsOf(() =>
    store.read('a caller', { timeout, checked }, (reading) =>
      reading.expectedRows(of, text, [], (row) => {
        found = row;
      }),
    ),
  );
  expect(found).toEqual(['on', time, path]);
  expect(sent).toHaveLength(count);
});
