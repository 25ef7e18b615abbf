import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
let eve: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  ann = await world.make.user({ name: 'ann' });
  eve = await world.make.user({ name: 'eve' });
  await world.make.organization({ name: 'owner', members: { [ann.id]: 'editor' } });
  await world.make.group({ name: 'topic', members: { [ann.id]: 'admin' } });
  const dataset = { name: 'rivers', title: 'Rivers', owner_org: 'owner', groups: [{ name: 'topic' }] };
  await world.result('package_create', { ...dataset, notes: 'Wet.', tags: [{ name: 'water' }] }, { as: ann });
});
afterAll(() => world.end());

const list = (name: string, params: Record<string, unknown> = {}, as: TestUser | null = null) =>
  world.result(name, params, { as, get: true });
const told = (activities: any[]) =>
  activities.map(({ activity_type, data }) => [activity_type, (data.package ?? data.group)?.title ?? null]);
const patch = (params: Record<string, unknown>, as = ann) => world.result('package_patch', params, { as });

describe('streams', () => {
  it('list activities newest first, each with the state of its time', async () => {
    await patch({ id: 'rivers', title: 'Streams' });
    const activities = await list('package_activity_list', { id: 'rivers' });
    expect(told(activities)).toEqual([
      ['changed package', 'Streams'],
      ['new package', 'Rivers'],
    ]);
    expect(activities[1]).toMatchObject({
      id: expect.any(String),
      user_id: ann.id,
      object_id: expect.any(String),
      revision_id: expect.any(String),
      timestamp: expect.stringMatching(/^\d{4}-.*\d{6}$/),
      data: { package: { name: 'rivers', notes: 'Wet.', private: false } },
    });
    expect(activities[1].data.package).not.toHaveProperty('tags');
    expect(await list('package_activity_list', { id: 'rivers' })).toEqual(activities);
  });

  it.each([
    ['user_activity_list', { id: 'ann' }],
    ['group_activity_list', { id: 'topic' }],
    ['organization_activity_list', { id: 'owner' }],
    ['recently_changed_packages_activity_list', {}],
  ])('%s shows the dataset too', async (name, params) => {
    expect(told(await list(name, params))).toContainEqual(['new package', 'Rivers']);
  });

  it('are empty where nothing happened', async () => {
    expect(await list('user_activity_list', { id: 'eve' })).toEqual([]);
  });

  it('show group changes with group fields, and account changes under the changed user', async () => {
    await world.result('group_create', { name: 'made', title: 'Made' }, { as: ann });
    await world.result('group_patch', { id: 'made', title: 'Remade' }, { as: ann });
    expect(told(await list('group_activity_list', { id: 'made' }))).toEqual([
      ['changed group', 'Remade'],
      ['new group', 'Made'],
    ]);
    const user = { name: 'newcomer', email: 'new@example.org', password: 'a-good-one' };
    const { id } = await world.result('user_create', user, { as: admin });
    await world.result('user_patch', { id, fullname: 'New Comer' }, { as: admin });
    await world.result('user_generate_apikey', { id }, { as: admin });
    expect(await list('user_activity_list', { id })).toMatchObject([
      { activity_type: 'changed user', user_id: id, object_id: id, data: {} },
      { activity_type: 'new user', user_id: id, object_id: id, data: {}, revision_id: null },
    ]);
    expect(await list('user_activity_list', { id: admin.name })).toEqual([]);
  });

  it('omit writes that change nothing', async () => {
    const before = await list('package_activity_list', { id: 'rivers' });
    await patch({ id: 'rivers', tags: [{ name: 'water' }], groups: [{ name: 'topic' }] });
    expect(await list('package_activity_list', { id: 'rivers' })).toEqual(before);
  });

  it('are paged by limit and offset', async () => {
    const all = await list('recently_changed_packages_activity_list');
    for (const [limit, offset] of [
      [1, 0],
      [1, 1],
      [5, 1],
      [3, 100],
    ])
      expect(await list('recently_changed_packages_activity_list', { limit, offset })).toEqual(
        all.slice(offset!, offset! + limit!),
      );
    expect(await list('recently_changed_packages_activity_list', { limit: 0 })).toEqual(all);
  });
});

describe('refusals', () => {
  const streams = ['user', 'package', 'group', 'organization'].flatMap((word) => [
    `${word}_activity_list`,
    `${word}_activity_list_html`,
  ]);

  it.each(streams)('%s requires an existing id and valid numbers', async (name) => {
    const error = async (params: Record<string, unknown>) =>
      (await world.action(name, params, { get: true })).body.error;
    expect(await error({ id: 'nope' })).toMatchObject({ __type: 'Not Found Error' });
    expect(await error({})).toMatchObject({ __type: 'Validation Error', id: ['Missing value'] });
    expect(await error({ id: 'x', limit: -1 })).toMatchObject({ limit: ['Must be a natural number'] });
    expect(await error({ id: 'x', limit: '' })).toMatchObject({ limit: ['Must be a natural number'] });
    expect(await error({ id: 'x', offset: 'x' })).toMatchObject({ offset: ['Invalid integer'] });
  });

  it('name the setting of the exceeded limit', async () => {
    const { body } = await world.action('recently_changed_packages_activity_list', { limit: 1_001 });
    expect(JSON.stringify(body.error)).toContain('catalog.limits.rows');
  });
});

describe('visibility', () => {
  const HIDDEN = ['hidden-private', 'hidden-draft', 'once-private', 'Secret'];
  const everywhere = async (as: TestUser | null) => {
    const streams: [string, Record<string, unknown>][] = [
      ['user_activity_list', { id: 'ann' }],
      ['group_activity_list', { id: 'topic' }],
      ['organization_activity_list', { id: 'owner' }],
      ['recently_changed_packages_activity_list', {}],
      ...(as ? ([['dashboard_activity_list', {}]] as [string, object][]).map(([n, p]) => [n, { ...p }] as any) : []),
    ];
    const texts = await Promise.all(
      streams.flatMap(([name, params]) => [
        list(name, params, as),
        list(`${name}_html`, name.startsWith('dash') ? { id: as!.id } : params, as),
      ]),
    );
    return JSON.stringify(texts);
  };

  it('hides private and draft datasets from the streams of other users', async () => {
    const own = { owner_org: 'owner', groups: [{ name: 'topic' }] };
    await world.result('package_create', { name: 'hidden-private', ...own, private: true }, { as: ann });
    await world.result('package_create', { name: 'hidden-draft', ...own, state: 'draft' }, { as: admin });
    await world.result('package_create', { name: 'public-deleted', ...own }, { as: ann });
    await world.result('package_delete', { id: 'public-deleted' }, { as: ann });
    await world.result('group_create', { name: 'public-group' }, { as: ann });
    await world.result('group_delete', { id: 'public-group' }, { as: ann });
    // Activities from the private time stay hidden after publication.
    const secret = { name: 'open-now', title: 'Secret', ...own, resources: [{ url: 'http://Secret.example' }] };
    await world.result('package_create', { ...secret, private: true }, { as: ann });
    await patch({ id: 'open-now', private: false, title: 'Open', resources: [] });
    for (const follower of [eve]) {
      await world.result('follow_group', { id: 'owner' }, { as: follower });
      await world.result('follow_user', { id: 'ann' }, { as: follower });
    }
    for (const as of [null, eve]) {
      const seen = await everywhere(as);
      expect(HIDDEN.filter((text) => seen.includes(text))).toEqual([]);
      for (const name of ['open-now', 'public-deleted', 'public-group']) expect(seen).toContain(name);
    }
    const [opened] = await list('package_activity_list', { id: 'open-now' });
    expect(JSON.stringify(await list('activity_detail_list', { id: opened.id }))).not.toContain('Secret');
    // A public dataset becomes private: its own stream is refused, its public activities stay in the other streams.
    const [first] = await list('package_activity_list', { id: 'rivers' });
    await patch({ id: 'rivers', private: true });
    expect((await world.action('package_activity_list', { id: 'rivers' })).body.error.__type).toBe(
      'Authorization Error',
    );
    expect(await everywhere(eve)).toContain('rivers');
    const details = await list('activity_detail_list', { id: first.id }, eve);
    expect(details.length).toBeGreaterThan(0);
    expect(await list('activity_detail_list', { id: first.id }, ann)).toEqual(details);
    await patch({ id: 'rivers', private: false });
    expect(await everywhere(eve)).toContain('rivers');
  });

  it('shows members the deletion of a dataset', async () => {
    const types = (await list('organization_activity_list', { id: 'owner' }, ann))
      .filter(({ data }: any) => data.package?.name === 'public-deleted')
      .map(({ activity_type }: any) => activity_type);
    expect(types).toEqual(['deleted package', 'new package']);
  });

  it('starts the stream of a draft with its publication', async () => {
    await world.result('package_patch', { id: 'hidden-draft', state: 'active', title: 'Published' }, { as: admin });
    expect(told(await list('package_activity_list', { id: 'hidden-draft' }))).toEqual([['new package', 'Published']]);
  });

  it('removes the activities of a purged dataset', async () => {
    await world.result('package_create', { name: 'purged-one', owner_org: 'owner' }, { as: ann });
    await world.result('package_delete', { id: 'purged-one' }, { as: ann });
    await world.result('dataset_purge', { id: 'purged-one' }, { as: admin });
    expect(JSON.stringify(await list('recently_changed_packages_activity_list', {}, admin))).not.toContain(
      'purged-one',
    );
  });
});
