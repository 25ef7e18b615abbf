/** The `_rest` actions: dictionaries of the legacy REST interface, version 2. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  world = await createWorld({
    'catalog.action_api.status': 'http',
    'catalog.auth.create_dataset_if_not_in_organization': false,
  });
  admin = await world.make.user({ name: 'admin', sysadmin: true });
  stranger = await world.make.user({ name: 'stranger' });
});
afterAll(() => world.end());

const answer = async (name: string, params: object, as: TestUser | null = admin) => {
  const { status, body } = await world.action(name, { ...params }, { as });
  return body.success ? body.result : { status, ...body.error };
};

describe('package_create_rest', () => {
  it('accepts tags and groups as strings, extras as an object and a single download_url', async () => {
    const group = await world.result('group_create', { name: 'water' }, { as: admin });
    const made = await answer('package_create_rest', {
      name: 'rivers',
      notes: 'All **rivers**, see http://example.org',
      license_id: 'cc-by',
      tags: 'wet long',
      groups: [group.id],
      extras: { area: 'Wales', depth: 5, nothing: null },
      download_url: 'http://example.org/rivers.csv',
      ckan_url: 'left aside',
      ratings_average: 5,
      relationships: [],
    });
    expect(made).toMatchObject({
      name: 'rivers',
      tags: ['long', 'wet'],
      groups: [group.id],
      extras: { area: 'Wales', depth: '5' },
      license: 'Creative Commons Attribution',
      notes_rendered: '<p>All <strong>rivers</strong>, see <a href="http://example.org">http://example.org</a></p>',
      ratings_average: null,
      ratings_count: 0,
      relationships: [],
      ckan_url: 'http://catalog.test/dataset/rivers',
      catalog_url: 'http://catalog.test/dataset/rivers',
      resources: [{ url: 'http://example.org/rivers.csv', position: 0 }],
    });
    expect(made.extras).not.toHaveProperty('nothing');
    expect(made).not.toHaveProperty('download_url');
    expect(await answer('package_show_rest', { id: 'rivers' }, null)).toEqual(made);
  });

  it('renders HTML and javascript: links in notes as text', async () => {
    const made = await answer('package_create_rest', { name: 'sly', notes: '<script>x</script> [y](javascript:z)' });
    expect(made.notes_rendered).toBe('<p>&lt;script&gt;x&lt;/script&gt; [y](javascript:z)</p>');
  });

  it('refuses malformed input, unauthorized callers and unknown ids', async () => {
    expect(await answer('package_create_rest', { name: 'bad', extras: 'x', tags: ['a'] })).toMatchObject({
      status: 409,
      extras: ['Must be an object of keys and values'],
    });
    expect(await answer('package_create_rest', { name: 'bad', resources: 'x' })).toMatchObject({
      status: 409,
      resources: ['Must be a list of dictionaries'],
    });
    expect(await answer('package_create_rest', {})).toMatchObject({ status: 409, name: ['Missing value'] });
    expect(await answer('package_create_rest', { name: 'alien' }, stranger)).toMatchObject({ status: 403 });
    expect(await answer('package_show_rest', { id: 'bad' })).toMatchObject({ status: 404 });
  });
});

describe('package_update_rest', () => {
  it('keeps omitted fields, sets extras one by one and removes an extra by null', async () => {
    await answer('package_create_rest', { name: 'lakes', tags: ['wet'], extras: { a: '1', b: '2' } });
    const changed = await answer('package_update_rest', { id: 'lakes', title: 'Lakes', extras: { a: null, c: '3' } });
    expect(changed).toMatchObject({ title: 'Lakes', tags: ['wet'], extras: { b: '2', c: '3' } });
    expect(Object.keys(changed.extras)).toEqual(['b', 'c']);
    expect(await answer('package_update_rest', { name: 'lakes', extras: { b: null, c: null } })).toMatchObject({
      extras: {},
    });
    expect(await answer('package_update_rest', { id: 'lakes', title: 'x' }, stranger)).toMatchObject({ status: 403 });
    expect(await answer('package_update_rest', { id: 'nope' })).toMatchObject({ status: 404 });
    expect(await answer('package_update_rest', {})).toMatchObject({ status: 409, id: ['Missing value'] });
  });

  it('refuses an extra that has the name of a schema field', async () => {
    expect(await answer('package_update_rest', { id: 'lakes', extras: { title: 'x' } })).toMatchObject({
      status: 409,
      extras: [{ key: ['There is a schema field with the same name'] }],
    });
  });
});

describe('groups and tags', () => {
  it('creates, shows and updates a group with datasets and extras', async () => {
    const { id: rivers } = await world.result('package_show', { id: 'rivers' });
    const made = await answer('group_create_rest', { name: 'land', packages: ['rivers'], extras: { a: 'b', n: null } });
    expect(made).toMatchObject({ name: 'land', packages: [rivers], extras: { a: 'b' }, tags: [], groups: [] });
    expect(await answer('group_show_rest', { id: 'land' }, null)).toMatchObject({
      packages: [rivers],
      extras: { a: 'b' },
    });
    const changed = await answer('group_update_rest', { id: 'land', title: 'Land', extras: { a: null, c: 'd' } });
    expect(changed).toMatchObject({ title: 'Land', packages: [rivers] });
    expect(changed.extras).toEqual({ c: 'd' });
    expect(changed.users).toHaveLength(1);
    expect(await answer('group_update_rest', { id: 'land', packages: [] })).toMatchObject({ packages: [] });
  });

  it('refuses unknown ids and unauthorized callers', async () => {
    expect(await answer('group_create_rest', { name: 'more', packages: ['nope'] })).toMatchObject({
      status: 409,
      packages: [{ id: ['Not found: Dataset'] }],
    });
    expect(await answer('group_create_rest', { name: 'more' }, null)).toMatchObject({ status: 403 });
    expect(await answer('group_update_rest', { id: 'land' }, stranger)).toMatchObject({ status: 403 });
    expect(await answer('group_show_rest', { id: 'nope' })).toMatchObject({ status: 404 });
    expect(await answer('tag_show_rest', { id: 'nope' })).toMatchObject({ status: 404 });
  });

  it('lists the ids of the datasets of a tag', async () => {
    const ids = await Promise.all(
      ['lakes', 'rivers'].map(async (id) => (await world.result('package_show', { id })).id),
    );
    expect(await answer('tag_show_rest', { id: 'wet' }, null)).toEqual(ids);
  });
});

describe('updateDataset', () => {
  it('accepts databaseId only if it is the id of the dataset', async () => {
    const patch = (input: object) =>
      world.graph(
        'mutation ($input: UpdateDatasetInput!) { updateDataset(input: $input) { dataset { name } errors { code path message } } }',
        { input },
        { as: admin },
      );
    const { body } = await patch({ dataset: 'lakes', databaseId: 'another', setExtras: [{ key: 'x', value: 'y' }] });
    expect(body.data.updateDataset).toMatchObject({
      dataset: null,
      errors: [{ code: 'VALIDATION', path: ['databaseId'], message: expect.stringContaining('read-only') }],
    });
    const { id } = await world.result('package_show', { id: 'lakes' });
    expect((await patch({ dataset: 'lakes', databaseId: id })).body.data.updateDataset.errors).toEqual([]);
  });
});
