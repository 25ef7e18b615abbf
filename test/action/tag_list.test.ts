import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let genre: { id: string; name: string };
const asGet = { get: true } as const;

beforeAll(async () => {
  world = await createWorld();
  const admin = await world.make.sysadmin();
  genre = await world.result(
    'vocabulary_create',
    { name: 'genre', tags: [{ name: 'rock' }, { name: 'jazz' }] },
    { as: admin },
  );
  const organization = await world.make.organization();
  await world.make.dataset({
    name: 'open-one',
    tags: [{ name: 'rivers' }, { name: 'Rivers' }, { name: 'ríos y lagos' }, { name: '100_percent' }],
  });
  await world.make.dataset({
    name: 'open-two',
    tags: [{ name: 'rivers' }, { name: 'economy stats' }, { name: 'jazz', vocabularyId: genre.id }],
  });
  await world.make.dataset({
    name: 'hidden',
    private: true,
    ownerOrganization: organization.name,
    tags: [{ name: 'secret river' }, { name: 'rivers' }],
  });
  await world.make.dataset({ name: 'gone', tags: [{ name: 'deleted river' }] });
  await world.result('package_delete', { id: 'gone' }, { as: admin });
});
afterAll(() => world.end());

const FREE = ['100_percent', 'Rivers', 'economy stats', 'rivers', 'ríos y lagos'];

describe('tag_list', () => {
  it('lists the names of free tags on public active datasets, in code point order', async () => {
    expect(await world.result('tag_list', {}, asGet)).toEqual(FREE);
  });

  it('hides tags of private datasets, even from system administrators', async () => {
    expect(await world.result('tag_list', {}, { as: await world.make.sysadmin() })).toEqual(FREE);
  });

  it('finds a part of the name, ignoring case, also with q', async () => {
    expect(await world.result('tag_list', { query: 'RIV' }, asGet)).toEqual(['Rivers', 'rivers']);
    expect(await world.result('tag_list', { q: 'riv' })).toEqual(['Rivers', 'rivers']);
    expect(await world.result('tag_list', { query: 'íos' })).toEqual(['ríos y lagos']);
    expect(await world.result('tag_list', { query: 'zzz' })).toEqual([]);
  });

  it('treats SQL wildcards as plain characters', async () => {
    expect(await world.result('tag_list', { query: '%' })).toEqual([]);
    expect(await world.result('tag_list', { query: '_' })).toEqual(['100_percent']);
    expect(await world.result('tag_list', { query: '\\' })).toEqual([]);
  });

  it('returns dictionaries with all_fields', async () => {
    const tags = await world.result('tag_list', { all_fields: 'True', query: 'econ' }, asGet);
    expect(tags).toEqual([
      { id: expect.any(String), name: 'economy stats', display_name: 'economy stats', vocabulary_id: null },
    ]);
    expect(await world.result('tag_list', { all_fields: 'false', query: 'econ' }, asGet)).toEqual(['economy stats']);
  });

  it('lists used and unused tags of a vocabulary, by its id or name', async () => {
    expect(await world.result('tag_list', { vocabulary_id: 'genre' })).toEqual(['jazz', 'rock']);
    expect(await world.result('tag_list', { vocabulary_id: genre.id, query: 'ja' })).toEqual(['jazz']);
    expect((await world.action('tag_list', { vocabulary_id: 'nope' })).body.error).toMatchObject({
      __type: 'Not Found Error',
    });
  });
});

describe('tag_search', () => {
  it('returns the total count and a page of dictionaries', async () => {
    const found = await world.result('tag_search', { query: 'r', limit: 2, offset: 1 });
    expect(found.count).toBe(4);
    expect(found.results.map((tag: { name: string }) => tag.name)).toEqual(['Rivers', 'rivers']);
    expect(found.results[0]).toEqual({
      id: expect.any(String),
      name: 'Rivers',
      display_name: 'Rivers',
      vocabulary_id: null,
    });
  });

  it('requires every word of a list in the name', async () => {
    expect((await world.result('tag_search', { query: ['riv', 'econ'] })).count).toBe(0);
    expect((await world.result('tag_search', { query: ['stats', 'ECON'] })).count).toBe(1);
    expect((await world.request('/api/3/action/tag_search?query=stats&query=econ')).body.result.count).toBe(1);
  });

  it('also accepts q and fields', async () => {
    expect((await world.result('tag_search', { q: 'riv' }, asGet)).count).toBe(2);
    expect((await world.result('tag_search', { fields: { tags: 'riv' } })).count).toBe(2);
    expect((await world.result('tag_search', { fields: '{"tags":"riv"}' }, asGet)).count).toBe(2);
    expect((await world.result('tag_search', { fields: { bogus: 'riv' } })).count).toBe(0);
  });

  it('finds nothing for an empty query, and refuses a request without query', async () => {
    expect(await world.result('tag_search', { query: ' ' })).toEqual({ count: 0, results: [] });
    expect((await world.action('tag_search')).body.error).toMatchObject({
      __type: 'Validation Error',
      query: ['Missing value'],
    });
  });

  it('searches one vocabulary', async () => {
    expect(await world.result('tag_search', { query: 'ja', vocabulary_id: 'genre' })).toMatchObject({
      count: 1,
      results: [{ name: 'jazz', vocabulary_id: genre.id }],
    });
    expect((await world.result('tag_search', { query: 'ja' })).count).toBe(0);
  });

  it('refuses an invalid limit or offset, and names the parameter', async () => {
    for (const [param, value] of [
      ['limit', 'x'],
      ['limit', -1],
      ['offset', -1],
      ['limit', 1001],
      ['limit', 1.5],
    ] as const) {
      const { body } = await world.action('tag_search', { query: 'r', [param]: value });
      expect([value, body.error.__type, body.error[param]]).toEqual([value, 'Validation Error', [expect.any(String)]]);
    }
  });
});

describe('tag_autocomplete', () => {
  it('returns pages of names', async () => {
    expect(await world.result('tag_autocomplete', { query: 'riv' }, asGet)).toEqual(['Rivers', 'rivers']);
    expect(await world.result('tag_autocomplete', { query: 'r', limit: 1, offset: 1 }, asGet)).toEqual(['Rivers']);
    expect(await world.result('tag_autocomplete', { query: '' }, asGet)).toEqual([]);
    expect(await world.result('tag_autocomplete', { query: 'ja', vocabulary_id: 'genre' })).toEqual(['jazz']);
  });
});

describe('tag_show', () => {
  it('shows a free tag by name or id, and a tag of a vocabulary by id or with its vocabulary', async () => {
    const river = await world.result('tag_show', { id: 'rivers' }, asGet);
    expect(river).toEqual({ id: expect.any(String), name: 'rivers', display_name: 'rivers', vocabulary_id: null });
    expect(await world.result('tag_show', { id: river.id })).toEqual(river);
    const jazz = await world.result('tag_show', { id: 'jazz', vocabulary_id: 'genre' });
    expect(jazz.vocabulary_id).toBe(genre.id);
    expect(await world.result('tag_show', { id: jazz.id })).toEqual(jazz);
  });

  it('adds the public datasets on request', async () => {
    const { packages } = await world.result('tag_show', { id: 'rivers', include_datasets: true });
    expect(packages.map((dataset: { name: string }) => dataset.name).sort()).toEqual(['open-one', 'open-two']);
    expect(packages[0]).toMatchObject({ type: 'dataset', resources: [] });
  });

  it.each([
    { id: 'nope' },
    { id: '' },
    { id: 'jazz' },
    { id: 'rivers', vocabulary_id: 'genre' },
    { id: 'rivers', vocabulary_id: 'nope' },
  ])('finds nothing for %p', async (params) => {
    expect((await world.action('tag_show', params)).body.error.__type).toBe('Not Found Error');
  });

  it('shows a tag of private datasets only to users who may read one of them', async () => {
    const member = await world.make.user();
    await world.make.dataset({
      ownerOrganization: (await world.make.organization({ members: { [member.id]: 'member' } })).id,
      private: true,
      tags: [{ name: 'inner river' }],
    });
    const { id } = await world.result('tag_show', { id: 'inner river' }, { as: member });
    const stranger = await world.make.user();
    for (const ref of ['inner river', id]) {
      expect((await world.action('tag_show', { id: ref })).body.error.__type).toBe('Not Found Error');
      expect((await world.action('tag_show', { id: ref }, { as: stranger })).body.success).toBe(false);
      expect((await world.result('tag_show', { id: ref }, { as: await world.make.sysadmin() })).id).toBe(id);
    }
    const query = 'query ($id: ID!) { node(id: $id) { ... on Tag { name } } }';
    const variables = { id: Buffer.from(`Tag:${id}`).toString('base64url') };
    expect((await world.graph(query, variables)).body.data.node).toBeNull();
    expect((await world.graph(query, variables, { as: member })).body.data.node).toEqual({ name: 'inner river' });
  });

  it('requires an id', async () => {
    expect((await world.action('tag_show')).body.error).toMatchObject({
      __type: 'Validation Error',
      id: ['Missing value'],
    });
  });
});
