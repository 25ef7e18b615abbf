/** Harvest sources, runs and remarks over GraphQL, and harvests as jobs between two catalogs. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Worker } from '../../src/jobs/worker.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let there: World;
let here: World;
let worker: Worker;
let admin: TestUser;
let owner: { id: string; name: string };
let keeper: TestUser;
beforeAll(async () => {
  [there, here] = await Promise.all([
    createWorld({}, { counts: true }),
    createWorld({ 'catalog.harvest.private_addresses': true }, { counts: true }),
  ]);
  admin = await here.make.sysadmin();
  keeper = await here.make.user();
  owner = await here.make.organization({ members: { [keeper.id]: 'admin' } });
  worker = await here.app.startWorker();
});
afterAll(async () => {
  await worker.stop();
  await Promise.all([there.end(), here.end()]);
});

const SOURCE = `databaseId name title url kind organizationName userName every perSecond goneAtMost adopt hasApiKey
  runs(first: 5) { totalCount nodes { state created updated unchanged deleted failed message
    remarks { totalCount nodes { isFault kind recordId recordName message } } } }`;

async function mutate(name: string, input: object, as: TestUser | null = admin, answer = `source { ${SOURCE} }`) {
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${answer} errors { code message path } } }`;
  const { body } = await here.graph(query, { input }, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data[name];
}

async function source(named: string, as: TestUser | null = admin) {
  const { body } = await here.graph(`query ($n: ID!) { harvestSource(id: $n) { ${SOURCE} } }`, { n: named }, { as });
  return body.errors ? { errors: body.errors } : body.data.harvestSource;
}

/** The newest run, once it has ended and there are that many. */
async function ended(named: string, count: number): Promise<any> {
  const look = async () => (await source(named)).runs.nodes;
  return until(async () => {
    const runs = await look();
    return runs.length >= count && runs[0].state !== 'RUNNING' && runs[0];
  }, look);
}

const make = (input: object = {}, as: TestUser | null = admin) =>
  mutate('createHarvestSource', { url: there.base, kind: 'CKAN', perSecond: 1_000, ...input }, as);

it('creates, changes and deletes sources, and reports invalid fields', async () => {
  expect((await make({ name: 'kept', title: 'Kept', every: 60, apiKey: 'secret', adopt: true })).source).toMatchObject({
    name: 'kept',
    title: 'Kept',
    url: there.base,
    kind: 'CKAN',
    userName: admin.name,
    every: 60,
    goneAtMost: 20,
    adopt: true,
    hasApiKey: true,
    runs: { totalCount: 0 },
  });
  expect((await make({ name: 'kept' })).errors).toMatchObject([{ code: 'VALIDATION', path: ['name'] }]);
  const wrong = await make({ name: 'Ä', url: 'file:///etc/passwd', every: 1, perSecond: 0, goneAtMost: 101 });
  expect(wrong.errors.map(({ path }: any) => path[0])).toEqual(['name', 'url', 'every', 'perSecond', 'goneAtMost']);
  expect((await make({ organization: 'nowhere' })).errors).toMatchObject([{ path: ['organization'] }]);
  const changed = await mutate('updateHarvestSource', {
    source: 'kept',
    title: null,
    every: null,
    goneAtMost: 50,
    adopt: null,
  });
  expect(changed.source).toMatchObject({ title: 'kept', every: null, goneAtMost: 50, adopt: false, hasApiKey: true });
  const moved = await mutate('updateHarvestSource', { source: 'kept', url: 'https://elsewhere.example/api/3' });
  expect(moved.source).toMatchObject({ url: 'https://elsewhere.example', hasApiKey: false });
  const { databaseId } = moved.source;
  expect(await mutate('deleteHarvestSource', { source: 'kept' }, admin, 'deletedId')).toMatchObject({
    deletedId: toGlobalId('HarvestSource', databaseId),
  });
  expect((await mutate('deleteHarvestSource', { source: 'kept' }, admin, 'deletedId')).errors).toMatchObject([
    { code: 'NOT_FOUND' },
  ]);
});

it('lets admins of an organization harvest for it as themselves, and refuses others', async () => {
  const stranger = await here.make.user();
  for (const as of [null, stranger, keeper])
    expect((await make({}, as)).errors).toMatchObject([{ code: 'NOT_AUTHORIZED' }]);
  expect((await make({ organization: owner.name }, stranger)).errors).toMatchObject([{ code: 'NOT_AUTHORIZED' }]);
  expect((await make({ name: 'ours', organization: owner.name }, keeper)).source).toMatchObject({
    organizationName: owner.name,
    userName: keeper.name,
  });
  expect((await make({ name: 'all' })).source).toMatchObject({ organizationName: null });
  const names = async (as: TestUser | null) => {
    const { body } = await here.graph('{ harvestSources { totalCount nodes { name } } }', {}, { as });
    return body.data.harvestSources.nodes.map(({ name }: any) => name);
  };
  expect(await names(admin)).toEqual(['all', 'ours']);
  expect(await names(keeper)).toEqual(['ours']);
  expect(await names(stranger)).toEqual([]);
  expect(await names(null)).toEqual([]);
  expect((await source('all', keeper)).errors).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED' } }]);
  expect((await mutate('updateHarvestSource', { source: 'ours', organization: null }, keeper)).errors).toMatchObject([
    { code: 'NOT_AUTHORIZED' },
  ]);
  for (const name of ['all', 'ours'])
    expect((await mutate('startHarvest', { source: name }, stranger)).errors).toMatchObject([
      { code: 'NOT_AUTHORIZED' },
    ]);
});

it('refuses to create or change a source with a token without scope ADMIN', async () => {
  const tokenOf = async (scope: string): Promise<TestUser> => {
    const query = `mutation { createToken(input: { name: "t", scope: ${scope} }) { created { secret } } }`;
    return { ...keeper, key: (await here.graph(query, {}, { as: keeper })).body.data.createToken.created.secret };
  };
  const [narrow, wide] = [await tokenOf('WRITE'), await tokenOf('ADMIN')];
  const input = { name: 'by-token', organization: owner.name };
  expect((await make(input, narrow)).errors).toMatchObject([{ code: 'NOT_AUTHORIZED' }]);
  expect((await make(input, wide)).source).toMatchObject({ name: 'by-token', userName: keeper.name });
  const change = { source: 'by-token', title: 'Changed' };
  expect((await mutate('updateHarvestSource', change, narrow)).errors).toMatchObject([{ code: 'NOT_AUTHORIZED' }]);
  expect((await mutate('updateHarvestSource', change, wide)).source).toMatchObject({ title: 'Changed' });
  await mutate('deleteHarvestSource', { source: 'by-token' }, narrow, 'deletedId');
});

it('harvests as the user of the source, reports renamed datasets, and shows the origin of a dataset', async () => {
  const far = await there.make.sysadmin();
  for (const name of ['rivers', 'lakes', 'seas'])
    await there.result('package_create', { name, title: name, notes: 'n', tags: [{ name: 'water' }] }, { as: far });
  await here.make.dataset({ name: 'lakes' });
  await mutate('startHarvest', { source: 'ours' }, keeper);
  const run = await ended('ours', 1);
  expect(run).toMatchObject({ state: 'DONE', created: 3, failed: 0, message: null });
  expect(run.remarks.nodes).toMatchObject([
    { isFault: false, kind: 'DATASET', recordName: 'lakes', message: 'was renamed to lakes-2: lakes is in use' },
  ]);
  const { body } = await here.graph(
    `query { dataset(id: "lakes-2") { title creatorId organization { name } harvestedFrom { sourceTitle source { name } recordId recordName isThere } } }`,
    {},
    { as: keeper },
  );
  const lakes = await there.result('package_show', { id: 'lakes' });
  expect(body.data.dataset).toEqual({
    title: 'lakes',
    creatorId: keeper.id,
    organization: { name: owner.name },
    harvestedFrom: {
      sourceTitle: 'ours',
      source: { name: 'ours' },
      recordId: lakes.id,
      recordName: 'lakes',
      isThere: true,
    },
  });
  const open = await here.graph(
    `{ rivers: dataset(id: "rivers") { harvestedFrom { source { name } recordName } } lakes: dataset(id: "lakes") { harvestedFrom { recordName } } }`,
  );
  expect(open.body.data).toEqual({
    rivers: { harvestedFrom: { source: null, recordName: 'rivers' } },
    lakes: { harvestedFrom: null },
  });
  await there.result('package_patch', { id: 'lakes', title: 'Lakes' }, { as: far });
  await there.result('package_delete', { id: 'seas' }, { as: far });
  await mutate('updateHarvestSource', { source: 'ours', goneAtMost: 50 }, keeper);
  await mutate('startHarvest', { source: 'ours' }, keeper);
  expect(await ended('ours', 2)).toMatchObject({ state: 'DONE', updated: 1, deleted: 1, remarks: { totalCount: 0 } });
  expect(await here.result('package_show', { id: 'lakes-2' })).toMatchObject({ title: 'Lakes', name: 'lakes-2' });
});

it('deletes nothing if a source lists none of its datasets, unless forced', async () => {
  const far = await there.make.sysadmin();
  for (const name of ['rivers', 'lakes']) await there.result('package_delete', { id: name }, { as: far });
  await mutate('startHarvest', { source: 'ours' }, keeper);
  expect(await ended('ours', 3)).toMatchObject({
    state: 'FAILED',
    deleted: 0,
    message: expect.stringContaining('lists none of its 2'),
  });
  expect((await here.result('package_show', { id: 'rivers' })).state).toBe('active');
  const { body } = await here.graph(
    '{ jobs(where: { kind: "harvest" }) { nodes { databaseId state } } }',
    {},
    { as: admin },
  );
  const waiting = body.data.jobs.nodes.find(({ state }: any) => state === 'QUEUED');
  await mutate('cancelJob', { id: waiting.databaseId }, admin, 'job { state }');
  await mutate('startHarvest', { source: 'ours', force: true }, keeper);
  expect(await ended('ours', 4)).toMatchObject({ state: 'DONE', deleted: 2 });
});

it('refuses sources in private networks by default', async () => {
  const strict = await createWorld({}, { counts: true });
  const working = await strict.app.startWorker();
  try {
    const root = await strict.make.sysadmin();
    const urls = [
      there.base,
      `http://localhost:${new URL(there.base).port}`,
      'http://[::1]:1',
      'http://169.254.169.254',
    ];
    for (const [index, url] of urls.entries()) {
      const name = `s${index}`;
      const input = { name, url, kind: 'CKAN' };
      await strict.graph(
        'mutation ($i: CreateHarvestSourceInput!) { createHarvestSource(input: $i) { errors { message } } }',
        { i: input },
        { as: root },
      );
      await strict.graph(
        'mutation ($n: ID!) { startHarvest(input: { source: $n }) { errors { message } } }',
        { n: name },
        { as: root },
      );
      const look = async () => {
        const query = 'query ($n: ID!) { harvestSource(id: $n) { runs { nodes { state message } } } }';
        return (await strict.graph(query, { n: name }, { as: root })).body.data.harvestSource.runs.nodes[0];
      };
      const { message } = await until(async () => {
        const run = await look();
        return run?.state === 'FAILED' && run;
      }, look);
      expect([url, message]).toEqual([url, expect.stringContaining('Private addresses')]);
    }
  } finally {
    await working.stop();
    await strict.end();
  }
});

it('needs as many statements for many sources as for one', async () => {
  const ask = () =>
    here.graph(
      '{ harvestSources { nodes { name userName organizationName runs { totalCount nodes { state remarks { totalCount nodes { message } } } } } } datasets(first: 10) { nodes { harvestedFrom { recordId source { name } } } } }',
      {},
      { as: admin },
    );
  expect((await ask()).body.errors).toBeUndefined();
  const one = (await here.statementsOf(ask)).length;
  for (const name of ['x1', 'x2', 'x3']) await make({ name });
  expect((await here.statementsOf(ask)).length).toBe(one);
});
