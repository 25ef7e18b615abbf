/** Commands for accounts, jobs, webhooks, harvests and the trash, on the catalog of a running server. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enqueue } from '../../src/jobs/queue.service.ts';
import { runCommand } from '../helpers/command.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let root: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.webhooks.allowed_hosts': ['127.0.0.1'] });
  await world.datastore();
  root = await world.make.sysadmin();
});
afterAll(() => world.end());

const run = (...words: string[]) =>
  runCommand({ ...world.settings, 'catalog.database_url': world.database.url }, ...words);
/** The JSON output of a command. */
async function json(...words: string[]): Promise<any> {
  const { code, out, err } = await run(...words, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}
const names = (rows: { name: string }[]) => rows.map(({ name }) => name).sort();

describe('users', () => {
  beforeAll(async () => {
    await world.make.user({ name: 'jo' });
    await world.make.user({ name: 'kim' });
  });

  it('are listed, as columns and as JSON', async () => {
    expect(names(await json('user', 'list'))).toEqual(['jo', 'kim', root.name].sort());
    expect(names(await json('user', 'list', '--text', 'jo'))).toEqual(['jo']);
    expect(await json('user', 'list', '--limit', '1')).toHaveLength(1);
    const { out } = await run('user', 'list', '--text', 'jo');
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^name +fullName +email +state +sysadmin +createdAt$/),
      expect.stringMatching(/^jo +- .* active +false +20\d\d-/),
    ]);
    expect(await run('user', 'list', '--text', 'nobody-has-this')).toEqual({ code: 0, out: '', err: 'No user.' });
  });

  it('are shown and changed', async () => {
    const changed = await json('user', 'change', 'jo', '--full-name', 'Jo Doe', '--email', 'jo@a.example');
    expect(changed).toMatchObject({ name: 'jo', fullName: 'Jo Doe', email: 'jo@a.example' });
    expect(await json('user', 'show', 'jo')).toMatchObject({ fullName: 'Jo Doe', state: 'active', sysadmin: false });
    expect((await run('user', 'change', 'jo', '--name', 'Not A Name')).code).toBe(1);
    expect(await run('user', 'show', 'nobody')).toMatchObject({
      code: 1,
      err: 'NOT_FOUND: nothing has this name or id.',
    });
  });

  it('become system administrators, and lose the role', async () => {
    expect(await run('sysadmin', 'grant', 'jo')).toEqual({ code: 0, out: 'jo is a system administrator.', err: '' });
    expect(names(await json('sysadmin', 'list'))).toEqual(['jo', root.name].sort());
    expect((await run('sysadmin', 'revoke', 'jo')).out).toBe('jo is not a system administrator.');
    expect(names(await json('sysadmin', 'list'))).toEqual([root.name]);
    expect((await run('sysadmin', 'grant', 'nobody')).code).toBe(1);
  });

  it('are deleted and restored', async () => {
    expect((await run('user', 'delete', 'kim')).code).toBe(2);
    expect((await run('user', 'delete', 'kim', '--yes')).code).toBe(0);
    expect(names(await json('user', 'list', '--deleted'))).toEqual(['kim']);
    expect(await run('user', 'restore', 'kim')).toMatchObject({ code: 0, err: '' });
    expect(names(await json('user', 'list', '--deleted'))).toEqual([]);
  });

  it('get a new API key, alone on standard output', async () => {
    const { code, out, err } = await run('user', 'key', 'jo', '--yes');
    expect([code, out, err]).toEqual([0, expect.stringMatching(/^\S{20,}$/), 'New API key of jo:']);
  });

  it('cannot send terminal control characters by their names', async () => {
    await world.database.pool.query(`UPDATE user_account SET full_name = $1 WHERE name = 'jo'`, ['\u001b[2J\nroot']);
    const { out } = await run('user', 'list', '--text', 'jo');
    expect(out.split('\n')).toHaveLength(2);
    expect(out).not.toContain('\u001b');
  });
});

describe('jobs', () => {
  const call = () => world.app.callAs(world.system);
  const add = (subjectId: string, kind = 'note') => enqueue(call(), { kind, subjectType: 'resource', subjectId });
  const end = (id: string, state: string) =>
    world.database.pool.query(`UPDATE job SET state = $2, error = 'no route', finished_at = now() WHERE id = $1`, [
      id,
      state,
    ]);

  it('are listed by kind and state, cancelled and queued again', async () => {
    const [one, two] = [await add('1'), await add('2', 'other')];
    expect((await json('jobs', 'list')).map((job: any) => job.id)).toEqual([two.id, one.id]);
    expect(await json('jobs', 'list', '--kind', 'note')).toEqual([
      expect.objectContaining({ id: one.id, state: 'queued' }),
    ]);
    expect(await run('jobs', 'drop', one.id, 'unknown', '--yes')).toEqual({
      code: 1,
      out: '1 of 2 jobs cancelled.',
      err: 'unknown: no job has this id\n1 refused. The lines above give the reasons.',
    });
    expect((await json('jobs', 'list', '--state', 'cancelled')).map((job: any) => job.id)).toEqual([one.id]);
    await end(two.id, 'failed');
    expect((await run('jobs', 'list', '--state', 'failed')).out).toContain('no route');
    expect((await run('jobs', 'retry', '--failed', '--kind', 'note')).out).toBe('0 of 0 jobs queued again.');
    expect((await run('jobs', 'retry', '--failed')).out).toBe('1 of 1 jobs queued again.');
    expect((await run('jobs', 'drop', '--queued', '--yes')).out).toBe('1 of 1 jobs cancelled.');
    expect(await run('jobs', 'retry', two.id)).toMatchObject({ code: 0 });
    expect((await run('jobs', 'retry', two.id)).err).toContain('Only a failed or cancelled job can be retried.');
  });

  it('are queued again once per work, and without their previous schedule', async () => {
    const work = { kind: 'scheduled', subjectType: 'resource', subjectId: '3', key: 'same', everySeconds: 3_600 };
    const failed = [];
    for (let time = 0; time < 2; time += 1) {
      const { id } = await enqueue(call(), work);
      await end(id, 'failed');
      failed.push(id);
    }
    const again = await run('jobs', 'retry', '--failed', '--kind', 'scheduled');
    expect(again).toEqual({
      code: 0,
      out: '1 of 2 jobs queued again.',
      err: expect.stringMatching(/^\S+: A newer job for the same work is queued or running\.$/),
    });
    const left = failed.find((id) => again.err.startsWith(id))!;
    expect(await run('jobs', 'retry', left)).toMatchObject({ code: 1, out: '0 of 1 jobs queued again.' });
    expect((await run('jobs', 'drop', '--queued', '--kind', 'scheduled', '--yes')).out).toBe('1 of 1 jobs cancelled.');
    expect(await json('jobs', 'list', '--kind', 'scheduled', '--state', 'queued')).toEqual([]);
    const next = await enqueue(call(), work);
    await world.database.pool.query(`UPDATE job SET state = 'running', attempts = 1 WHERE id = $1`, [next.id]);
    expect(await run('jobs', 'retry', left)).toMatchObject({
      code: 1,
      err: expect.stringContaining('queued or running'),
    });
    await end(next.id, 'done');
  });

  it('include loads, by resource', async () => {
    const load = await add('resource-1', 'load');
    expect(await json('loads', 'list')).toEqual([expect.objectContaining({ id: load.id, kind: 'load' })]);
    expect(await run('loads', 'drop', 'resource-1', 'resource-2', '--yes')).toEqual({
      code: 1,
      out: '1 of 1 loads cancelled.',
      err: 'resource-2: no load is queued or running.\n1 resources without a load.',
    });
    await end(load.id, 'failed');
    expect((await run('loads', 'retry', '--failed')).out).toBe('1 of 1 loads queued.');
    expect((await run('loads', 'drop', '--queued', '--yes')).out).toBe('1 of 1 loads cancelled.');
    const { id } = await world.make.dataset({ name: 'with-table' });
    const file = { package_id: id, url: 'https://a.example/x.csv', format: 'CSV' };
    const resource = await world.result('resource_create', file, { as: root });
    expect(await run('loads', 'retry', resource.id, 'no-such-resource')).toMatchObject({
      code: 1,
      out: '1 of 2 loads queued.',
      err: 'no-such-resource: NOT_FOUND: nothing has this name or id.\n1 refused. The lines above give the reasons.',
    });
    expect(await json('loads', 'list', '--state', 'queued', '--dataset', 'with-table')).toEqual([
      expect.objectContaining({ subject: `resource ${resource.id}` }),
    ]);
  });
});

it('lists, pauses and resumes webhooks, and queues their dead letters', async () => {
  const created = await world.graph(
    `mutation { createWebhook(input: { url: "http://127.0.0.1:9/", name: "Mirror" }) { webhook { databaseId } errors { message } } }`,
    {},
    { as: root },
  );
  const id = created.body.data.createWebhook.webhook.databaseId;
  const letter = (message: string) =>
    world.database.pool.query(
      `INSERT INTO webhook_dead_letter (id, webhook_id, start_place, end_place, changes, attempts, error, created_at, last_tried_at)
       VALUES ($1, $2, 0, 1, 1, 3, 'timeout', now(), now())`,
      [message, id],
    );
  await letter('msg_1');
  await letter('msg_2');
  expect(await json('webhooks', 'list')).toEqual([
    expect.objectContaining({ id, name: 'Mirror', state: 'active', deadLetters: 2 }),
  ]);
  expect(await json('webhooks', 'list', '--user', root.name)).toHaveLength(1);
  const letters = () => json('webhooks', 'dead-letters', id);
  expect(await letters()).toEqual(
    ['msg_1', 'msg_2'].map((message) => expect.objectContaining({ message, error: 'timeout', isQueued: false })),
  );
  expect((await run('webhooks', 'redeliver', id, 'msg_1')).out).toContain('1 dead letters are queued');
  expect((await letters()).map((it: any) => it.isQueued)).toEqual([true, false]);
  expect((await run('webhooks', 'redeliver', id, '--all')).out).toContain('All dead letters are queued');
  expect((await letters()).map((it: any) => it.isQueued)).toEqual([true, true]);
  expect((await run('webhooks', 'redeliver', id, 'msg_9')).err).toContain('msg_9 is not a dead letter of this webhook');
  expect((await run('webhooks', 'pause', id)).out).toBe('Mirror is paused.');
  expect((await run('webhooks', 'resume', id)).out).toBe('Mirror is active.');
  for (const word of ['dead-letters', 'pause', 'resume'])
    expect([word, (await run('webhooks', word, 'unknown')).code]).toEqual([word, 1]);
});

it('lists harvest sources and their runs', async () => {
  expect(await json('harvest', 'sources')).toEqual([]);
  await world.graph(
    `mutation { createHarvestSource(input: { url: "https://a.example/", name: "a-source", kind: CKAN }) { errors { message } } }`,
    {},
    { as: root },
  );
  expect(await json('harvest', 'sources')).toEqual([
    expect.objectContaining({ name: 'a-source', kind: 'ckan', user: root.name, lastRun: null }),
  ]);
  expect(await run('harvest', 'runs', 'a-source')).toEqual({ code: 0, out: '', err: 'No run.' });
  const { rows } = await world.database.pool.query(
    `INSERT INTO harvest_run (id, source_id, state, started_at, created, message)
     SELECT 'run-1', id, 'failed', now(), 7, 'no answer' FROM harvest_source RETURNING id`,
  );
  expect(await json('harvest', 'runs', 'a-source')).toEqual([
    expect.objectContaining({ id: rows[0].id, state: 'failed', created: 7, message: 'no answer' }),
  ]);
  expect(await json('harvest', 'runs', 'a-source', '--remarks')).toEqual([]);
  expect((await run('harvest', 'runs', 'unknown')).code).toBe(1);
});

it('lists and purges the trash, by name or as a whole', async () => {
  await world.make.organization({ name: 'town' });
  await world.make.group({ name: 'water' });
  for (const name of ['rivers', 'lakes', 'seas']) await world.make.dataset({ name });
  for (const [action, id] of [
    ['organization_delete', 'town'],
    ['group_delete', 'water'],
    ['package_delete', 'rivers'],
    ['package_delete', 'lakes'],
  ] as const)
    await world.result(action, { id }, { as: root });
  const trash = async () => (await json('trash', 'list')).map((it: any) => `${it.type} ${it.name}`).sort();
  expect(await trash()).toEqual(['datasets lakes', 'datasets rivers', 'groups water', 'organizations town']);
  expect(await run('trash', 'purge', 'rivers', 'seas', '--type', 'datasets', '--yes')).toMatchObject({
    code: 1,
    err: 'seas is not among the deleted datasets. Nothing was purged.',
  });
  expect((await run('trash', 'purge', 'rivers', '--type', 'datasets', '--yes')).out).toBe('1 purged.');
  expect(await trash()).toEqual(['datasets lakes', 'groups water', 'organizations town']);
  expect((await run('trash', 'purge', '--yes')).out).toBe('3 purged.');
  expect(await trash()).toEqual([]);
  expect((await run('trash', 'list')).err).toBe('The trash is empty.');
  expect(await world.result('package_list')).toEqual(['seas', 'with-table']);
});
