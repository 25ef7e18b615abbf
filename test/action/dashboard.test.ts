import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let ann: TestUser;
let eve: TestUser;
beforeAll(async () => {
  world = await createWorld();
  ann = await world.make.user({ name: 'ann' });
  eve = await world.make.user({ name: 'eve' });
  await world.make.group({ name: 'topic', members: { [ann.id]: 'editor' } });
  for (const name of ['one', 'two']) await world.result('package_create', { name }, { as: ann });
  await world.result('package_create', { name: 'three', groups: [{ name: 'topic' }] }, { as: ann });
});
afterAll(() => world.end());

const dashboard = async (as: TestUser) =>
  (await world.result('dashboard_activity_list', {}, { as })).map((it: any) => [it.data.package?.name, it.is_new]);
const count = (as: TestUser) => world.result('dashboard_new_activities_count', {}, { as, get: true });

describe('dashboard', () => {
  it('is empty at first', async () => {
    expect(await dashboard(eve)).toEqual([]);
    expect(await count(eve)).toBe(0);
    expect(await world.result('dashboard_activity_list_html', { id: 'eve' }, { as: eve })).toContain('No activities');
  });

  it('shows the activities of all followed objects, each once', async () => {
    await world.result('follow_dataset', { id: 'one' }, { as: eve });
    expect(await dashboard(eve)).toEqual([['one', true]]);
    await world.result('follow_group', { id: 'topic' }, { as: eve });
    expect(await dashboard(eve)).toEqual([
      ['three', true],
      ['one', true],
    ]);
    await world.result('follow_user', { id: 'ann' }, { as: eve });
    expect(await dashboard(eve)).toEqual([
      ['three', true],
      ['two', true],
      ['one', true],
    ]);
    expect(await count(eve)).toBe(3);
    for (const limit of [1, 2, 3])
      expect(await world.result('dashboard_activity_list', { limit }, { as: eve })).toHaveLength(limit);
  });

  it('does not mark own activities as new', async () => {
    expect(await dashboard(ann)).toEqual([
      ['three', false],
      ['two', false],
      ['one', false],
    ]);
    expect(await count(ann)).toBe(0);
  });

  it('has no new activities after they were marked as seen, until the next change', async () => {
    expect(await world.result('dashboard_mark_activities_old', {}, { as: eve })).toBeNull();
    expect(await count(eve)).toBe(0);
    expect(new Set((await dashboard(eve)).map(([, isNew]: [string, boolean]) => isNew))).toEqual(new Set([false]));
    await world.result('package_patch', { id: 'two', title: 'Two' }, { as: ann });
    expect(await count(eve)).toBe(1);
    expect((await dashboard(eve)).slice(0, 2)).toEqual([
      ['two', true],
      ['three', false],
    ]);
    expect(await world.result('dashboard_activity_list_html', { id: eve.id, limit: 1 }, { as: eve })).toContain(
      'item dataset-changed new',
    );
  });

  it.each(['dashboard_activity_list', 'dashboard_activity_list_html', 'dashboard_new_activities_count'])(
    '%s requires a signed-in user',
    async (name) => {
      expect((await world.action(name, {}, { get: true })).body.error).toMatchObject({
        __type: 'Authorization Error',
        message: 'Access denied: You must be logged in to access your dashboard.',
      });
    },
  );

  it('is visible only to its user', async () => {
    const html = (params: object) => world.action('dashboard_activity_list_html', { ...params }, { as: eve });
    expect((await html({ id: 'ann' })).body.error.__type).toBe('Authorization Error');
    expect((await html({})).body.error).toMatchObject({ id: ['Missing value'] });
    expect((await world.action('dashboard_mark_activities_old')).body.error.__type).toBe('Authorization Error');
  });

  it('refuses a negative offset', async () => {
    const { body } = await world.action('dashboard_activity_list', { offset: -1 }, { as: eve });
    expect(body.error).toMatchObject({ offset: ['Must be a natural number'] });
  });
});
