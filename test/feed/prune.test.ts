/** `catalog changes prune`: readers of pruned changes get an error, and the rest of the catalog stays unchanged. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { changeConnection, cursorAt } from '../../src/feed/feed.service.ts';
import { anonymous } from '../../src/kernel/call.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { changesPrune, changesState } from '../../src/operations/prune.service.ts';
import { statisticsCheck, statisticsRebuild } from '../../src/statistics/check.service.ts';
import { runCommand } from '../helpers/command.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.webhooks.allowed_hosts': ['127.0.0.1'] });
  admin = await world.make.sysadmin();
  ann = await world.make.user({ name: 'ann' });
});
afterAll(() => world.end());

const run = (...words: string[]) => runCommand({ 'catalog.database_url': world.database.url }, ...words);
const act = (name: string, params: Record<string, unknown>, as = admin) => world.result(name, params, { as });
const system = () => world.app.callAs(world.system);
const query = (text: string, values: unknown[] = []) => world.database.pool.query(text, values);
/** Gives positions to all changes, makes them 40 days old, and rebuilds the statistics. */
async function age(): Promise<void> {
  await changeConnection(world.app.callAs(anonymous('192.0.2.1')), { first: 1 });
  await query(
    `UPDATE change SET created_at = created_at - interval '40 days' WHERE created_at > now() - interval '30 days'`,
  );
  await statisticsRebuild(system());
}
const state = () => changesState(system());
/** Lines of /changes, the last line omitted. */
async function changes(search = ''): Promise<any[]> {
  const { text } = await world.request(`/changes?limit=1000${search}`);
  return text
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
const timeline = async () =>
  (await query('SELECT scope, dimension, month, key, action, count, days FROM statistics_month ORDER BY 1, 2, 3, 4, 5'))
    .rows;
async function expectStatistics(): Promise<void> {
  expect((await statisticsCheck(system())).faults).toEqual([]);
}

it('removes changes older than N days, and returns 410 to readers that missed them', async () => {
  for (const name of ['gone-0', 'gone-1']) await act('package_create', { name }, ann);
  await act('vocabulary_create', { name: 'levels', tags: [{ name: 'high' }] });
  await age();
  for (const name of ['kept-0', 'kept-1']) await act('package_create', { name }, ann);
  await expectStatistics();
  const before = await timeline();
  const edits = await act('user_show', { id: 'ann' });
  const old = (await changes('&types=DATASET')).find(({ name }) => name === 'gone-0').cursor;
  const { first, last } = await state();

  const dry = await run('changes', 'prune', '--days', '30', '--dry-run');
  expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ changes would be pruned\.$/) });
  expect(await state()).toMatchObject({ first, last });
  const { out } = await run('changes', 'prune', '--days', '30', '--yes');
  expect(out).toBe(dry.out.replace('would be pruned', 'pruned'));

  const after = await state();
  expect(after.last).toBe(last);
  expect(after.first).toBeGreaterThan(first);
  const answered = await world.request(`/changes?after=${old}`);
  expect([answered.status, answered.body.error]).toEqual([
    410,
    { code: 'GONE', oldest: cursorAt(after.first - 1), message: expect.stringContaining('pruned') },
  ]);
  expect((await changes('&types=DATASET')).map(({ name }) => name)).toEqual(['kept-0', 'kept-1']);
  expect((await changes(`&types=DATASET&after=${answered.body.error.oldest}`)).map(({ name }) => name)).toEqual([
    'kept-0',
    'kept-1',
  ]);
  expect((await run('changes', 'prune', '--days', '30', '--yes')).out).toBe('0 changes pruned.');

  expect(await timeline()).toEqual(before);
  await expectStatistics();
  await statisticsRebuild(system());
  expect(await timeline()).toEqual(before);
  await expectStatistics();
  expect((await act('user_show', { id: 'ann' })).number_of_edits).toBe(edits.number_of_edits);
  expect((await act('user_show', { id: admin.name })).number_of_edits).toBe(0); // vocabularies do not count as edits
});

it('still reports changes of objects whose earlier changes were pruned', async () => {
  const { last } = await state();
  await act('package_delete', { id: 'gone-0' });
  const [deleted] = await changes(`&after=${cursorAt(last)}`);
  expect(deleted).toMatchObject({ operation: 'DELETED', isGone: true, name: null });
  await act('package_patch', { id: 'gone-1', title: 'Changed' });
  expect((await changes(`&after=${cursorAt(last)}`)).at(-1)).toMatchObject({ operation: 'UPDATED', name: 'gone-1' });
});

it('removes a dataset that is purged later from all public revisions', async () => {
  await act('dataset_purge', { id: 'gone-0' });
  const revisions = await world.result('revision_list', {});
  const shown = await Promise.all(revisions.map((id: string) => world.result('revision_show', { id })));
  expect(JSON.stringify(shown)).not.toContain('gone-0');
  expect(shown.length).toBeGreaterThan(0);
});

it('never removes the newest change, so that positions continue', async () => {
  await age();
  const { last } = await state();
  expect((await run('changes', 'prune', '--days', '1', '--yes')).code).toBe(0);
  expect(await state()).toMatchObject({ first: last, last, changes: 1 });
  await act('package_create', { name: 'newer' });
  expect((await changes(`&after=${cursorAt(last)}`)).map(({ sequence }) => sequence)).toEqual([last + 1]);
  await expectStatistics();
  expect((await run('changes', 'status')).out).toMatch(
    new RegExp(`^first: ${last}\\nlast: ${last + 1}\\nchanges: 2\\n`),
  );
});

it('refuses to prune changes that a webhook has not received, unless forced', async () => {
  const hook = `mutation { createWebhook(input: { url: "http://127.0.0.1:9/", name: "Mirror" }) { webhook { databaseId } } }`;
  const { body } = await world.graph(hook, {}, { as: admin });
  const id = body.data.createWebhook.webhook.databaseId;
  for (const name of ['late-0', 'late-1']) await act('package_create', { name });
  await age();
  const before = await state();
  expect(await run('changes', 'prune', '--days', '30', '--yes')).toEqual({
    code: 1,
    out: '',
    err: `Webhooks have not received these changes yet: Mirror (${id}). Nothing was pruned. Retry later, or add --force to prune anyway. The webhooks are disabled when they next run.`,
  });
  expect(await state()).toEqual(before);
  const forced = await run('changes', 'prune', '--days', '30', '--yes', '--force');
  expect(forced).toMatchObject({ code: 0, err: `loses changes: webhook Mirror (${id})` });
  const dispatcher = await world.app.startDispatcher();
  const show = async () =>
    (await world.graph(`{ webhook(databaseId: "${id}") { state stateReason } }`, {}, { as: admin })).body.data.webhook;
  await until(async () => (await show()).state === 'DISABLED');
  expect((await show()).stateReason).toMatch(/pruned/);
  await dispatcher.stop();
});

it('requires a system administrator', async () => {
  const call = world.app.callAs({ ...world.system, sysadmin: false });
  await expect(changesPrune(call, { before: new Date() })).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
});

it('leaves a complete log and matching statistics when it is killed midway', async () => {
  await query(`WITH r AS (INSERT INTO revision (id, created_at, author, message) SELECT 'r-' || n, now(), 'x', 'x' FROM generate_series(1, 30000) n RETURNING id)
    INSERT INTO change (revision_id, created_at, actor_id, object_type, object_id, action, detail, is_public)
    SELECT id, now(), 'someone', 'dataset', id, 'created', '{}', true FROM r`);
  await age();
  const before = await timeline();
  const { first } = await state();
  const child = spawn(
    process.execPath,
    [join(projectRoot, 'scripts/catalog.mjs'), 'changes', 'prune', '--days', '30', '--yes', '--force'],
    {
      cwd: projectRoot,
      stdio: 'ignore',
      env: {
        ...process.env,
        DATABASE_URL: world.database.url,
        CATALOG__LOG_LEVEL: 'error',
        CATALOG__DATA_DIR: settingsForTests()['catalog.data_dir'],
      },
    },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until(async () => (await state()).first > first);
  child.kill('SIGKILL');
  await ended;
  const killed = await state();
  expect(killed.changes).toBe(killed.last - killed.first + 1);
  expect(killed.changes).toBeGreaterThan(1);
  expect(await timeline()).toEqual(before);
  await expectStatistics();
  expect((await run('changes', 'prune', '--days', '30', '--yes', '--force')).code).toBe(0);
  expect(await state()).toMatchObject({ changes: 1 });
  expect(await timeline()).toEqual(before);
  await expectStatistics();
});
