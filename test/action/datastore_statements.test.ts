/** Limit of concurrent long statements per caller. A lock in PostgreSQL holds the statements of this test. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTables, type Tables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

const MAX = 2;
let world: World;
let tables: Tables;
beforeAll(async () => {
  tables = await createTables({
    'catalog.datastore.statements_per_caller': MAX,
    'catalog.datastore.sql_timeout': 3600,
    'catalog.datastore.lock_timeout': 3600,
  });
  world = tables.world;
});
afterAll(() => world.end());

it('limits statements per caller, and leaves connections for other callers', async () => {
  const [id, other] = [await tables.table({ records: [{ n: 1 }] }), await tables.table({ records: [{ n: 1 }] })];
  const query = (table: string, as = null as Tables['editor'] | null) =>
    world.action('datastore_search_sql', { sql: `SELECT n FROM "${table}"` }, { as });
  const search = (table: string, as = null as Tables['editor'] | null) =>
    world.action('datastore_search', { resource_id: table }, { as });
  const held: ReturnType<typeof query>[] = [];
  await world.app.callAs(world.system).stores.datastore!.write(async (store) => {
    await store.rows({ text: `LOCK TABLE "${id}" IN ACCESS EXCLUSIVE MODE` });
    const waiting = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = to_regclass('"${id}"')`;
    /** Waits until all of these wait for the lock. */
    async function hold(...asked: ReturnType<typeof query>[]): Promise<void> {
      held.push(...asked);
      for (let tries = 1; ; tries += 1) {
        const n = (await store.rows<{ n: number }>({ text: waiting }))[0]!.n;
        if (n === held.length) return;
        if (n > held.length || tries === 1_000) throw new Error(`${n} of ${held.length} wait`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await hold(...Array.from({ length: MAX }, () => query(id)));
    await hold(...Array.from({ length: MAX }, () => search(id)));

    const figures = `{ resource(id: "${other}") { table { aggregate { nodes { count } } } } }`;
    const statement = `{ tableQuery(sql: "SELECT n FROM \\"${other}\\"") { records } }`;
    const refused = await Promise.all([query(other), search(other), query(id), search(id)]);
    for (const { status, headers, body } of refused) {
      expect([status, headers.get('retry-after')]).toEqual([429, '10']);
      expect(body.error).toMatchObject({
        __type: 'Too Many Requests',
        message: expect.stringContaining('catalog.datastore.statements_per_caller'),
      });
    }
    for (const { body } of await Promise.all([world.graph(figures), world.graph(statement)]))
      expect(body.errors).toMatchObject([{ extensions: { code: 'RATE_LIMIT' } }]);

    for (const ask of [query, search]) {
      const { body } = await ask(other, tables.editor);
      expect(body.result?.records ?? body).toEqual([expect.objectContaining({ n: 1 })]);
    }
    await hold(...Array.from({ length: MAX }, () => query(id, tables.editor)));
  });
  for (const { body } of await Promise.all(held)) expect(body.result?.records ?? body).toHaveLength(1);
  for (const ask of [query, search]) expect((await ask(id)).status).toBe(200);
}, 300_000);
