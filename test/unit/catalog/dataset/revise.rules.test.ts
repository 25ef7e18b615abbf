import { describe, expect, it } from '@jest/globals';
import {
  filtered,
  indexOf,
  Misfit,
  merged,
  mergedAt,
  patternsOf,
  unmatched,
} from '../../../../src/catalog/dataset/revise/revise.rules.ts';

const dataset = {
  id: 'd-1',
  name: 'levels',
  notes: 'old',
  private: false,
  resources: [
    { id: '1492a-first', name: 'one', size: 5 },
    { id: '1492b-second', name: 'two' },
  ],
  tags: [{ name: 'water' }],
};

describe('unmatched', () => {
  it('returns the paths of differing values', () => {
    expect(unmatched(dataset, { name: 'levels', resources: [{ name: 'one' }] }, [])).toEqual([]);
    expect(unmatched(dataset, { name: 'x', resources: [{ name: 'one' }, { name: 'x' }, {}] }, [])).toEqual([
      'name',
      'resources__1__name',
      'resources__2',
    ]);
    expect(unmatched(dataset, { notes: { a: 1 }, missing: null, tags: 'x', name: ['levels'] }, [])).toEqual([
      'notes',
      'missing',
      'tags',
      'name',
    ]);
  });

  it('resolves paths by index and by id prefix', () => {
    const fits = (path: string, value: unknown) => unmatched(dataset, {}, [{ path, value }]).length === 0;
    expect(fits('resources__1__name', 'two')).toBe(true);
    expect(fits('resources__-1__name', 'two')).toBe(true);
    expect(fits('resources__1492b__name', 'two')).toBe(true);
    expect(fits('resources__0__size', '5')).toBe(true);
    expect(fits('private', 'false')).toBe(true);
    expect(fits('resources__1492__name', 'two')).toBe(false);
    expect(fits('resources__9__name', 'two')).toBe(false);
    expect(fits('notes__x', 'old')).toBe(false);
    expect(fits('constructor', 'x')).toBe(false);
  });
});

describe('filtered', () => {
  const left = (...patterns: string[]) => filtered(dataset, patternsOf(patterns));

  it('applies the first matching pattern', () => {
    expect(left()).toBe(dataset);
    expect(left('-*')).toEqual({});
    expect(left('+name', '-*')).toEqual({ name: 'levels' });
    expect(left('-*', '+name')).toEqual({});
    expect(Object.keys(left('-notes', '-resources') as object)).toEqual(['id', 'name', 'private', 'tags']);
  });

  it('filters nested keys', () => {
    expect((left('-resources__1') as any).resources).toEqual([dataset.resources[0]]);
    expect((left('+resources__1492a__id', '-resources__1492a__*') as any).resources).toEqual([
      { id: '1492a-first' },
      dataset.resources[1],
    ]);
    expect(left('+resources__*__name', '-*')).toEqual({ resources: [{ name: 'one' }, { name: 'two' }] });
    expect(left('+resources', '-*')).toEqual({ resources: dataset.resources });
  });

  it('refuses invalid patterns', () => {
    for (const text of ['name', '', '+', '*']) expect(() => patternsOf([text])).toThrow(Misfit);
  });
});

describe('merged', () => {
  it('merges by key and by index, and appends further items', () => {
    expect(merged(dataset.resources, [{ name: 'uno' }])).toEqual([
      { ...dataset.resources[0], name: 'uno' },
      dataset.resources[1],
    ]);
    expect(merged([1], [2, 3])).toEqual([2, 3]);
    expect(merged({ a: { b: 1, c: 2 } }, { a: { b: null }, d: [] })).toEqual({ a: { b: null, c: 2 }, d: [] });
    expect(() => merged([1], { 0: 2 })).toThrow(Misfit);
    expect(merged('text', [1])).toEqual([1]);
  });

  it('stores __proto__ and constructor as plain keys', () => {
    const odd = merged({}, JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}')) as any;
    expect(odd.x).toBeUndefined();
    expect(Object.keys(odd)).toEqual(['__proto__', 'constructor']);
  });
});

describe('mergedAt', () => {
  it('merges at a key, an index, an id or the end of a list', () => {
    expect(mergedAt(dataset, 'notes', 'new')).toEqual({ ...dataset, notes: 'new' });
    expect((mergedAt(dataset, 'resources__1492b', { name: 'dos' }) as any).resources[1]).toEqual({
      id: '1492b-second',
      name: 'dos',
    });
    expect((mergedAt(dataset, 'resources__-1__name', 'dos') as any).resources[1].name).toBe('dos');
    expect((mergedAt(dataset, 'tags__extend', [{ name: 'air' }]) as any).tags).toHaveLength(2);
    expect((mergedAt(dataset, 'resources__0__note', 'new') as any).resources[0].note).toBe('new');
  });

  it('refuses unknown and ambiguous paths', () => {
    for (const path of ['a__b', 'notes__x', 'resources__7', 'resources__x', 'resources__1492', 'resources__extend__0'])
      expect(() => mergedAt(dataset, path, 'x')).toThrow(Misfit);
    expect(() => mergedAt(dataset, 'tags__extend', 'x')).toThrow(Misfit);
    expect(() => indexOf([{ id: 'abcdef' }, { id: 'abcdeg' }], 'abcde')).toThrow('Several');
  });
});
