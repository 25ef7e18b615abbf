/** Mirrors that follow revisions with `since_id` reach the end despite deletions, private datasets and purges. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  editor = await world.make.user({ name: 'editor' });
  await world.make.organization({ name: 'office', members: { [editor.id]: 'admin' } });
});
afterAll(() => world.end());

const asEditor = (name: string, params: object) => world.result(name, { ...params }, { as: editor });
const since = (id: string, headers: Record<string, string> = {}) =>
  world.request(`/api/2/search/revision?since_id=${id}`, { headers });
const latest = async (): Promise<string> => (await world.request('/api/2/rest/revision')).body[0];
const packages = async (id: string): Promise<string[]> =>
  (await world.request(`/api/2/rest/revision/${id}`)).body.packages;
const make = (name: string, more: object = {}) => asEditor('package_create', { name, owner_org: 'office', ...more });

/** Revisions after the given one, oldest first. Fails if the request is refused. */
async function follow(id: string): Promise<string[]> {
  const { status, body, text } = await since(id);
  if (status !== 200) throw new Error(`since_id=${id}: ${status} ${text}`);
  return [...body].reverse();
}

it.each<[string, (id: string) => Promise<unknown>, number]>([
  ['a deletion', (id) => asEditor('package_delete', { id }), 1],
  ['a deletion and later hidden changes', (id) => deleteAndChange(id), 1],
  ['a privatisation', (id) => asEditor('package_patch', { id, private: true }), 0],
  ['a privatisation and its reversal', (id) => hideAndShow(id), 1],
])('continues after %s', async (_what, happen, news) => {
  const { id } = await make(`watched-${world.id()}`);
  const seen = await latest();
  expect(await packages(seen)).toEqual([id]);
  await happen(id);
  expect(await follow(seen)).toHaveLength(news);
  const next = await make(`later-${world.id()}`);
  const more = await follow(seen);
  expect(more).toHaveLength(news + 1);
  expect(await packages(more.at(-1)!)).toEqual([next.id]);
  if (news === 1) expect(await packages(more[0]!)).toEqual([id]);
});

const deleteAndChange = async (id: string) => {
  await asEditor('package_delete', { id });
  await asEditor('package_patch', { id, title: 'nobody sees' });
};
const hideAndShow = async (id: string) => {
  await asEditor('package_patch', { id, private: true });
  await asEditor('package_patch', { id, private: false });
};

it('continues after the deletion of an organization with its datasets', async () => {
  await world.result('organization_create', { name: 'closing' }, { as: admin });
  const { id } = await world.result('package_create', { name: 'closing-set', owner_org: 'closing' }, { as: admin });
  const seen = await latest();
  await world.result('organization_delete', { id: 'closing' }, { as: admin });
  const more = await follow(seen);
  expect((await Promise.all(more.map(packages))).flat()).toEqual([id]);
});

it('continues after a purge, although the revision is no longer readable', async () => {
  const { id } = await make('purged-soon');
  const seen = await latest();
  await world.result('dataset_purge', { id }, { as: admin });
  expect((await world.request(`/api/2/rest/revision/${seen}`)).status).toBe(403);
  expect(await latest()).not.toBe(seen);
  expect(await follow(seen)).toEqual([]);
  const next = await make('after-the-purge');
  const more = await follow(seen);
  expect(await Promise.all(more.map(packages))).toEqual([[next.id]]);
});

it('refuses to start at a revision that was never public', async () => {
  const { id } = await make('private-always', { private: true });
  const [{ id: hidden }] = await asEditor('package_revision_list', { id });
  expect((await since(hidden)).status).toBe(403);
  expect((await since(hidden, { authorization: editor.key })).status).toBe(200);
  await asEditor('package_patch', { id, private: false });
  expect((await since(hidden)).status).toBe(403);
  await world.result('dataset_purge', { id }, { as: admin });
  expect((await since(hidden)).status).toBe(403);
  expect((await since('nope')).status).toBe(404);
});
