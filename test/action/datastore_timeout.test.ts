/** What reads a table gives up in time, whatever holds it up: nobody keeps connections from others with searches and figures. */
import { expect, it } from '@jest/globals';
import { createTables } from '../helpers/tables.ts';

it('searches, pages, counts and figures name the limit of time', async () => {
  const { world, table } = await createTables({ 'catalog.datastore.sql_timeout': 5 });
  try {
    const id = await table({ records: [{ n: 1 }] });
    const sql = `SELECT n FROM "${id}"`;
    const figures = (field: string) => world.graph(`{ resource(id: "${id}") { table { ${field} } } }`);
    await world.app.callAs(world.system).datastore!.write(async (store) => {
      await store.rows({ text: `LOCK TABLE "${id}" IN ACCESS EXCLUSIVE MODE` }); // what is asked would take for ever
      const actions = await Promise.all([
        world.action('datastore_search', { resource_id: id }),
        world.action('datastore_search', { resource_id: id, filters: { n: 1 } }),
        world.action('datastore_search_sql', { sql }),
      ]);
      for (const { body } of actions)
        expect(body.error).toMatchObject({
          __type: 'Validation Error',
          message: expect.stringContaining('catalog.datastore.sql_timeout'),
        });
      const graphs = await Promise.all([
        figures('aggregate(groupBy: ["n"]) { count }'),
        figures('records { nodes }'),
        figures('records(filter: { n: 1 }) { totalCount }'),
      ]);
      for (const { body } of graphs)
        expect(body.errors[0]).toMatchObject({
          message: expect.stringContaining('catalog.datastore.sql_timeout'),
          extensions: { code: 'LIMIT' },
        });
    });
    expect((await world.result('datastore_search', { resource_id: id })).records).toEqual([{ _id: 1, n: 1 }]);
  } finally {
    await world.end();
  }
}, 120_000);
