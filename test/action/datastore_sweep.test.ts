/** Tables of deleted resources are dropped: soon, or once the DataStore is available again, and by a command. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tablesCheck, tablesSweep } from '../../src/datastore/tables/sweep.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
let admin: TestUser;
let table: Tables['table'];
beforeAll(async () => {
  ({ world, editor, table } = await createTables());
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

async function named(id: string, of: World = world): Promise<number> {
  const store = of.app.callAs(of.system).stores.datastore!;
  const table = `SELECT FROM pg_class WHERE relname = '${id}'`;
  return (await store.sql.rows({ text: `${table} UNION ALL SELECT FROM _row_counts WHERE relation = '${id}'` })).length;
}
const gone = (id: string, of: World = world): Promise<boolean> => until(async () => (await named(id, of)) === 0);
const datasetOf = async (resource: string): Promise<string> =>
  (await world.result('resource_show', { id: resource }, { as: editor })).package_id;

describe('a table', () => {
  it('is dropped with its resource, on every kind of deletion', async () => {
    const [deleted, dropped, purged, kept] = [
      await table({ records: [{ a: 1 }] }),
      await table({ records: [{ a: 1 }] }),
      await table({ records: [{ a: 1 }], aliases: [`p ${world.id()}`] }),
      await table({ records: [{ a: 1 }] }),
    ] as [string, string, string, string];
    expect(await named(deleted)).toBeGreaterThan(0);
    await world.result('resource_delete', { id: deleted }, { as: editor });
    const other = await datasetOf(dropped);
    await world.result('package_patch', { id: other, resources: [] }, { as: editor });
    const dataset = await datasetOf(purged);
    await world.result('package_delete', { id: dataset }, { as: editor });
    expect(await named(purged)).toBeGreaterThan(0);
    await world.result('dataset_purge', { id: dataset }, { as: admin });
    for (const id of [deleted, dropped, purged]) expect(await gone(id)).toBe(true);
    expect((await world.result('datastore_search', { resource_id: kept })).total).toBe(1);
  });

  it('stays when a purge is rolled back', async () => {
    const id = await table({ records: [{ a: 1 }] });
    await world.database.db
      .$transaction(async (tx) => {
        await tx.$executeRawUnsafe('DELETE FROM resource WHERE id = $1', id);
        throw new Error('undone');
      })
      .catch(() => {});
    await world.result('resource_delete', { id: await table({ records: [{ a: 1 }] }) }, { as: editor });
    await world.app.settle();
    expect((await world.result('datastore_search', { resource_id: id })).total).toBe(1);
  });

  it('without a resource is found and dropped by the command, and a missing table is reported', async () => {
    const call = world.app.callAs(world.system);
    const [lost, kept] = [await table({ records: [{ a: 1 }] }), await table({ records: [{ a: 1 }] })] as [
      string,
      string,
    ];
    // Tables discarded by earlier tests must be dropped first.
    await until(async () => (await call.sql.rows({ text: 'SELECT FROM discarded_table' })).length === 0);
    const orphan = world.id();
    await call.stores.datastore!.write((sql) => sql.rows({ text: `CREATE TABLE "${orphan}" (_id int)` }));
    await call.stores.datastore!.write((sql) => sql.rows({ text: `DROP TABLE "${lost}"` }));
    expect(await tablesCheck(call)).toMatchObject({ missing: [lost], orphans: [orphan] });
    expect(await tablesSweep(call)).toMatchObject({ missing: [lost], orphans: [orphan] });
    expect(await tablesCheck(call)).toMatchObject({ missing: [lost], orphans: [] });
    expect((await world.result('datastore_search', { resource_id: kept })).total).toBe(1);
    await expect(tablesCheck({ ...call, actor: { ...call.actor, sysadmin: false } })).rejects.toMatchObject({
      kind: 'NOT_AUTHORIZED',
    });
  });

  it('is dropped once the DataStore is back', async () => {
    const other = await createWorld();
    try {
      const boss = await other.make.sysadmin();
      await other.datastore();
      const { body } = await other.make.dataset({ resources: [{ url: 'http://x' }] });
      const id = body.resources[0]!.id;
      await other.result('datastore_create', { resource_id: id, force: true, records: [{ a: 1 }] }, { as: boss });
      await other.withoutDatastore();
      await other.result('dataset_purge', { id: body.id }, { as: boss });
      expect((await other.action('datastore_search', { resource_id: id })).status).toBe(503);
      await expect(tablesSweep(other.app.callAs(other.system))).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
      await other.datastore();
      await tablesSweep(other.app.callAs(other.system));
      expect(await other.app.callAs(other.system).sql.rows({ text: 'SELECT FROM discarded_table' })).toEqual([]);
    } finally {
      await other.end();
    }
  });
});
