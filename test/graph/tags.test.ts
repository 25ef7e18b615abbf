import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
  await world.make.dataset({ tags: ['aa', 'bb', 'cc', 'dd', 'ee'].map((name) => ({ name })) });
});
afterAll(() => world.end());

const data = async (query: string, variables = {}, as: TestUser | null = null) => {
  const { body } = await world.graph(query, variables, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};

describe('tags', () => {
  const page = `query ($first: Int, $after: String, $words: [String!]) { tags(first: $first, after: $after, words: $words) {
    totalCount nodes { name } edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage endCursor } } }`;

  it('pages forward by cursor, each tag once', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { tags } = await data(page, { first: 2, after });
      expect(tags.totalCount).toBe(5);
      expect(tags.pageInfo.hasPreviousPage).toBe(after !== null);
      seen.push(...tags.nodes.map((tag: { name: string }) => tag.name));
      after = tags.pageInfo.hasNextPage ? tags.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(['aa', 'bb', 'cc', 'dd', 'ee']);
  });

  it('continues after a deleted tag', async () => {
    const { tags } = await data(page, { first: 2 });
    await data('mutation { deleteTag(input: { id: "bb" }) { errors { code } } }', {}, admin);
    expect((await data(page, { first: 1, after: tags.edges[1].cursor })).tags.nodes).toEqual([{ name: 'cc' }]);
  });

  it('finds nothing for blank words', async () => {
    expect((await data(page, { words: ['  '] })).tags).toMatchObject({
      totalCount: 0,
      nodes: [],
      pageInfo: { hasNextPage: false, endCursor: null },
    });
  });

  it('refuses invalid cursors and page sizes', async () => {
    const codes = async (variables: object) =>
      (await world.graph(page, variables as Record<string, unknown>)).body.errors[0].extensions.code;
    expect(await codes({ after: 'nonsense' })).toBe('VALIDATION');
    expect(await codes({ first: 101 })).toBe('LIMIT');
    expect(await codes({ first: -1 })).toBe('LIMIT');
  });
});

describe('vocabularies', () => {
  it('load their tags, and the vocabulary of each tag, in one statement each', async () => {
    for (const name of ['v-one', 'v-two', 'v-three'])
      await world.result('vocabulary_create', { name, tags: [{ name: 'xx' }, { name: 'yy' }] }, { as: admin });
    let found: {
      vocabularies: {
        totalCount: number;
        nodes: { name: string; it: { nodes: { vocabulary: { name: string } }[] } }[];
      };
    };
    const statements = await world.statementsOf(async () => {
      found = await data(
        '{ vocabularies(first: 10) { totalCount nodes { name it: tagConnection { nodes { name vocabulary { name } } } } } }',
      );
    });
    expect(found!.vocabularies.nodes.map((vocabulary) => vocabulary.name)).toEqual(['v-one', 'v-three', 'v-two']);
    expect(
      found!.vocabularies.nodes.every(
        ({ name, it }) => it.nodes.length === 2 && it.nodes.every((tag) => tag.vocabulary.name === name),
      ),
    ).toBe(true);
    expect(statements).toHaveLength(4); // page, count, tags, vocabularies of the tags
  });

  it('are nodes, like their tags', async () => {
    const { vocabulary } = await data(
      '{ vocabulary(id: "v-one") { id databaseId tagConnection { nodes { id databaseId name } } } }',
    );
    const { nodes } = await data(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Vocabulary { name } ... on Tag { databaseId } } }',
      { ids: [vocabulary.tagConnection.nodes[0].id, vocabulary.id] },
    );
    expect(nodes).toEqual([
      { id: vocabulary.tagConnection.nodes[0].id, databaseId: vocabulary.tagConnection.nodes[0].databaseId },
      { id: vocabulary.id, name: 'v-one' },
    ]);
    expect(vocabulary.id).not.toBe(vocabulary.databaseId);
  });
});

describe('mutations', () => {
  it('return refusals as data, with the path in the input', async () => {
    const create =
      'mutation ($input: CreateVocabularyInput!) { createVocabulary(input: $input) { vocabulary { name } errors { code message path } } }';
    const { createVocabulary } = await data(create, { input: { name: 'x', tags: ['fine', '!'] } }, admin);
    expect(createVocabulary).toEqual({
      vocabulary: null,
      errors: [
        { code: 'VALIDATION', message: 'Name must be at least 2 characters long', path: ['name'] },
        { code: 'VALIDATION', message: 'Tag "!" length is less than minimum 2', path: ['tags', '1'] },
        { code: 'VALIDATION', message: 'Tag "!" must be alphanumeric characters or symbols: -_.', path: ['tags', '1'] },
      ],
    });
    expect((await data(create, { input: { name: 'theirs' } })).createVocabulary.errors).toMatchObject([
      { code: 'NOT_AUTHORIZED', path: [] },
    ]);
  });

  it('distinguish null from omitted fields, and check the expected version', async () => {
    const update =
      'mutation ($input: UpdateVocabularyInput!) { updateVocabulary(input: $input) { vocabulary { name version } errors { code path } } }';
    const change = async (input: object) =>
      (await data(update, { input: { id: 'v-one', ...input } }, admin)).updateVocabulary;
    expect((await change({ name: null, tags: null })).errors).toEqual([
      { code: 'VALIDATION', path: ['name'] },
      { code: 'VALIDATION', path: ['tags'] },
    ]);
    expect(await change({ expectedVersion: 1 })).toEqual({ vocabulary: { name: 'v-one', version: 2 }, errors: [] });
    expect(await change({ expectedVersion: 1 })).toMatchObject({ vocabulary: null, errors: [{ code: 'CONFLICT' }] });
  });
});

it('shows site and licenses to anonymous callers', async () => {
  const { site, licenses } = await data('{ site { siteId readable contractVersion } licenses { code isOpen } }');
  expect(site).toEqual({ siteId: 'default', readable: true, contractVersion: '2.4.9' });
  expect(licenses).toContainEqual({ code: 'cc-by', isOpen: true });
});
