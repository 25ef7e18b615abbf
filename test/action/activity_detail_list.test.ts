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
});
afterAll(() => world.end());

const list = (name: string, params: Record<string, unknown> = {}, as: TestUser | null = null) =>
  world.result(name, params, { as, get: true });
const patch = (params: Record<string, unknown>) => world.result('package_patch', params, { as: ann });

describe('details', () => {
  const last = async () => (await list('package_activity_list', { id: 'lakes', limit: 1 }))[0];
  const details = async () =>
    (await list('activity_detail_list', { id: (await last()).id })).map((detail: any) => [
      detail.object_type,
      detail.activity_type,
      Object.keys(detail.data),
    ]);

  it('name the parts of the dataset that changed', async () => {
    await world.result(
      'package_create',
      { name: 'lakes', owner_org: 'owner', extras: [{ key: 'a', value: '1' }] },
      { as: ann },
    );
    expect(await details()).toEqual([
      ['Package', 'new', ['package']],
      ['PackageExtra', 'new', ['package_extra']],
    ]);
    await patch({ id: 'lakes', title: 'Lakes' });
    expect(await details()).toEqual([['Package', 'changed', ['package']]]);
    const { id } = await world.result(
      'resource_create',
      { package_id: 'lakes', url: 'u', name: 'R', odd: 'x' },
      { as: ann },
    );
    expect(await list('activity_detail_list', { id: (await last()).id })).toMatchObject([
      {
        object_type: 'Resource',
        activity_type: 'new',
        object_id: id,
        data: { resource: { name: 'R', extras: { odd: 'x' } } },
      },
    ]);
    await world.result('resource_patch', { id, name: 'S' }, { as: ann });
    expect(await details()).toEqual([['Resource', 'changed', ['resource']]]);
    await world.result('resource_delete', { id }, { as: ann });
    expect(await details()).toEqual([['Resource', 'deleted', ['resource']]]);
    await patch({ id: 'lakes', tags: [{ name: 'water' }] });
    expect(await details()).toEqual([['tag', 'added', ['package', 'tag']]]);
    await patch({ id: 'lakes', tags: [] });
    expect(await details()).toEqual([['tag', 'removed', ['package', 'tag']]]);
    await patch({ id: 'lakes', extras: [{ key: 'a', value: '2' }] });
    expect(await list('activity_detail_list', { id: (await last()).id })).toMatchObject([
      {
        object_type: 'PackageExtra',
        activity_type: 'changed',
        data: { package_extra: { key: 'a', value: '2', state: 'active' } },
      },
    ]);
  });

  it('are the same each time', async () => {
    const { id } = await last();
    expect(await list('activity_detail_list', { id })).toEqual(await list('activity_detail_list', { id }));
  });

  it('are empty for an unknown activity, and require an id', async () => {
    expect(await list('activity_detail_list', { id: 'nope' })).toEqual([]);
    expect((await world.action('activity_detail_list')).body.error).toMatchObject({ id: ['Missing value'] });
  });
});

describe('snippets', () => {
  it('escape user input, and link to the pages', async () => {
    const title = `<script>alert("1")</script> & 'co'`;
    await world.result('package_create', { name: 'evil', title, owner_org: 'owner' }, { as: ann });
    const html = await list('package_activity_list_html', { id: 'evil' });
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;co&#39;');
    expect(html.match(/href="[^"]*"/g)).toEqual(['href="/user/ann"', 'href="/dataset/evil"']);
  });

  it('name the changed resource or tag', async () => {
    const { id } = await world.result('resource_create', { package_id: 'evil', url: 'u', name: '<R>' }, { as: ann });
    const dataset = await world.result('package_show', { id: 'evil' });
    const html = await list('package_activity_list_html', { id: 'evil', limit: 1 });
    expect(html).toContain(
      `added the resource <a href="/dataset/${dataset.id}/resource/${id}">&lt;R&gt;</a> to the dataset`,
    );
    await patch({ id: 'evil', tags: [{ name: 'marsh' }] });
    expect(await list('package_activity_list_html', { id: 'evil', limit: 1 })).toContain(
      'added the tag <em>marsh</em>',
    );
  });

  it('say "No activities" for an empty stream', async () => {
    expect(await list('user_activity_list_html', { id: 'eve' })).toContain('No activities');
  });
});

describe('activity_create', () => {
  const create = (params: Record<string, unknown>, as: TestUser | null = admin) =>
    world.action('activity_create', params, { as });
  const good = { user_id: 'ann', object_id: 'lakes', activity_type: 'changed package' };

  it('writes an activity of any user, with data', async () => {
    const { body } = await create({ ...good, data: { x: 1 } });
    expect(body.result).toMatchObject({ user_id: ann.id, activity_type: 'changed package', data: { x: 1 } });
    expect((await list('package_activity_list', { id: 'lakes', limit: 1 }))[0]).toEqual(body.result);
    expect((await list('user_activity_list', { id: 'ann', limit: 1 }))[0]).toEqual(body.result);
    expect(await list('activity_detail_list', { id: body.result.id })).toEqual([]);
    expect((await create({ ...good, activity_type: 'follow user', object_id: 'eve' })).body.result).toMatchObject({
      object_id: eve.id,
      data: {},
    });
  });

  it('refuses callers who are not system administrators', async () => {
    for (const as of [null, ann]) expect((await create(good, as)).body.error.__type).toBe('Authorization Error');
  });

  it('reports all invalid fields at once', async () => {
    expect((await create({ ...good, user_id: 'nope', object_id: 'nope', data: [1] })).body.error).toMatchObject({
      __type: 'Validation Error',
      user_id: ['Not found: User'],
      object_id: ['Not found: Dataset'],
      data: ['Must be a JSON object'],
    });
    expect((await create({ ...good, activity_type: 'odd' })).body.error).toMatchObject({
      activity_type: ['Not found: Activity type'],
    });
    expect((await create({})).body.error).toMatchObject({
      user_id: ['Missing value'],
      object_id: ['Missing value'],
      activity_type: ['Missing value'],
    });
  });
});

describe('related items', () => {
  const kinds = async (as: TestUser | null = null) =>
    (await list('user_activity_list', { id: 'eve', limit: 20 }, as))
      .filter(({ activity_type }: any) => activity_type.endsWith('related item'))
      .map(({ activity_type, data }: any) => [activity_type, data.related.title, data.dataset?.name]);

  it('show their dataset, and stay in the stream when it becomes private', async () => {
    const item = { title: 'App', type: 'application', url: 'http://app.example' };
    const { id } = await world.result('related_create', { ...item, dataset_id: 'lakes' }, { as: eve });
    await world.result('related_update', { id, title: 'Better' }, { as: eve });
    expect(await list('user_activity_list_html', { id: 'eve', limit: 2 })).toContain(
      '<em>App</em> to the dataset <a href="/dataset/lakes">',
    );
    await world.result('related_delete', { id }, { as: eve });
    const told = [
      ['deleted related item', 'Better', undefined],
      ['changed related item', 'Better', undefined],
      ['new related item', 'App', 'lakes'],
    ];
    expect(await kinds()).toEqual(told);
    await patch({ id: 'lakes', private: true });
    expect(await kinds()).toEqual(told);
    expect(await kinds(ann)).toEqual(told);
    await world.result('related_create', { ...item, title: 'Hidden', dataset_id: 'lakes' }, { as: ann });
    await patch({ id: 'lakes', private: false });
    expect(JSON.stringify(await list('user_activity_list', { id: 'ann' }))).not.toContain('Hidden');
  });
});
