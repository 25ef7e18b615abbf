/** The machine's clock is set back by an hour: timestamps that readers use as cursors still increase. */
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
const as = () => ({ as: editor });
beforeAll(async () => {
  world = await createWorld();
  editor = await world.make.user({ name: 'editor' });
  await world.make.organization({ name: 'office', members: { [editor.id]: 'admin' } });
});
afterEach(() => {
  jest.useRealTimers();
});
afterAll(() => world.end());

const setBack = (ms = 3_600_000) =>
  jest.useFakeTimers({
    now: Date.now() - ms,
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
const make = (name: string, more: object = {}) =>
  world.result('package_create', { name, owner_org: 'office', ...more }, as());
const show = (id: string) => world.result('package_show', { id }, as());
const growing = (times: string[]) => expect(times).toEqual([...new Set(times)].sort());

it('metadata_modified grows with every kind of write', async () => {
  const { id, resources, metadata_modified } = await make('steady', { resources: [{ url: 'http://a.example' }] });
  const other = await make('other');
  setBack();
  const writes: [string, object][] = [
    ['package_patch', { id, title: 'New' }],
    ['resource_update', { id: resources[0].id, url: 'http://b.example' }],
    ['resource_create', { package_id: id, url: 'http://c.example' }],
    ['package_patch', { id, owner_org: 'office' }],
    ['bulk_update_private', { org_id: 'office', datasets: [id] }],
    ['bulk_update_public', { org_id: 'office', datasets: [id] }],
    ['package_relationship_create', { subject: id, object: other.id, type: 'depends_on' }],
    ['package_delete', { id }],
    ['package_patch', { id, state: 'active' }],
  ];
  const times = [metadata_modified];
  for (const [name, params] of writes) {
    await world.result(name, { ...params }, as());
    const now = await show(id);
    if (name !== 'package_relationship_create') times.push(now.metadata_modified);
    const column = await world.database.db.dataset.findUnique({ where: { id } });
    expect(`${column!.modifiedAt.toISOString().slice(0, -1)}000`).toBe(now.metadata_modified);
  }
  growing(times);
});

it('a new dataset is newer than those before it', async () => {
  const before = await make('earlier');
  setBack();
  const after = await make('later');
  growing([before.metadata_modified, after.metadata_modified]);
  expect(after.metadata_created).toBe(after.metadata_modified);
  const { results } = await world.result('package_search', { sort: 'metadata_modified desc', rows: 2 }, as());
  expect(results.map(({ name }: { name: string }) => name)).toEqual(['later', 'earlier']);
});

it('revisions, activities and history keep their order, and mirrors miss nothing', async () => {
  const { id } = await make('mirrored');
  const [seen] = (await world.request('/api/2/rest/revision')).body;
  const [first] = await world.result('package_revision_list', { id }, as());
  setBack();
  await world.result('package_patch', { id, title: 'Second' }, as());
  await world.result('group_create', { name: 'made-meanwhile' }, as());
  await world.result('package_patch', { id, title: 'Third' }, as());
  const since = async (query: string) => (await world.request(`/api/2/search/revision?${query}`)).body;
  const news = await since(`since_id=${seen}`);
  expect(news).toEqual(expect.arrayContaining(await since(`since_time=${first.timestamp.slice(0, 23)}`)));
  const list = await world.result('package_revision_list', { id }, as());
  expect(list).toHaveLength(3);
  growing(list.map(({ timestamp }: { timestamp: string }) => timestamp).reverse());
  expect(news).toEqual(expect.arrayContaining([list[0].id, list[1].id]));
  const activities = await world.result('package_activity_list', { id }, as());
  growing(activities.map(({ timestamp }: { timestamp: string }) => timestamp).reverse());
  const copies = await world.database.db.datasetHistory.findMany({
    where: { datasetId: id },
    orderBy: { version: 'asc' },
  });
  growing(copies.map(({ createdAt }) => createdAt.toISOString()));
});

it('the time of an upload does not go back', async () => {
  const { id } = await make('uploaded');
  const upload = async (text: string, resource?: string) => {
    const form = new FormData();
    form.set(resource ? 'id' : 'package_id', resource ?? id);
    form.set('url', 'a.csv');
    form.set('upload', new Blob([text]), 'a.csv');
    const action = resource ? 'resource_update' : 'resource_create';
    const init = { method: 'POST', headers: { authorization: editor.key }, body: form };
    const { body, text: said } = await world.request(`/api/3/action/${action}`, init);
    if (!body.success) throw new Error(said);
    return body.result;
  };
  const first = await upload('a\n1\n');
  setBack();
  const second = await upload('a\n2\n', first.id);
  expect(second.last_modified > first.last_modified).toBe(true);
});
