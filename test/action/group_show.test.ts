import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
const asGet = { get: true } as const;

beforeAll(async () => {
  world = await createWorld();
  const una = await world.make.user({ name: 'una' });
  await world.make.group({ name: 'topic', title: 'Topic', members: { [una.id]: 'admin' } });
  await world.make.organization({ name: 'office' });
  await world.make.dataset({ name: 'older', groups: [{ name: 'topic' }] });
  await world.make.dataset({ name: 'newer', groups: [{ name: 'topic' }], ownerOrganization: 'office' });
});
afterAll(() => world.end());

describe('group_show', () => {
  it('includes all parts except datasets by default', async () => {
    const group = await world.result('group_show', { id: 'topic' }, asGet);
    expect(group).toMatchObject({
      name: 'topic',
      package_count: 2,
      extras: [],
      groups: [],
      tags: [],
      users: [{ name: 'una' }],
    });
    expect(group).not.toHaveProperty('packages');
  });

  it.each(['extras', 'users', 'groups', 'tags'])('omits %s on request', async (part) => {
    expect(await world.result('group_show', { id: 'topic', [`include_${part}`]: 'false' }, asGet)).not.toHaveProperty(
      part,
    );
  });

  it('returns the datasets on request, most recently modified first', async () => {
    const group = await world.result('group_show', { id: 'topic', include_datasets: 'true' }, asGet);
    expect(group.packages.map((dataset: any) => dataset.name)).toEqual(['newer', 'older']);
    expect(group.packages[0]).toMatchObject({ organization: { name: 'office' }, groups: [{ name: 'topic' }] });
  });

  it('finds by id and by name, with exact case and kind', async () => {
    const { id } = await world.result('group_show', { id: 'topic' }, asGet);
    expect((await world.result('group_show', { id }, asGet)).name).toBe('topic');
    for (const [action, name] of [
      ['group_show', 'TOPIC'],
      ['group_show', 'office'],
      ['organization_show', 'topic'],
      ['group_show', ''],
      ['group_show', 'nope'],
    ] as const) {
      expect((await world.action(action, { id: name }, asGet)).body.error.__type).toBe('Not Found Error');
    }
    expect((await world.action('group_show', {}, asGet)).body.error).toMatchObject({ id: ['Missing value'] });
  });

  it('returns 304 for an unchanged group', async () => {
    const { headers } = await world.action('group_show', { id: 'topic' }, asGet);
    const again = await world.action(
      'group_show',
      { id: 'topic' },
      { get: true, headers: { 'if-none-match': headers.get('etag')! } },
    );
    expect(again.status).toBe(304);
  });

  it('shows the full URL of an uploaded image', async () => {
    await world.result(
      'organization_patch',
      { id: 'office', image_url: '2026-logo.png' },
      { as: await world.make.sysadmin() },
    );
    expect(await world.result('organization_show', { id: 'office' })).toMatchObject({
      image_url: '2026-logo.png',
      image_display_url: 'http://catalog.test/uploads/group/2026-logo.png',
    });
  });
});

describe('group_package_show', () => {
  const names = async (params: Record<string, unknown>) =>
    (await world.result('group_package_show', params, asGet)).map((dataset: any) => dataset.name);

  it('returns the datasets, up to the limit', async () => {
    expect(await names({ id: 'topic' })).toEqual(['newer', 'older']);
    expect(await names({ id: 'topic', limit: '1' })).toEqual(['newer']);
    expect(await names({ id: 'topic', limit: '0' })).toEqual([]);
  });

  it('returns no datasets for an organization, and an error for an unknown group', async () => {
    expect(await names({ id: 'office' })).toEqual([]);
    expect((await world.action('group_package_show', { id: 'nope' }, asGet)).body.error.__type).toBe('Not Found Error');
    expect((await world.action('group_package_show', {}, asGet)).body.error).toMatchObject({ id: ['Missing value'] });
  });
});
