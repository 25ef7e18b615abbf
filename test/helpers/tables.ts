/** A world with a DataStore, and helpers to make tables of an organization's datasets. */
import type { Datastore } from '../../src/infra/postgres/datastore.ts';
import type { Sql } from '../../src/infra/postgres/db.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import type { TestUser } from './make.ts';
import { createWorld, type WorldOptions } from './world.ts';

export type Tables = Awaited<ReturnType<typeof createTables>>;

export async function createTables(overrides: Partial<Settings> = {}, options: WorldOptions = {}) {
  const world = await createWorld(overrides, options);
  await world.datastore();
  const [editor, member, stranger] = await Promise.all([world.make.user(), world.make.user(), world.make.user()]);
  const organization = await world.make.organization({ members: { [editor.id]: 'editor', [member.id]: 'member' } });

  /** Makes a resource without a table. Returns its id. */
  async function resource(isPrivate = false): Promise<string> {
    const { body } = await world.make.dataset({
      ownerOrganization: organization.id,
      private: isPrivate,
      resources: [{ url: 'http://example.com/a.csv' }],
    });
    return body.resources[0]!.id;
  }

  /** Makes a resource with a table. Returns its id. */
  async function table(params: object, isPrivate = false): Promise<string> {
    const resource_id = await resource(isPrivate);
    await world.result('datastore_create', { resource_id, force: true, ...params }, { as: editor });
    return resource_id;
  }

  const write = (name: string, params: object, as: TestUser = editor) =>
    world.action(name, { force: true, ...params }, { as });
  /** The same write, which must succeed. */
  const change = async (name: string, params: object): Promise<void> => {
    const { body } = await write(name, params);
    if (!body.success) throw new Error(JSON.stringify(body.error));
  };
  const search = (params: Record<string, unknown>, as: TestUser | null = null) =>
    world.result('datastore_search', params, { as });

  const store = world.app.callAs(world.system).stores.datastore!;

  return { world, store, editor, member, stranger, organization, resource, table, write, change, search };
}

/** The DataStore with `rows` in place of the statements of work on a reserved connection. `rows` may call `sql` to run them. */
export const interrupted = (
  store: Datastore,
  rows: (sql: Sql, ...args: Parameters<Sql['rows']>) => Promise<never[]>,
): Datastore => ({
  ...store,
  alone: (work, signal) => store.alone((sql) => work({ rows: (...args) => rows(sql, ...args) }), signal),
});
