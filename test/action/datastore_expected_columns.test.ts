/** Statements with expected columns: their limits, and rows that arrive before other columns are detected. */
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

it('discards rows with other columns, and stops reading after a million characters', async () => {
  const client = new pg.Client(world.database.url) as pg.Client & { connection: { stream: Socket } };
  await client.connect();
  client.on('error', () => {}); // the connection is destroyed
  try {
    const taken: string[] = [];
    expect(await expected(client, "SELECT repeat('x', 1000) FROM generate_series(1, 1000)", taken)).toBe('differs');
    // 100 GB, never read to the end.
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

it.each([1, 100])('returns the real result of a statement that looks like another: %i rows', async (rows) => {
  const { result } = await isGuessed(3_000, rows);
  expect(result.fields).toEqual([{ id: 'x', type: 'text' }]);
  expect(result.records).toHaveLength(rows);
  expect(result.records[rows - 1].x).toHaveLength(98_999);
});

it('applies the limits to a statement that looks like another', async () => {
  // 30 GB, too much to send in time.
  const { error } = await isGuessed(30_000, 31_000);
  expect(error.message).toContain('67108864 bytes');
});

const USUAL = { timeout: 5_000, checked: false };
const of = { text: "SELECT '' AS x", columns: [{ name: 'x', type: 25 }] };
const read = (bounds: typeof USUAL, text: string, expected = of, by = world): Promise<boolean> =>
  by.app.callAs(by.system).stores.datastore!.read('a caller', bounds, (reading) =>
    reading.expectedRows(expected, text, [], (row) => {
      found = row;
    }),
  );
let found: readonly (string | null)[] = [];
const SETTINGS = ['transaction_read_only', 'statement_timeout', 'search_path'];
const SHOWN = `SELECT ${SETTINGS.map((name) => `current_setting('${name}')`).join(', ')}, pg_backend_pid()`;

it('runs each statement in a read-only transaction with its own limits', async () => {
  const CHECKED = 'catalog_checked, pg_catalog, public';
  const backends = new Set<string | null | undefined>();
  const check = async (bounds: typeof USUAL, text: string, settings: readonly string[], sent: number) => {
    const statements = await world.statementsOf(() => read(bounds, text));
    backends.add(found[3]);
    expect(found.slice(0, 3)).toEqual(settings);
    expect(statements).toHaveLength(sent);
  };
  // Two statements, plus two SET LOCAL for other limits or a long text.
  const isUsual = () => check(USUAL, SHOWN, ['on', '5s', 'public'], 2);
  await isUsual();
  await check({ ...USUAL, timeout: 1_500 }, SHOWN, ['on', '1500ms', 'public'], 4);
  await isUsual();
  await check({ ...USUAL, checked: true }, SHOWN, ['on', '5s', CHECKED], 4);
  await isUsual();
  await check(USUAL, `${SHOWN}${' '.repeat(10_000)}`, ['on', '5s', 'public'], 4);
  await expect(read(USUAL, 'SELECT 1 / 0')).rejects.toThrow('division by zero');
  await isUsual();
  // Other columns, with a statement that fails and one that succeeds.
  for (const text of ['SELECT 1 / 0', SHOWN])
    expect(await read(USUAL, text, { ...of, columns: [{ name: 'x', type: 23 }] })).toBe(false);
  await isUsual();
  expect(backends.size).toBe(1);
});

it('fails on a connection without the usual limits, and sets them on the next one', async () => {
  const one = await createTables({ 'catalog.datastore.sql_timeout': 5 });
  try {
    const store = one.world.app.callAs(one.world.system).stores.datastore!;
    let refused = 0;
    store.pools.datastore_sql!.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      client.query = ((...given: unknown[]) =>
        String(given[0]).startsWith('SET default_transaction') && refused++ === 0
          ? Promise.reject(new Error('refused'))
          : query(...given)) as typeof client.query;
    });
    const shown = () => read(USUAL, SHOWN, of, one.world);
    await expect(shown()).rejects.toThrow('refused');
    await shown();
    expect(found.slice(0, 3)).toEqual(['on', '5s', 'public']);
    expect(refused).toBe(2);
  } finally {
    await one.world.end();
  }
});
