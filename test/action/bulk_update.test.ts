import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentsCheck } from '../../src/catalog/dataset/read/documents.service.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let boss: TestUser;
let editor: TestUser;
let ids: string[];
let office: { id: string };
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' }, { counts: true });
  [admin, boss, editor] = await Promise.all([
    world.make.user({ name: 'admin', sysadmin: true }),
    world.make.user({ name: 'boss' }),
    world.make.user({ name: 'editor' }),
  ]);
  office = await world.make.organization({
    name: 'office',
    members: { [boss.id]: 'admin', [editor.id]: 'editor' },
  });
  await world.make.organization({ name: 'other', members: { [editor.id]: 'admin' } });
});
beforeEach(async () => {
  ids = [];
  for (let n = 0; n < 3; n++) ids.push((await world.make.dataset({ ownerOrganization: 'office' })).id);
});
afterAll(() => world.end());

const call = async (name: string, params: object, as: TestUser | null) => {
  const { status, body } = await world.action(name, { ...params }, { as });
  return body.success ? body.result : { status, ...body.error };
};
const facts = async (id: string) => {
  const { private: isPrivate, state } = await world.result('package_show', { id }, { as: admin });
  return { private: isPrivate, state };
};

describe.each([
  ['bulk_update_private', { private: true, state: 'active' }],
  ['bulk_update_delete', { private: false, state: 'deleted' }],
])('%s', (name, after) => {
  it('changes the datasets in one revision, with matching history and documents', async () => {
    const before = await world.database.db.revision.count();
    expect(await call(name, { datasets: ids.slice(0, 2), org_id: 'office' }, boss)).toBeNull();
    expect(await facts(ids[0]!)).toEqual(after);
    expect(await facts(ids[1]!)).toEqual(after);
    expect(await facts(ids[2]!)).toEqual({ private: false, state: 'active' });
    expect(await world.database.db.revision.count()).toBe(before + 1);
    const [revision] = await world.result('package_revision_list', { id: ids[0] }, { as: boss });
    expect((await world.result('revision_show', { id: revision.id }, { as: boss })).packages).toHaveLength(2);
    const shown = await world.result('package_show', { id: ids[0] }, { as: boss });
    expect(shown.revision_id).toBe(revision.id);
    const copy = await world.full(
      `{ dataset(id: "${ids[0]}", revision: "${revision.id}") { document } }`,
      {},
      { as: boss },
    );
    expect(copy.body.data.dataset.document).toEqual(shown);
    for await (const { faults } of documentsCheck(world.app.callAs(world.system))) expect(faults).toEqual([]);
    expect(await world.result('package_list')).not.toContain(shown.name);
  });

  it('writes no revision when nothing changes', async () => {
    await call(name, { datasets: ids, org_id: office.id }, boss);
    const before = await world.database.db.revision.count();
    expect(await call(name, { datasets: ids, org_id: office.id }, boss)).toBeNull();
    expect(await world.database.db.revision.count()).toBe(before);
  });

  it('allows only admins of the organization', async () => {
    for (const as of [editor, null])
      expect(await call(name, { datasets: ids, org_id: 'office' }, as)).toMatchObject({ status: 403 });
    expect(await call(name, { datasets: ids }, boss)).toMatchObject({ status: 403 });
    expect(await call(name, { datasets: ids, org_id: 'nope' }, boss)).toMatchObject({ status: 403 });
    expect(await facts(ids[0]!)).toEqual({ private: false, state: 'active' });
  });

  it('skips unknown datasets and datasets of other organizations', async () => {
    expect(await call(name, { datasets: ids, org_id: 'other' }, editor)).toBeNull();
    expect(await call(name, { datasets: ['nope', ids[0]], org_id: 'other' }, admin)).toBeNull();
    expect(await facts(ids[0]!)).toEqual({ private: false, state: 'active' });
    for (const params of [{}, { datasets: ids }, { org_id: 'office' }, { datasets: [], org_id: 'office' }])
      expect(await call(name, params, admin)).toBeNull();
  });

  it('sends as many statements for a hundred datasets as for one', async () => {
    const many: string[] = [];
    for (let n = 0; n < 100; n++) many.push((await world.make.dataset({ ownerOrganization: 'office' })).id);
    const one = await world.statementsOf(() => call(name, { datasets: many.slice(0, 1), org_id: 'office' }, boss));
    const all = await world.statementsOf(() => call(name, { datasets: many, org_id: 'office' }, boss));
    expect(all).toHaveLength(one.length);
    expect(await Promise.all(many.map(facts))).toEqual(many.map(() => after));
  });
});

describe('bulk_update_public', () => {
  it('makes private datasets public', async () => {
    await call('bulk_update_private', { datasets: ids, org_id: 'office' }, boss);
    expect(await call('bulk_update_public', { datasets: ids.slice(1), org_id: 'office' }, boss)).toBeNull();
    expect(await call('package_show', { id: ids[0] }, null)).toMatchObject({ status: 403 });
    expect(await call('package_show', { id: ids[1] }, null)).toMatchObject({ private: false });
    expect(await call('bulk_update_public', { datasets: ids, org_id: 'office' }, editor)).toMatchObject({
      status: 403,
    });
  });
});

it('returns the changed datasets on /graphql', async () => {
  const change = (as: TestUser | null) =>
    world.graph(
      'mutation ($input: ChangeDatasetsInput!) { changeDatasets(input: $input) { changedIds errors { code } } }',
      { input: { organization: 'office', datasetIds: [...ids, 'nope'], change: 'MAKE_PRIVATE' } },
      { as },
    );
  expect((await change(editor)).body.data.changeDatasets).toEqual({
    changedIds: null,
    errors: [{ code: 'NOT_AUTHORIZED' }],
  });
  const changedIds = [...ids].sort().map((id) => toGlobalId('Dataset', id));
  expect((await change(boss)).body.data.changeDatasets).toEqual({ changedIds, errors: [] });
});
