/** Counters of jobs, loads, harvests, webhooks, mails and rate limits. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Worker } from '../../src/jobs/worker.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { loadingIn } from '../helpers/loading.ts';
import { createMailbox } from '../helpers/mail.ts';
import type { TestUser } from '../helpers/make.ts';
import { valuesOf } from '../helpers/metrics.ts';
import { until } from '../helpers/until.ts';
import { type WebhookScene, withWebhooks } from '../helpers/webhooks.ts';
import { createWorld, type World } from '../helpers/world.ts';

const TOKEN = 'a token of 20 letters';
const mailbox = await createMailbox();

let scene: WebhookScene;
let world: World;
let worker: Worker;
let admin: TestUser;
withWebhooks((made) => void ({ world, admin } = scene = made), {
  ...mailbox.settings,
  'catalog.monitoring.token': TOKEN,
  'catalog.webhooks.attempts': 2,
  'catalog.harvest.private_addresses': true,
});
beforeAll(async () => {
  await world.datastore();
  worker = await world.app.startWorker();
});
afterAll(async () => {
  await worker.stop();
  await mailbox.end();
});

const values = async (name: string, of = world) =>
  valuesOf((await of.request('/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })).text, name);

it('counts jobs and loads', async () => {
  const { id } = await world.make.dataset();
  const tools = loadingIn(world, () => admin);
  expect((await tools.load(id, 'a.csv', 'a,b\n1,2\n3,4\n5,6\n')).job.state).toBe('DONE');
  expect((await tools.load(id, 'b.xlsx', 'no workbook')).job.state).toBe('FAILED');
  await until(async () => (await values('catalog_jobs_finished_total'))['words done'] === 1);
  expect(await values('catalog_jobs_finished_total')).toEqual({ 'load done': 1, 'load failed': 1, 'words done': 1 });
  expect(await values('catalog_loads_total')).toEqual({ loaded: 1 });
  expect(await values('catalog_loaded_rows_total')).toEqual({ '': 3 });
  expect((await values('catalog_job_seconds_total')).load).toBeGreaterThan(0);
});

it('counts messages of webhooks', async () => {
  const { databaseId } = await scene.hook();
  await scene.dataset('taken');
  await scene.settled(databaseId);
  expect(await values('catalog_webhook_messages_total')).toEqual({ delivered: scene.receiver.received.length });
  const before = scene.receiver.received.length;
  scene.receiver.answer = () => ({ status: 500 });
  await scene.dataset('refused');
  await scene.settled(databaseId);
  const tried = scene.receiver.received.length - before;
  expect(await values('catalog_webhook_messages_total')).toEqual({
    delivered: before,
    refused: tried / 2,
    dead: tried / 2,
  });
});

it('counts mails', async () => {
  await world.make.user({ name: 'forgetful', email: 'forgetful@example.org' });
  await world.graph('mutation { requestPasswordReset(input: { user: "forgetful" }) { errors { code } } }');
  await mailbox.next();
  await until(async () => (await values('catalog_mails_total')).sent === 1);
});

it('counts runs and records of harvests', async () => {
  const there = await createWorld();
  try {
    for (const name of ['one', 'two']) await there.make.dataset({ name: `there-${name}` });
    const { body } = await world.graph(
      'mutation ($input: CreateHarvestSourceInput!) { createHarvestSource(input: $input) { source { databaseId } errors { message } } }',
      { input: { name: 'there', url: there.base, kind: 'CKAN', perSecond: 1_000 } },
      { as: admin },
    );
    const { databaseId } = body.data.createHarvestSource.source;
    await world.graph(
      'mutation ($source: ID!) { startHarvest(input: { source: $source }) { errors { message } } }',
      { source: toGlobalId('HarvestSource', databaseId) },
      { as: admin },
    );
    await until(async () => (await values('catalog_harvest_runs_total'))['ckan done'] === 1);
    expect(await values('catalog_harvest_records_total')).toMatchObject({ created: 2, failed: 0 });
    await until(async () => (await values('catalog_harvest_sources')).done === 1);
  } finally {
    await there.end();
  }
});

it('counts refusals of rate limits', async () => {
  const limited = await createWorld({
    'catalog.monitoring.token': TOKEN,
    'catalog.rate.anonymous': 1,
    'catalog.rate.exempt': [],
  });
  try {
    const statuses = [];
    for (let n = 0; n < 20; n += 1) statuses.push((await limited.request('/api/3/action/package_list')).status);
    const refused = statuses.filter((status) => status === 429).length;
    expect(refused).toBeGreaterThan(0);
    expect(await values('catalog_rate_limit_refusals_total', limited)).toEqual({ address: refused });
  } finally {
    await limited.end();
  }
});
