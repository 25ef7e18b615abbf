import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const create = (params: Record<string, unknown>) => world.result('vocabulary_create', params, { as: admin });
const update = (params: Record<string, unknown>, headers = {}) =>
  world.action('vocabulary_update', params, { as: admin, headers });
const names = (tags: { name: string }[]) => tags.map((tag) => tag.name);

describe('vocabulary_create', () => {
  it('creates a vocabulary with its tags, sorted by name', async () => {
    const genre = await create({ name: 'genre', tags: [{ name: 'rock' }, { name: 'jazz' }], bogus: 1 });
    expect(genre).toEqual({
      id: expect.any(String),
      name: 'genre',
      tags: [
        { id: expect.any(String), name: 'jazz', display_name: 'jazz', vocabulary_id: genre.id },
        { id: expect.any(String), name: 'rock', display_name: 'rock', vocabulary_id: genre.id },
      ],
    });
    expect(await world.result('vocabulary_show', { id: 'genre' }, { get: true })).toEqual(genre);
    expect(await world.result('vocabulary_show', { id: genre.id })).toEqual(genre);
  });

  it('needs no tags, ignores duplicate tags and accepts any characters in the name', async () => {
    expect((await create({ name: 'With Space' })).tags).toEqual([]);
    expect(names((await create({ name: 'doubles', tags: [{ name: 'dup' }, { name: 'dup' }] })).tags)).toEqual(['dup']);
    expect((await create({ name: 'x'.repeat(100), tags: [] })).name).toHaveLength(100);
  });

  it.each([
    [{}, { name: ['Missing value'] }],
    [{ name: 'x' }, { name: ['Name must be at least 2 characters long'] }],
    [{ name: 'x'.repeat(101) }, { name: ['Name must be a maximum of 100 characters long'] }],
    [{ name: 'v5', tags: 'x' }, { tags: [expect.any(String)] }],
    [{ name: 'v5', tags: [{}] }, { tags: [{ name: ['Missing value'] }] }],
    [
      { name: 'y', tags: [{ name: 'fine' }, { name: 'z' }] },
      {
        name: ['Name must be at least 2 characters long'],
        tags: [{}, 'Tag "z" length is less than minimum 2'],
      },
    ],
    [{ name: 'v7', id: 'own' }, { id: ['The input field id was not expected.'] }],
  ])('refuses %j', async (params, problems) => {
    const { body } = await world.action('vocabulary_create', params, { as: admin });
    expect(body.error).toMatchObject({ __type: 'Validation Error', ...problems });
  });

  it('refuses a name that is taken, also by a concurrent request', async () => {
    await create({ name: 'taken' });
    expect((await world.action('vocabulary_create', { name: 'taken' }, { as: admin })).body.error.name).toEqual([
      'That vocabulary name is already in use.',
    ]);
    const all = await Promise.all(
      Array.from({ length: 6 }, () =>
        world.action('vocabulary_create', { name: 'raced', tags: [{ name: 'aa' }] }, { as: admin }),
      ),
    );
    expect(all.filter(({ body }) => body.success)).toHaveLength(1);
    expect(all.every(({ status }) => status === 200)).toBe(true);
  });
});

describe('vocabulary_update', () => {
  it('changes only given fields, and keeps the ids of remaining tags', async () => {
    const before = await create({ name: 'moods', tags: [{ name: 'calm' }, { name: 'wild' }] });
    const renamed = (await update({ id: 'moods', name: 'tempers' })).body.result;
    expect(renamed).toEqual({ ...before, name: 'tempers' });
    const { tags } = (await update({ id: before.id, tags: [{ name: 'new' }, before.tags[0]] })).body.result;
    expect(names(tags)).toEqual(['calm', 'new']);
    expect(tags[0]).toEqual(before.tags[0]);
    expect((await update({ id: before.id })).body.result).toMatchObject({ name: 'tempers', tags });
    expect((await update({ id: before.id, tags: [] })).body.result.tags).toEqual([]);
  });

  it('removes deleted tags from every dataset', async () => {
    const { id } = await create({ name: 'sizes', tags: [{ name: 'big' }, { name: 'small' }] });
    const { name } = await world.make.dataset({
      tags: [{ name: 'big', vocabularyId: id }, { name: 'small', vocabularyId: id }, { name: 'big' }],
    });
    await update({ id, tags: [{ name: 'small' }] });
    expect((await world.result('package_show', { id: name })).tags).toMatchObject([
      { name: 'big', vocabulary_id: null },
      { name: 'small', vocabulary_id: id },
    ]);
  });

  it('refuses bad names and unknown vocabularies, and changes nothing', async () => {
    const { id } = await create({ name: 'colours', tags: [{ name: 'red' }] });
    await create({ name: 'shades' });
    expect((await update({ id, name: '', tags: [] })).body.error.name).toEqual([
      'Name must be at least 2 characters long',
    ]);
    expect((await update({ id, name: 'shades', tags: [{ name: '!' }] })).body.error).toMatchObject({
      name: ['That vocabulary name is already in use.'],
      tags: [expect.stringContaining('length is less')],
    });
    expect((await update({ id, name: 'colours' })).body.success).toBe(true);
    expect((await update({ id: 'nope', name: 'x' })).body.error.__type).toBe('Not Found Error');
    expect((await update({ name: 'xx' })).body.error.id).toEqual(['id not in data']);
    expect(names((await world.result('vocabulary_show', { id })).tags)).toEqual(['red']);
  });

  it('accepts only one of two concurrent updates with the same If-Match', async () => {
    await create({ name: 'versions' });
    const etag = (await world.action('vocabulary_show', { id: 'versions' })).headers.get('etag')!;
    const both = await Promise.all(
      ['one', 'two'].map((tag) => update({ id: 'versions', tags: [{ name: tag }] }, { 'if-match': etag })),
    );
    expect(both.map(({ body }) => body.success).sort()).toEqual([false, true]);
    expect((await world.action('vocabulary_show', { id: 'versions' })).headers.get('etag')).not.toBe(etag);
  });

  it('changes the ETag when a tag is added or deleted', async () => {
    const { id } = await create({ name: 'etags' });
    const etag = async () => (await world.action('vocabulary_show', { id })).headers.get('etag');
    const seen = [await etag()];
    await world.result('tag_create', { name: 'added', vocabulary_id: id }, { as: admin });
    seen.push(await etag());
    await world.result('tag_delete', { id: 'added', vocabulary_id: id }, { as: admin });
    seen.push(await etag());
    expect(new Set(seen).size).toBe(3);
  });
});

describe('vocabulary_delete', () => {
  it('deletes its tags, and removes them from every dataset', async () => {
    const { id } = await create({ name: 'doomed', tags: [{ name: 'old' }] });
    const { name } = await world.make.dataset({ tags: [{ name: 'old', vocabularyId: id }, { name: 'kept' }] });
    expect(await world.result('vocabulary_delete', { id: 'doomed' }, { as: admin })).toBeNull();
    expect(names((await world.result('package_show', { id: name })).tags)).toEqual(['kept']);
    expect((await world.action('vocabulary_show', { id })).body.error.__type).toBe('Not Found Error');
    expect((await world.action('vocabulary_delete', { id }, { as: admin })).body.error.__type).toBe('Not Found Error');
    expect((await world.action('vocabulary_delete', {}, { as: admin })).body.error.id).toEqual(['id not in data']);
  });
});

describe('vocabulary_list', () => {
  it('lists all vocabularies by name, in two statements', async () => {
    const statements = await world.statementsOf(async () => {
      const found = await world.result('vocabulary_list', {}, { get: true });
      expect(names(found)).toEqual([...names(found)].sort());
      expect(found.find((vocabulary: { name: string }) => vocabulary.name === 'genre').tags).toHaveLength(2);
    });
    expect(statements).toHaveLength(2);
  });
});

it('writes are refused to callers who are not system administrators', async () => {
  const { id } = await create({ name: 'guarded' });
  for (const as of [null, await world.make.user()]) {
    for (const [action, params] of [
      ['create', { name: 'theirs', tags: [] }],
      ['update', { id, name: 'theirs' }],
      ['delete', { id }],
    ] as const) {
      const { body } = await world.action(`vocabulary_${action}`, params, { as });
      expect(body.error).toMatchObject({
        __type: 'Authorization Error',
        message: expect.stringMatching(/^Access denied/),
      });
    }
  }
  expect(await world.result('vocabulary_show', { id })).toMatchObject({ name: 'guarded' });
  expect((await world.action('vocabulary_show', { id: 'theirs' })).body.success).toBe(false);
});

it('every write makes one revision that names the change', async () => {
  const { id } = await create({ name: 'logged', tags: [{ name: 'aa' }] });
  await update({ id, name: 'relogged' });
  const changes = await world.database.db.change.findMany({
    where: { objectId: id },
    orderBy: { sequence: 'asc' },
    include: { revision: true },
  });
  expect(changes.map(({ action, revision, actorId }) => [action, revision.message, actorId])).toEqual([
    ['created', 'Create vocabulary logged', admin.id],
    ['updated', 'Update vocabulary relogged', admin.id],
  ]);
  expect(changes[1]!.detail).toEqual({ name: 'relogged', formerName: 'logged' });
});
