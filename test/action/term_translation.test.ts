import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  [admin, ann] = await Promise.all([world.make.sysadmin(), world.make.user({ name: 'ann' })]);
});
afterAll(() => world.end());

const dict = (term: string, lang_code: string, term_translation: string) => ({ term, lang_code, term_translation });
const update = (params: Record<string, unknown>, as: TestUser | null = admin) =>
  world.action('term_translation_update', params, { as });
const many = (data: unknown, as: TestUser | null = admin) =>
  world.action('term_translation_update_many', { data }, { as });
const show = (params: Record<string, unknown>, get = false) => world.result('term_translation_show', params, { get });

describe('translations of terms', () => {
  it('are added, replaced and listed in order of creation', async () => {
    expect((await update(dict('river', 'de', 'Fluss'))).body.result).toEqual(dict('river', 'de', 'Fluss'));
    expect((await update(dict('river', 'fr', 'rivière'))).body.success).toBe(true);
    expect((await update(dict('river', 'de', 'Strom'))).body.success).toBe(true);
    const several = [dict('lake, small', 'de', 'Teich'), dict('a', 'de', 'A'), dict('a', 'de', 'Ah')];
    expect((await many(several)).body.result).toEqual({ success: '2 rows updated' });
    const river = [dict('river', 'de', 'Strom'), dict('river', 'fr', 'rivière')];
    expect(await show({ terms: ['river'] })).toEqual(river);
    expect(await show({ terms: 'river' }, true)).toEqual(river);
    expect(await show({ terms: ['a', 'river'], lang_codes: ['de'] })).toEqual([river[0], dict('a', 'de', 'Ah')]);
    expect(await show({ terms: 'river', lang_codes: 'fr' }, true)).toEqual([river[1]]);
    expect(await show({ terms: ['lake, small'] })).toEqual([dict('lake, small', 'de', 'Teich')]);
    expect(await show({ terms: 'lake, small' }, true)).toHaveLength(1);
    expect(await show({ terms: ['["a"]'] })).toEqual([]);
    expect(await show({ terms: '["a", "river"]' }, true)).toHaveLength(3);
    expect(await show({ terms: [] })).toHaveLength(4);
    expect(await show({ terms: ['nope'] })).toEqual([]);
  });

  it('accept terms that are too long for an index', async () => {
    const long = 'long term '.repeat(2_000);
    expect((await update(dict(long, 'de', 'lang'))).body.success).toBe(true);
    expect((await update(dict(long, 'de', 'länger'))).body.success).toBe(true);
    expect(await show({ terms: [long] })).toEqual([dict(long, 'de', 'länger')]);
  });

  it('can be written by sysadmins only', async () => {
    for (const as of [null, ann]) {
      expect((await update(dict('x', 'de', 'y'), as)).status).toBe(403);
      expect((await many([dict('x', 'de', 'y')], as)).status).toBe(403);
    }
    expect((await update(dict('x', 'de', 'y'), ann)).body.error.message).toBe(
      'Access denied: User ann not authorized to update term_translation table',
    );
  });

  it('are all refused if a field is missing', async () => {
    const before = await show({ terms: [] });
    expect((await update({ term: 'x' })).body.error).toMatchObject({
      __type: 'Validation Error',
      term_translation: ['Missing value'],
      lang_code: ['Missing value'],
    });
    expect((await update(dict('', 'de', 'y'))).body.error).toMatchObject({ term: ['Missing value'] });
    expect((await many(undefined)).body.error).toMatchObject({
      error: ['term_translation_update_many needs to have a list of dicts in field data'],
    });
    expect((await many([dict('new', 'de', 'neu'), { term: 'a' }])).body.error).toMatchObject({
      term_translation: ['Missing value'],
      lang_code: ['Missing value'],
    });
    expect((await many([])).body.result).toEqual({ success: '0 rows updated' });
    expect((await world.action('term_translation_show')).body.error).toMatchObject({ terms: ['terms not in data'] });
    expect(await show({ terms: [] })).toEqual(before);
  });
});

describe('translations in GraphQL', () => {
  it('are paged, and errors name the index of the invalid item', async () => {
    const query =
      'query ($after: String) { termTranslations(first: 2, after: $after) { totalCount nodes { term } pageInfo { hasNextPage endCursor } } }';
    const first = (await world.graph(query)).body.data.termTranslations;
    const second = (await world.graph(query, { after: first.pageInfo.endCursor })).body.data.termTranslations;
    const all = await show({ terms: [] });
    expect([...first.nodes, ...second.nodes].map(({ term }) => term)).toEqual(
      all.slice(0, 4).map(({ term }: { term: string }) => term),
    );
    expect(first.totalCount).toBe(all.length);
    const mutation = `mutation { setTermTranslations(input: { translations: [
      { term: "a", language: "de", translation: "b" }, { term: "", language: "${'x'.repeat(101)}", translation: "b" }] })
      { translations { term } errors { code path } } }`;
    expect((await world.graph(mutation, {}, { as: admin })).body.data.setTermTranslations).toEqual({
      translations: null,
      errors: [
        { code: 'VALIDATION', path: ['translations', '1', 'term'] },
        { code: 'VALIDATION', path: ['translations', '1', 'language'] },
      ],
    });
  });
});
