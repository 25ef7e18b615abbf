import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
let bob: TestUser;
let insider: TestUser;
let editor: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  [admin, ann, bob, insider, editor] = await Promise.all([
    world.make.user({ name: 'admin', sysadmin: true }),
    world.make.user({ name: 'ann' }),
    world.make.user({ name: 'bob' }),
    world.make.user({ name: 'insider' }),
    world.make.user({ name: 'editor' }),
  ]);
  const members = { [insider.id]: 'member', [editor.id]: 'editor' } as const;
  const office = await world.make.organization({ name: 'office', members });
  await world.make.dataset({ name: 'levels', ownerOrganization: office.id });
  await world.make.dataset({ name: 'secret', ownerOrganization: office.id, private: true });
});
afterAll(() => world.end());

const call = async (name: string, params: Record<string, unknown> = {}, as: TestUser | null = null) => {
  const { status, body } = await world.action(name, params, { as });
  const { __type, ...error } = body.error ?? {};
  return body.success ? body.result : { status, ...error };
};
const create = (params: Record<string, unknown> = {}, as = ann) =>
  world.result('related_create', { title: 'An app', type: 'application', ...params }, { as });
const titles = (items: { title: string }[]) => items.map(({ title }) => title);

describe('related_create', () => {
  it('creates an item owned by the caller, with or without a dataset', async () => {
    const item = await create({
      dataset_id: 'levels',
      url: 'https://a.example/x',
      image_url: 'http://a.example/i.png',
    });
    expect(item).toEqual({
      id: expect.any(String),
      title: 'An app',
      type: 'application',
      description: null,
      url: 'https://a.example/x',
      image_url: 'http://a.example/i.png',
      featured: 0,
      view_count: 0,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
      owner_id: ann.id,
    });
    expect(await call('related_show', { id: item.id })).toEqual({ ...item, __extras: { view_count: 0 } });
    expect((await create({ id: 'own', type: 'any word', description: 'd' })).id).toBe('own');
  });

  it('reports every error and stores nothing', async () => {
    const before = await world.database.db.relatedItem.count();
    expect(await call('related_create', {}, ann)).toMatchObject({
      status: 409,
      title: ['Missing value'],
      type: ['Missing value'],
    });
    const refused = {
      title: 'x',
      type: 'idea',
      url: 'not a url',
      image_url: 'javascript:alert(1)',
      dataset_id: 'nope',
    };
    expect(await call('related_create', refused, ann)).toMatchObject({
      status: 409,
      url: ['Please provide a valid URL'],
      image_url: ['Please provide a valid URL'],
      dataset_id: ['Not found: Dataset'],
    });
    expect(await call('related_create', { title: 'x', type: 'idea', id: 'own' }, ann)).toMatchObject({
      status: 409,
      id: ['That id is already in use.'],
    });
    expect(await world.database.db.relatedItem.count()).toBe(before);
  });

  it('refuses anonymous callers, featuring by non-sysadmins and unreadable datasets', async () => {
    expect(await call('related_create', { title: 'x', type: 'idea' })).toMatchObject({ status: 403 });
    expect(await call('related_create', { title: 'x', type: 'idea', featured: 1 }, ann)).toEqual({
      status: 403,
      message: 'Access denied: You must be a sysadmin to create a featured related item',
    });
    expect(await call('related_create', { title: 'x', type: 'idea', dataset_id: 'secret' }, ann)).toMatchObject({
      status: 403,
    });
    expect(await create({ featured: 1 }, admin)).toMatchObject({ featured: 1, owner_id: admin.id });
  });

  it('writes a revision that does not count in number_of_edits', async () => {
    const count = () => world.database.db.revision.count();
    const before = await count();
    await create({ title: 'Counted' }, bob);
    expect(await count()).toBe(before + 1);
    expect((await world.result('user_show', { id: 'bob' })).number_of_edits).toBe(0);
  });
});

describe('related_list', () => {
  it('lists items of a dataset newest first, all items oldest first, with filters and sort', async () => {
    const other = await world.make.dataset({ name: 'listed' });
    for (const [title, type] of [
      ['one', 'idea'],
      ['two', 'api'],
      ['three', 'idea'],
    ] as const)
      await create({ title, type, dataset_id: other.id, featured: title === 'two' }, admin);
    expect(titles(await call('related_list', { id: 'listed' }))).toEqual(['three', 'two', 'one']);
    expect(titles(await call('related_list', { dataset: { id: other.id }, type_filter: 'idea' }))).toEqual([
      'three',
      'one',
    ]);
    expect(titles(await call('related_list', { dataset: { name: 'listed' }, featured: 'True' }))).toEqual(['two']);
    expect(titles(await call('related_list', { id: 'listed', sort: 'created_asc' }))).toEqual(['one', 'two', 'three']);
    await world.database.db.relatedItem.updateMany({ where: { title: 'two' }, data: { viewCount: 3 } });
    expect(titles(await call('related_list', { id: 'listed', sort: 'view_count_desc' }))).toEqual([
      'two',
      'one',
      'three',
    ]);
    expect(titles(await call('related_list', { id: 'listed', sort: 'view_count_asc' }))).toEqual([
      'one',
      'three',
      'two',
    ]);
    const all = titles(await call('related_list', { sort: 'bogus' }));
    expect(all.slice(-3)).toEqual(['one', 'two', 'three']);
    expect(await call('related_list', { id: 'nope' })).toMatchObject({ status: 404 });
    expect(await call('related_list', { type_filter: 'nothing' })).toEqual([]);
  });
});

describe('items of a private dataset', () => {
  it('are hidden like the dataset, also when it becomes private later', async () => {
    const { id } = await create({ title: 'Hidden', dataset_id: 'secret' }, insider);
    expect(await call('related_show', { id }, insider)).toMatchObject({ title: 'Hidden' });
    expect(titles(await call('related_list', { id: 'secret' }, insider))).toEqual(['Hidden']);
    for (const as of [null, ann]) {
      expect(await call('related_show', { id }, as)).toMatchObject({ status: 403 });
      expect(await call('related_list', { id: 'secret' }, as)).toMatchObject({ status: 403 });
      expect(titles(await call('related_list', {}, as))).not.toContain('Hidden');
    }
    const dataset = await world.make.dataset({ name: 'closing' });
    const item = await create({ title: 'Closing', dataset_id: dataset.id });
    await world.result('package_patch', { id: 'closing', owner_org: 'office', private: true }, { as: admin });
    expect(titles(await call('related_list', {}, ann))).not.toContain('Closing');
    expect(await call('related_update', { id: item.id, title: 'x' }, ann)).toMatchObject({ status: 403 });
    await world.result('dataset_purge', { id: 'closing' }, { as: admin });
    expect(await call('related_show', { id: item.id }, admin)).toMatchObject({ status: 404 });
  });
});

describe('related_update', () => {
  it('changes only given fields', async () => {
    const item = await create({ description: 'd', url: 'http://a.example' });
    expect(await call('related_update', { id: item.id, title: 'New', view_count: 7 }, ann)).toEqual({
      ...item,
      title: 'New',
    });
    expect(await call('related_update', { id: item.id, url: '', featured: true }, admin)).toMatchObject({
      url: null,
      featured: 1,
    });
    expect(await call('related_update', { id: item.id, featured: 1, title: 'Mine' }, ann)).toMatchObject({
      title: 'Mine',
    });
    expect(await call('related_update', { id: item.id, featured: 0 }, ann)).toMatchObject({ status: 403 });
    expect(await call('related_update', { id: item.id, title: '' }, ann)).toMatchObject({ title: ['Missing value'] });
  });

  it('refuses users who are not the owner, unknown ids and missing ids', async () => {
    const { id } = await create();
    expect(await call('related_update', { id, title: 'x' }, bob)).toEqual({
      status: 403,
      message: 'Access denied: Only the owner can update a related item',
    });
    expect(await call('related_update', { id, title: 'x' })).toMatchObject({ status: 403 });
    expect(await call('related_update', { id: 'nope', title: 'x' }, bob)).toEqual({
      status: 404,
      message: 'Not found: Item was not found.',
    });
    expect(await call('related_update', {}, bob)).toMatchObject({ status: 409, id: ['Missing value'] });
  });

  it('refuses an outdated If-Match', async () => {
    const { id } = await create();
    const { headers } = await world.action('related_show', { id });
    const etag = { 'if-match': headers.get('etag')! };
    const first = await world.action('related_update', { id, title: 'a' }, { as: ann, headers: etag });
    expect(first.body.success).toBe(true);
    const second = await world.action('related_update', { id, title: 'b' }, { as: ann, headers: etag });
    expect(second.body.success).toBe(false);
    expect((await call('related_show', { id })).title).toBe('a');
  });
});

describe('related_delete', () => {
  it('is allowed for the owner, editors of the dataset and sysadmins', async () => {
    const { id } = await create({ dataset_id: 'levels' });
    expect(await call('related_delete', { id }, bob)).toEqual({
      status: 403,
      message: 'Access denied: Only the owner can delete a related item',
    });
    expect(await call('related_delete', { id }, insider)).toMatchObject({ status: 403 });
    expect(await call('related_delete', { id })).toMatchObject({ status: 403 });
    expect(await call('related_delete', { id }, editor)).toBeNull();
    expect(await call('related_delete', { id }, editor)).toMatchObject({ status: 404 });
    expect(await call('related_delete', { id: (await create()).id }, ann)).toBeNull();
    expect(await call('related_delete', { id: (await create()).id }, admin)).toBeNull();
    expect(await call('related_delete', {}, ann)).toMatchObject({ status: 409, id: ['Missing value'] });
  });
});
