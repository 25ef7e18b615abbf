import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let genre: { id: string };
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  genre = await world.result('vocabulary_create', { name: 'genre', tags: [{ name: 'jazz' }] }, { as: admin });
});
afterAll(() => world.end());

describe('tag_create', () => {
  it('adds a tag to a vocabulary', async () => {
    const tag = await world.result('tag_create', { name: 'soul', vocabulary_id: genre.id }, { as: admin });
    expect(tag).toEqual({
      id: expect.any(String),
      name: 'soul',
      display_name: 'soul',
      vocabulary_id: genre.id,
      packages: [],
    });
    expect(await world.result('tag_list', { vocabulary_id: 'genre' })).toEqual(['jazz', 'soul']);
  });

  it('allows the name of a free tag', async () => {
    await world.make.dataset({ tags: [{ name: 'rivers' }] });
    expect(
      (await world.result('tag_create', { name: 'rivers', vocabulary_id: genre.id }, { as: admin })).vocabulary_id,
    ).toBe(genre.id);
    expect(await world.result('tag_list')).toEqual(['rivers']);
  });

  it.each([
    [
      'an unknown vocabulary',
      { name: 'nov', vocabulary_id: 'nope' },
      { vocabulary_id: ['Tag vocabulary was not found.'] },
    ],
    [
      'a vocabulary by name',
      { name: 'blues', vocabulary_id: 'genre' },
      { vocabulary_id: ['Tag vocabulary was not found.'] },
    ],
    ['nothing at all', {}, { name: ['Missing value'], vocabulary_id: ['Missing value'] }],
    [
      'a bad name and an unknown vocabulary',
      { name: '!', vocabulary_id: 'nope' },
      {
        name: ['Tag "!" length is less than minimum 2', 'Tag "!" must be alphanumeric characters or symbols: -_.'],
        vocabulary_id: ['Tag vocabulary was not found.'],
      },
    ],
  ])('refuses %s', async (_what, params, problems) => {
    expect((await world.action('tag_create', params, { as: admin })).body.error).toMatchObject({
      __type: 'Validation Error',
      ...problems,
    });
  });

  it('refuses a duplicate tag, and an id chosen by the caller', async () => {
    const again = await world.action('tag_create', { name: 'jazz', vocabulary_id: genre.id }, { as: admin });
    expect(again.body.error.vocabulary_id).toEqual([`Tag jazz already belongs to vocabulary ${genre.id}`]);
    const own = await world.action('tag_create', { id: 'own', name: 'idtag', vocabulary_id: genre.id }, { as: admin });
    expect(own.body.error.id).toEqual(['The input field id was not expected.']);
  });

  it('creates one tag for ten equal concurrent requests', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.action('tag_create', { name: 'raced', vocabulary_id: genre.id }, { as: admin }),
      ),
    );
    expect(all.filter(({ body }) => body.success)).toHaveLength(1);
  });

  it('is for system administrators only', async () => {
    for (const as of [null, await world.make.user()]) {
      const { body } = await world.action('tag_create', { name: 'theirs', vocabulary_id: genre.id }, { as });
      expect(body.error).toMatchObject({
        __type: 'Authorization Error',
        message: expect.stringMatching(/^Access denied/),
      });
    }
    expect(await world.result('tag_list', { vocabulary_id: 'genre' })).not.toContain('theirs');
  });
});

describe('tag_delete', () => {
  it('removes the tag from every dataset, and increments their versions', async () => {
    const { name } = await world.make.dataset({
      tags: [{ name: 'doomed' }, { name: 'staying' }, { name: 'jazz', vocabularyId: genre.id }],
    });
    const before = await world.action('package_show', { id: name }, { get: true });
    expect(await world.result('tag_delete', { id: 'doomed' }, { as: admin })).toBeNull();
    expect(await world.result('tag_delete', { id: 'jazz', vocabulary_id: genre.id }, { as: admin })).toBeNull();
    const after = await world.action('package_show', { id: name }, { get: true });
    expect(after.body.result.tags.map((tag: { name: string }) => tag.name)).toEqual(['staying']);
    expect(after.body.result.num_tags).toBe(1);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect((await world.action('tag_show', { id: 'doomed' })).body.error.__type).toBe('Not Found Error');
  });

  it('leaves a consistent tag list when a dataset is written concurrently', async () => {
    const { name } = await world.make.dataset({ tags: [{ name: 'contested' }] });
    const [deleted, updated] = await Promise.all([
      world.action('tag_delete', { id: 'contested' }, { as: admin }),
      world.action('package_patch', { id: name, tags: [{ name: 'contested' }, { name: 'more' }] }, { as: admin }),
    ]);
    expect([deleted.body.success, updated.body.success]).toEqual([true, true]);
    const shown = (await world.result('package_show', { id: name })).tags.map((tag: { name: string }) => tag.name);
    expect(await world.result('tag_list', { query: 'contested' })).toEqual(
      shown.includes('contested') ? ['contested'] : [],
    );
  });

  it('refuses unknown tags, and requests without id', async () => {
    expect((await world.action('tag_delete', { id: 'nope' }, { as: admin })).body.error.__type).toBe('Not Found Error');
    expect((await world.action('tag_delete', { id: 'soul' }, { as: admin })).body.error.__type).toBe('Not Found Error');
    expect((await world.action('tag_delete', {}, { as: admin })).body.error).toMatchObject({
      __type: 'Validation Error',
      id: ['id not in data'],
    });
  });

  it('is for system administrators only', async () => {
    for (const as of [null, await world.make.user()]) {
      expect((await world.action('tag_delete', { id: 'rivers' }, { as })).body.error.__type).toBe(
        'Authorization Error',
      );
    }
  });
});

describe('tags of a vocabulary on datasets', () => {
  it('are added with the id of the vocabulary', async () => {
    const editor = await world.make.user();
    await world.result('tag_create', { name: 'blues', vocabulary_id: genre.id }, { as: admin });
    const dataset = await world.result(
      'package_create',
      { name: 'with-blues', tags: [{ name: 'blues', vocabulary_id: genre.id }] },
      { as: editor },
    );
    expect(dataset.tags).toMatchObject([{ name: 'blues', vocabulary_id: genre.id }]);
  });

  it('must be in the vocabulary, unless the caller may add them', async () => {
    const tags = [{ name: 'newcomer', vocabulary_id: genre.id }];
    const refused = await world.action('package_create', { name: 'not-mine', tags }, { as: await world.make.user() });
    expect(refused.body.error).toMatchObject({
      __type: 'Validation Error',
      tags: [{ vocabulary_id: [`Tag newcomer does not belong to vocabulary ${genre.id}`] }],
    });
    expect((await world.result('package_create', { name: 'by-admin', tags }, { as: admin })).tags).toMatchObject(tags);
    const unknown = await world.action(
      'package_create',
      { name: 'no-voc', tags: [{ name: 'jj', vocabulary_id: 'nope' }] },
      { as: admin },
    );
    expect(unknown.body.error.tags).toEqual([{ vocabulary_id: ['Tag vocabulary was not found.'] }]);
  });

  it('can be created by many datasets concurrently', async () => {
    const names = Array.from({ length: 30 }, (_, index) => ({ name: `shared ${index}` }));
    const shuffled = (offset: number) => [...names.slice(offset), ...names.slice(0, offset)];
    await Promise.all(Array.from({ length: 8 }, (_, index) => world.make.dataset({ tags: shuffled(index * 3) })));
    expect(await world.result('tag_list', { query: 'shared ' })).toHaveLength(30);
  });
});
