import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { enqueue } from '../../src/jobs/queue.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let boss: TestUser;
let editor: TestUser;
let member: TestUser;
let datasetId: string;
let own: string;
let none: string;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  [boss, editor, member] = await Promise.all([
    world.make.user({ sysadmin: true }),
    world.make.user({ name: 'editor' }),
    world.make.user({ name: 'member' }),
  ]);
  const office = await world.make.organization({ members: { [editor.id]: 'editor', [member.id]: 'member' } });
  const dataset = await world.make.dataset({ name: 'rivers', ownerOrganization: office.id });
  datasetId = dataset.id;
  const call = world.app.callAs(world.system);
  for (let n = 0; n < 3; n += 1)
    own = (await enqueue(call, { kind: 'note', subjectType: 'thing', subjectId: `${n}`, datasetId })).id;
  none = (await enqueue(call, { kind: 'other', subjectType: 'thing', subjectId: 'x' })).id;
});
afterAll(() => world.end());

const LIST = `query ($dataset: ID, $kind: String, $after: String) { jobs(where: { dataset: $dataset, kind: $kind }, first: 2, after: $after)
  { totalCount nodes { databaseId subjectId state dataset { name } } pageInfo { hasNextPage endCursor } } }`;
const list = async (variables: Record<string, unknown>, as: TestUser | null) =>
  (await world.graph(LIST, variables, { as })).body;
const codes = (body: any) => body.errors?.map((error: any) => error.extensions.code);

it('lists the jobs of a dataset to its editors, newest first, page by page', async () => {
  const first = (await list({ dataset: 'rivers' }, editor)).data.jobs;
  expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
  const second = (await list({ dataset: 'rivers', after: first.pageInfo.endCursor }, editor)).data.jobs;
  expect([...first.nodes, ...second.nodes].map((job) => job.subjectId)).toEqual(['2', '1', '0']);
  expect(first.nodes[0]).toMatchObject({ databaseId: own, state: 'QUEUED', dataset: { name: 'rivers' } });
  expect(second.pageInfo.hasNextPage).toBe(false);
});

it('lists all jobs to system administrators, and refuses others without a dataset that they may edit', async () => {
  expect((await list({}, boss)).data.jobs.totalCount).toBe(4);
  expect((await list({ kind: 'other' }, boss)).data.jobs.totalCount).toBe(1);
  for (const as of [member, null]) expect(codes(await list({ dataset: 'rivers' }, as))).toEqual(['NOT_AUTHORIZED']);
  for (const as of [editor, null]) expect(codes(await list({}, as))).toEqual(['NOT_AUTHORIZED']);
  expect(codes(await list({ dataset: 'nowhere' }, boss))).toEqual(['VALIDATION']);
});

it('lists jobs with fewer than seven statements', async () => {
  const one = await world.statementsOf(() => list({ dataset: 'rivers', after: null }, boss));
  expect(one.length).toBeLessThan(7);
});

it('shows one job, by id and as a node, to editors of its dataset only', async () => {
  const show = async (id: string, as: TestUser | null) =>
    (await world.graph('query ($id: String!) { job(databaseId: $id) { id kind } }', { id }, { as })).body;
  const { id } = (await show(own, editor)).data.job;
  expect(codes(await show(own, member))).toEqual(['NOT_AUTHORIZED']);
  expect(codes(await show(none, editor))).toEqual(['NOT_AUTHORIZED']);
  expect(codes(await show('nothing', editor))).toEqual(['NOT_FOUND']);
  const node = async (as: TestUser | null) =>
    (await world.graph('query ($id: ID!) { node(id: $id) { ... on Job { databaseId } } }', { id }, { as })).body.data
      .node;
  expect(await node(editor)).toEqual({ databaseId: own });
  expect(await node(member)).toBeNull();
});

it('cancels and retries jobs for editors of their dataset only', async () => {
  const send = async (name: string, id: string, as: TestUser | null) =>
    (
      await world.graph(
        `mutation ($id: ID!) { ${name}(input: { id: $id }) { job { state } errors { code } } }`,
        { id },
        { as },
      )
    ).body.data[name];
  for (const as of [member, null])
    expect(await send('cancelJob', own, as)).toEqual({ job: null, errors: [{ code: 'NOT_AUTHORIZED' }] });
  expect(await send('retryJob', own, member)).toEqual({ job: null, errors: [{ code: 'NOT_AUTHORIZED' }] });
  expect(await send('cancelJob', none, editor)).toEqual({ job: null, errors: [{ code: 'NOT_AUTHORIZED' }] });
  expect(await send('cancelJob', own, editor)).toEqual({ job: { state: 'CANCELLED' }, errors: [] });
  expect(await send('retryJob', own, editor)).toEqual({ job: { state: 'QUEUED' }, errors: [] });
});

it('deletes the jobs of a purged dataset', async () => {
  await world.result('dataset_purge', { id: datasetId }, { as: boss });
  expect((await list({}, boss)).data.jobs.totalCount).toBe(1);
});
