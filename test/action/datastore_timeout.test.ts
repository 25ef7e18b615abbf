/** Timeouts of table reads: every kind of read ends in time and names the limit, so that no caller blocks connections. */
import { expect, it } from '@jest/globals';
import { createTables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

/** Runs every kind of read of a table. Returns the error of each as kind and message. */
async function readings(world: World, id: string): Promise<[string, string][]> {
  const figures = (field: string) => world.graph(`{ resource(id: "${id}") { table { ${field} } } }`);
  const [actions, graphs] = await Promise.all([
    Promise.all([
      world.action('datastore_search', { resource_id: id }),
      world.action('datastore_search', { resource_id: id, filters: { n: 1 } }),
      world.action('datastore_search_sql', { sql: `SELECT n FROM "${id}"` }),
    ]),
    Promise.all([
      figures('aggregate(groupBy: [{ field: "n" }]) { nodes { count } }'),
      figures('records { nodes }'),
      figures('records(filter: { field: "n", eq: 1 }) { totalCount }'),
    ]),
  ]);
  return [
    ...actions.map(({ body, text }): [string, string] => [body.error?.__type ?? text, body.error?.message]),
    ...graphs.map(({ body, text }): [string, string] => [
      body.errors?.[0].extensions.code ?? text,
      body.errors?.[0].message,
    ]),
  ];
}
const all = (kind: string, setting: string) => [
  ...Array(3).fill(['Validation Error', expect.stringContaining(setting)]),
  ...Array(3).fill([kind, expect.stringContaining(setting)]),
];

it('searches, pages, counts and aggregates name the time limit', async () => {
  const { world, table } = await createTables({ 'catalog.datastore.sql_timeout': 5 });
  try {
    const id = await table({ records: [{ n: 1 }] });
    const store = world.app.callAs(world.system).stores.datastore!;
    const change = (text: string) => store.write((sql) => sql.rows({ text }));
    // Reading a row sleeps.
    await change(`ALTER TABLE "${id}" ENABLE ROW LEVEL SECURITY`);
    await change(`CREATE POLICY asleep ON "${id}" FOR SELECT USING (pg_sleep(3600)::text = '')`);
    expect(await readings(world, id)).toEqual(all('LIMIT', 'catalog.datastore.sql_timeout'));
    // The limit also applies to a statement that computes without sleeping.
    const eights = Array.from({ length: 14 }, (_, n) => `(VALUES (1), (2), (3), (4), (5), (6), (7), (8)) t${n}`);
    const { body } = await world.action('datastore_search_sql', { sql: `SELECT count(*) FROM ${eights.join(', ')}` });
    expect(body.error.message).toContain('catalog.datastore.sql_timeout');
    await change(`ALTER TABLE "${id}" DISABLE ROW LEVEL SECURITY`);
    expect((await world.result('datastore_search', { resource_id: id })).records).toEqual([{ _id: 1, n: 1 }]);
  } finally {
    await world.end();
  }
});

it.each([
  ['the time for locks', { 'catalog.datastore.lock_timeout': 1 }],
  ['half of the time for statements', { 'catalog.datastore.lock_timeout': 3600, 'catalog.datastore.sql_timeout': 10 }],
])('readers that wait for a writer get "Try again" after %s', async (_, settings) => {
  const { world, table, write } = await createTables(settings);
  try {
    const id = await table({ fields: [{ id: 'n', type: 'int' }], primary_key: ['n'], records: [{ n: 1 }] });
    const row = { resource_id: id, records: [{ n: 2 }] };
    await world.app.callAs(world.system).stores.datastore!.write(async (store) => {
      await store.rows({ text: `LOCK TABLE "${id}" IN ACCESS EXCLUSIVE MODE` });
      expect(await readings(world, id)).toEqual(all('CONFLICT', 'Try again'));
      const dump = await world.request(`/datastore/dump/${id}`);
      expect([dump.status, dump.text]).toEqual([409, expect.stringContaining('Try again')]);
      if (settings['catalog.datastore.lock_timeout'] > 1) return; // writers wait for the full lock timeout
      const upsert = await write('datastore_upsert', row);
      expect(upsert.body.error).toMatchObject({ message: expect.stringContaining('catalog.datastore.lock_timeout') });
    });
    expect((await write('datastore_upsert', row)).body.error).toBeUndefined();
    expect((await world.result('datastore_search', { resource_id: id })).total).toBe(2);
  } finally {
    await world.end();
  }
});
