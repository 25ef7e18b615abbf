import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { indexWhatIsMissing, searchCheck, searchRebuild, searchStatus } from '../../src/search/index/index.service.ts';
import type { IndexFault } from '../../src/search/index/index.sql.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

async function faults(): Promise<IndexFault[]> {
  const found: IndexFault[] = [];
  for await (const batch of searchCheck(world.app.callAs(world.system))) found.push(...batch.faults);
  return found;
}

async function rebuild(): Promise<number> {
  let written = 0;
  for await (const count of searchRebuild(world.app.callAs(world.system))) written += count;
  return written;
}

const act = (name: string, params: Record<string, unknown>) => world.result(name, params, { as: admin });
const tamper = (sql: string, values: unknown[] = []) => world.database.pool.query(sql, values);
const found = async () =>
  (await world.result('package_search', { rows: 0, 'facet.field': ['tags'] })) as { count: number; facets: any };

it('equals the documents after every kind of write', async () => {
  const owner = await act('organization_create', { name: 'owner-one', title: 'Owner' });
  await act('organization_create', { name: 'owner-two' });
  await act('group_create', { name: 'group-one', title: 'Group' });
  const vocabulary = await act('vocabulary_create', { name: 'levels', tags: [{ name: 'high' }, { name: 'low' }] });
  for (let index = 0; index < 12; index += 1) {
    await act('package_create', {
      name: `d-${index}`,
      owner_org: index % 2 ? 'owner-one' : 'owner-two',
      groups: index % 3 ? [] : [{ name: 'group-one' }],
      tags: [{ name: `tag-${index % 4}` }, { name: index % 2 ? 'high' : 'low', vocabulary_id: vocabulary.id }],
    });
  }
  expect(
    (await world.result('package_search', { fq: 'vocab_levels:high', 'facet.field': ['vocab_levels'] })).facets
      .vocab_levels,
  ).toEqual({ high: 6 });
  await act('package_update', { id: 'd-0', title: 'Changed', tags: [{ name: 'tag-9' }] });
  await act('resource_create', { package_id: 'd-1', url: 'http://a.example/x.csv', format: 'CSV' });
  await act('package_owner_org_update', { id: 'd-2', organization_id: 'owner-one' });
  await act('organization_patch', { id: 'owner-one', name: 'owner-renamed', title: 'Other title' });
  await act('group_patch', { id: 'group-one', name: 'group-renamed' });
  await act('member_create', { id: 'group-renamed', object: 'd-4', object_type: 'package', capacity: 'public' });
  await act('member_delete', { id: 'group-renamed', object: 'd-3', object_type: 'package' });
  await act('tag_delete', { id: 'tag-1' });
  await act('tag_delete', { id: 'high', vocabulary_id: vocabulary.id });
  await act('bulk_update_private', { datasets: ['d-5'], org_id: owner.id });
  await act('bulk_update_delete', { datasets: ['d-7'], org_id: owner.id });
  await act('package_delete', { id: 'd-6' });
  await act('dataset_purge', { id: 'd-8' });
  await act('group_purge', { id: 'group-renamed' });
  await act('organization_purge', { id: 'owner-two' });
  await act('organization_delete', { id: 'owner-renamed' });
  expect(await faults()).toEqual([]);
  expect(await searchStatus(world.app.callAs(world.system))).toMatchObject({ datasets: 11, indexed: 11 });
});

it('reports differences, and repairs them', async () => {
  const [lost, wrong] = [
    await world.make.dataset({ tags: [{ name: 'xx' }] }),
    await world.make.dataset({ tags: [{ name: 'yy' }] }),
  ];
  await tamper('DELETE FROM dataset_search WHERE dataset_id = $1', [lost.id]);
  await tamper(`UPDATE dataset_search SET words = 'nothing', facets = '{}' WHERE dataset_id = $1`, [wrong.id]);
  await tamper(
    `INSERT INTO dataset_search (dataset_id, public, state, private, name, title, created_at, modified_at, resource_count, tag_count, length_factor, facets, words, field_words)
     VALUES ('nobody', true, 'active', false, 'nobody', 'Nobody', now(), now(), 0, 0, 1, '{}', 'nobody', '')`,
  );
  const told = Object.fromEntries((await faults()).map(({ id, faults }) => [id, faults]));
  expect(told).toEqual({ [lost.id]: ['(missing)'], [wrong.id]: ['facets', 'words'], nobody: ['(removed)'] });
  expect(await rebuild()).toBe(13);
  expect(await faults()).toEqual([]);
});

it('indexes all datasets when the index is empty, and none when it is complete', async () => {
  const call = world.app.callAs(world.system);
  const before = await found();
  await tamper('TRUNCATE dataset_search, search_value RESTART IDENTITY');
  expect((await found()).count).toBe(0);
  expect(await indexWhatIsMissing(call)).toBe(13);
  expect(await found()).toEqual(before);
  expect(await indexWhatIsMissing(call)).toBe(0);
});

it('counts correctly during writes, beyond the refresh of cached counts', async () => {
  for (let index = 0; index < 130; index += 1) {
    await world.make.dataset({ tags: [{ name: `many-${index % 2}` }], notes: 'counted' });
    if (index % 40 === 39) {
      const { count, facets } = await world.result('package_search', {
        q: 'counted',
        rows: 0,
        'facet.field': ['tags'],
      });
      expect([count, facets.tags]).toEqual([index + 1, { 'many-0': (index + 1) / 2, 'many-1': (index + 1) / 2 }]);
    }
  }
  const [searched, everything] = [
    await world.result('package_search', { q: 'counted', rows: 0, 'facet.field': ['tags'] }),
    await found(),
  ];
  expect(searched.facets.tags).toEqual({ 'many-0': 65, 'many-1': 65 });
  expect(everything.facets.tags).toMatchObject({ 'many-0': 65, 'many-1': 65 });
});

it('refuses callers other than sysadmins', async () => {
  const call = world.app.callAs({ ...world.system, sysadmin: false });
  await expect(searchCheck(call).next()).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
  await expect(searchRebuild(call).next()).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
  await expect(searchStatus(call)).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
});
