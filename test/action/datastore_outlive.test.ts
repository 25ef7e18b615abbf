/** A PostgreSQL process that outlives its timeout: it occupies its slot, and its caller gets an error. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runStatement } from '../../src/datastore/statement/statement.store.ts';
import { createTables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  ({ world } = await createTables({ 'catalog.datastore.statements_per_caller': 1 }));
});
afterAll(() => world.end());

it('occupies the slot until the process ends, and reports the process as still running', async () => {
  if (process.platform !== 'linux') return;
  const store = world.app.callAs(world.system).stores.datastore!;
  const outlived: number[] = [];
  const run = (text: string) =>
    runStatement(store, 'test', text, {
      timeout: 1_000,
      rows: 10,
      bytes: 1_000,
      checked: false,
      onOutlive: (pid) => outlived.push(pid),
    });
  const asleep = run('SELECT pg_sleep(3600)').catch((thrown: Error) => thrown.message);
  const text = `/* test */ SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
  let pid = 0;
  await until(async () => {
    pid = (await store.sql.rows<{ pid: number }>({ text }))[0]?.pid ?? 0;
    return pid > 0;
  });
  process.kill(pid, 'SIGSTOP'); // it handles no signals now
  try {
    expect(await asleep).toContain('catalog.datastore.sql_timeout');
    await until(() => outlived.length > 0);
    expect(outlived).toEqual([pid]);
    await expect(run('SELECT 1')).rejects.toThrow('catalog.datastore.statements_per_caller');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await run('SELECT 1'); // waits for a free slot
  expect(await store.sql.rows({ text })).toEqual([]);
}, 60_000);
