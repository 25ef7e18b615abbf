/** Ten concurrent writers of jobs, webhooks and harvest sources lose no write. Deadlocks are retried, also of groups and vocabularies. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { memberSetRole } from '../../src/catalog/group/member.service.ts';
import { groupPatch } from '../../src/catalog/group/write.service.ts';
import { vocabularyUpdate } from '../../src/catalog/vocabulary/vocabulary.service.ts';
import { lockSource, updateSource } from '../../src/harvest/source/source.store.ts';
import { enqueue, enqueueAll } from '../../src/jobs/queue.service.ts';
import { type Call, inTransaction } from '../../src/kernel/call.ts';
import { lockWebhook, renewMessage } from '../../src/webhooks/webhook.store.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { TEN, tenAtOnce } from '../helpers/writers.ts';

let world: World;
let call: Call;
let admin: TestUser;

beforeAll(async () => {
  world = await createWorld({ 'catalog.webhooks.per_user': 3 });
  call = world.app.callAs(world.system);
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

/** The error code, or null for success. */
async function send(mutation: string, input: object, as = admin): Promise<string | null> {
  const type = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}Input!`;
  const query = `mutation ($input: ${type}) { it: ${mutation}(input: $input) { errors { code } } }`;
  const { body } = await world.graph(query, { input }, { as });
  return body.errors ? body.errors[0].extensions.code : (body.data.it.errors[0]?.code ?? null);
}
const ten = (mutation: string, inputOf: (at: number) => object, as = admin) =>
  tenAtOnce(world, (at) => send(mutation, inputOf(at), as));
const successes = (codes: readonly (string | null)[]): number => codes.filter((code) => code === null).length;
const conflicts = (codes: readonly (string | null)[]): number => codes.filter((code) => code === 'CONFLICT').length;

/** Runs two transactions that deadlock: they write two objects in opposite order. Returns the number of attempts. */
async function crosswise(write: (call: Call, which: 0 | 1, by: 0 | 1) => Promise<unknown>): Promise<number> {
  let attempts = 0;
  let first = 0;
  let go = (): void => {};
  const bothHaveOne = new Promise<void>((resolve) => (go = resolve));
  const run = (one: 0 | 1) =>
    inTransaction(call, async (call) => {
      attempts += 1;
      await write(call, one, one);
      if (++first === 2) go();
      await bothHaveOne;
      await write(call, one === 0 ? 1 : 0, one);
    });
  await Promise.all([run(0), run(1)]);
  return attempts;
}

it('ten requests for the same jobs in different orders queue each job once', async () => {
  const jobs = TEN.map((at) => ({ kind: 'note', subjectType: 'thing', subjectId: 'a', key: `key ${at}` }));
  await tenAtOnce(world, (at) => enqueueAll(call, [...jobs.slice(at), ...jobs.slice(0, at)]));
  expect(await call.db.job.count({ where: { subjectId: 'a', state: 'queued' } })).toBe(10);
});

it('one of ten concurrent cancellations of a job succeeds, and one of ten retries', async () => {
  const { id } = await enqueue(call, { kind: 'note', subjectType: 'thing', subjectId: 'b', key: 'b' });
  for (const mutation of ['cancelJob', 'retryJob']) {
    const codes = await ten(mutation, () => ({ id }));
    expect([successes(codes), conflicts(codes)]).toEqual([1, 9]);
  }
  expect(await call.db.job.findMany({ where: { subjectId: 'b' }, select: { state: true } })).toEqual([
    { state: 'queued' },
  ]);
});

it('retries a deadlock between two transactions that queue jobs', async () => {
  const queue = (call: Call, which: 0 | 1) =>
    enqueue(call, { kind: 'note', subjectType: 'thing', subjectId: 'c', key: `c${which}` });
  expect(await crosswise(queue)).toBeGreaterThan(2);
  expect(await call.db.job.count({ where: { subjectId: 'c' } })).toBe(2);
});

it('limits the webhooks of a user under ten concurrent requests', async () => {
  const user = await world.make.user();
  const codes = await ten('createWebhook', (at) => ({ url: `https://example.com/${at}` }), user);
  expect(successes(codes)).toBe(3);
  expect(await call.db.webhook.count({ where: { userId: user.id } })).toBe(3);
});

it('applies ten updates of a webhook, and only one of ten with the same expected version', async () => {
  await send('createWebhook', { url: 'https://example.com/', name: 'ten' });
  const { id: webhook } = await call.db.webhook.findFirstOrThrow({ where: { name: 'ten' } });
  const codes = await ten('updateWebhook', (at) => ({ webhook, batchSize: at + 1, expectedVersion: 1 }));
  expect([successes(codes), conflicts(codes)]).toEqual([1, 9]);
  expect(successes(await ten('updateWebhook', (at) => ({ webhook, batchSize: at + 1 })))).toBe(10);
  expect(await call.db.webhook.findUnique({ where: { id: webhook }, select: { version: true } })).toEqual({
    version: 12,
  });
});

it('retries a deadlock between two transactions that write webhooks', async () => {
  await ten('createWebhook', (at) => ({ url: 'https://example.com/', name: `pair ${at % 2}` }));
  const ids = (
    await call.db.webhook.findMany({ where: { name: { startsWith: 'pair' } }, orderBy: { id: 'asc' }, take: 2 })
  ).map(({ id }) => id);
  const write = async (call: Call, which: 0 | 1) => {
    await lockWebhook(call, ids[which]!);
    await renewMessage(call.db, ids[which]!);
  };
  expect(await crosswise(write)).toBeGreaterThan(2);
});

const source = (at: number) => ({ name: `source-${at}`, url: `https://example.com/${at}`, kind: 'CKAN' });

it('creates only one of ten harvest sources with the same name', async () => {
  const codes = await ten('createHarvestSource', (at) => ({ ...source(at), name: 'same' }));
  expect([successes(codes), conflicts(codes)]).toEqual([1, 9]);
});

it('applies ten updates of a harvest source, and only one of ten with the same expected version', async () => {
  await send('createHarvestSource', source(0));
  const named = { source: 'source-0' };
  const codes = await ten('updateHarvestSource', (at) => ({ ...named, title: `by ${at}`, expectedVersion: 1 }));
  expect([successes(codes), conflicts(codes)]).toEqual([1, 9]);
  expect(successes(await ten('updateHarvestSource', (at) => ({ ...named, title: `by ${at}` })))).toBe(10);
  const select = { version: true };
  expect(await call.db.harvestSource.findUnique({ where: { name: 'source-0' }, select })).toEqual({ version: 12 });
});

it('ten requests to harvest a source queue one job', async () => {
  await send('createHarvestSource', source(3));
  const codes = await ten('startHarvest', (at) => ({ source: 'source-3', full: at % 2 === 0 }));
  expect(successes(codes)).toBe(10);
  const { id: subjectId } = await call.db.harvestSource.findUniqueOrThrow({ where: { name: 'source-3' } });
  expect(await call.db.job.findMany({ where: { subjectId }, select: { state: true } })).toEqual([{ state: 'queued' }]);
});

it('retries a deadlock between two transactions that write harvest sources', async () => {
  await Promise.all([send('createHarvestSource', source(1)), send('createHarvestSource', source(2))]);
  const ids = (await call.db.harvestSource.findMany({ where: { name: { in: ['source-1', 'source-2'] } } })).map(
    ({ id }) => id,
  );
  const write = async (call: Call, which: 0 | 1) => {
    const before = await lockSource(call, ids[which]!);
    await updateSource(call.db, before!.id, { title: 'crosswise' });
  };
  expect(await crosswise(write)).toBeGreaterThan(2);
});

it.each<[string, (call: Call, group: string, by: TestUser) => Promise<unknown>]>([
  ['groups', (call, group, by) => groupPatch(call, group, { title: by.name }, false)],
  ['members', (call, group, by) => memberSetRole(call, { group, user: by.id, capacity: 'member' })],
])('retries a deadlock between two transactions that write %s, and loses no write', async (_what, write) => {
  const ids = [(await world.make.group()).id, (await world.make.group()).id];
  const users = [await world.make.user(), await world.make.user()];
  expect(await crosswise((call, which, by) => write(call, ids[which]!, users[by]!))).toBeGreaterThan(2);
  const groups = await call.db.group.findMany({ where: { id: { in: ids } }, select: { version: true } });
  expect(groups).toEqual([{ version: 3 }, { version: 3 }]);
});

it('retries a deadlock between two transactions that write vocabularies, and loses no write', async () => {
  const ids = [(await world.make.vocabulary()).id, (await world.make.vocabulary()).id];
  const write = (call: Call, which: 0 | 1, by: 0 | 1) =>
    vocabularyUpdate(call, { id: ids[which]!, tags: [`by ${by}`, `also by ${by}`] });
  expect(await crosswise(write)).toBeGreaterThan(2);
  const select = { version: true, tags: { select: { name: true }, orderBy: { name: 'asc' } } } as const;
  const [one, other] = await call.db.vocabulary.findMany({ where: { id: { in: ids } }, select });
  expect(one).toMatchObject({ version: 3, tags: [{}, {}] });
  expect(other).toEqual(one);
});
