import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let editor: TestUser;
let moments: Date[];
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  [admin, editor] = await Promise.all([world.make.sysadmin(), world.make.user({ name: 'editor' })]);
  await world.make.organization({ name: 'office', members: { [editor.id]: 'editor' } });
  moments = [];
  const then = async (action: string, params: object) => {
    await world.result(action, { ...params }, { as: editor });
    moments.push(new Date());
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  moments.push(new Date(0));
  await then('package_create', {
    name: 'levels',
    owner_org: 'office',
    private: true,
    notes: 'draft of the notes',
    resources: [
      { id: 'first', url: 'https://example.org/1.csv', name: 'one' },
      { id: 'second', url: 'https://example.org/2.csv' },
    ],
  });
  await then('package_patch', { id: 'levels', private: false, notes: 'the notes' });
  await then('resource_patch', { id: 'first', name: 'uno' });
  await then('package_resource_reorder', { id: 'levels', order: ['second', 'first'] });
  await then('resource_delete', { id: 'second' });
  await then('package_patch', { id: 'levels', tags: [{ name: 'water' }] });
});
afterAll(() => world.end());

const HISTORY = `query ($first: Int, $after: String) { dataset(id: "levels") { history(first: $first, after: $after) {
  totalCount pageInfo { hasNextPage endCursor }
  nodes { version createdAt revisionId revision { author message objectConnection { nodes { kind name action } } }
    changes { field resourceId before after } dataset { version notes private resourceCount } } } } }`;
const history = async (variables: object, as: TestUser | null = null) => {
  const { body } = await world.graph(HISTORY, { ...variables }, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.dataset.history;
};

describe('Dataset.history', () => {
  it('lists the changed fields of each revision', async () => {
    const { nodes, totalCount } = await history({}, editor);
    expect(totalCount).toBe(6);
    expect(nodes.map(({ changes }: any) => changes)).toEqual([
      [{ field: 'tags', resourceId: null, before: [], after: [expect.objectContaining({ name: 'water' })] }],
      [{ field: 'resources', resourceId: 'second', before: expect.objectContaining({ id: 'second' }), after: null }],
      [{ field: 'resources', resourceId: null, before: ['first', 'second'], after: ['second', 'first'] }],
      [{ field: 'name', resourceId: 'first', before: 'one', after: 'uno' }],
      [
        { field: 'notes', resourceId: null, before: 'draft of the notes', after: 'the notes' },
        { field: 'private', resourceId: null, before: true, after: false },
      ],
      null,
    ]);
    expect(nodes.at(-1)).toMatchObject({
      version: 1,
      revision: {
        author: 'editor',
        objectConnection: { nodes: expect.arrayContaining([{ kind: 'DATASET', name: 'levels', action: 'CREATED' }]) },
      },
      dataset: { version: 1, private: true, resourceCount: 2 },
    });
  });

  it('hides versions that were private, and the values changed from them', async () => {
    const { nodes, totalCount } = await history({});
    expect(totalCount).toBe(5);
    expect(nodes.at(-1)).toMatchObject({ version: 2, changes: null, dataset: { notes: 'the notes' } });
    expect(JSON.stringify(nodes)).not.toContain('draft of the notes');
  });

  it('can be paged without gaps', async () => {
    const versions: number[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page: any = await history({ first: 2, after }, editor);
      versions.push(...page.nodes.map(({ version }: any) => version));
      ({ endCursor: after, hasNextPage: more } = page.pageInfo);
    }
    expect(versions).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('needs as many statements for four datasets as for one', async () => {
    for (const name of ['more-1', 'more-2', 'more-3']) {
      const { id } = await world.make.dataset({ name });
      await world.result('package_patch', { id, title: 'More' }, { as: admin });
    }
    const query = (first: number) =>
      `{ datasets(first: ${first}) { nodes { history { totalCount nodes { revision { message objectConnection { nodes { name } } } changes { field } dataset { title } } } } } }`;
    const one = await world.statementsOf(() => world.graph(query(1)));
    const many = await world.statementsOf(() => world.graph(query(4)));
    expect(many).toHaveLength(one.length);
  });
});

describe('a past version of a dataset', () => {
  const show = async (args: string, as: TestUser | null = null) => {
    const { body } = await world.graph(
      `{ dataset(id: "levels"${args}) { version notes resources { name } } }`,
      {},
      { as },
    );
    return body.errors ? body.errors[0].extensions.code : body.data.dataset;
  };
  const asOf = (at: Date, as: TestUser | null = null) => show(`, asOf: "${at.toISOString()}"`, as);

  it('is returned for a point in time', async () => {
    expect(await asOf(moments[3]!)).toMatchObject({ version: 3, notes: 'the notes' });
    expect((await asOf(moments[3]!)).resources.map(({ name }: any) => name)).toEqual(['uno', null]);
    expect(await asOf(new Date())).toMatchObject({ version: 6 });
    expect(await asOf(moments[0]!)).toBe('NOT_FOUND');
    expect(await show(', asOf: "0001-01-01T00:00:00Z"')).toBe('NOT_FOUND');
    expect(await show(', asOf: "0000-01-01T00:00:00Z"')).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(await show(', asOf: "9999-12-31T23:59:59-23:59"')).toMatchObject({ version: 6 });
    expect(await show(', asOf: "-200000-01-01T00:00:00Z"')).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('is found by the current name of the dataset only', async () => {
    const admin = await world.make.sysadmin();
    const first = { name: 'called-first' };
    const { id, metadata_modified: at } = await world.result('package_create', first, { as: admin });
    await world.result('package_patch', { id, name: 'called-now' }, { as: admin });
    const named = async (name: string) => {
      const query = `query ($at: DateTime) { dataset(name: "${name}", asOf: $at) { name } }`;
      return (await world.full(query, { at: `${at}Z` })).body.data?.dataset ?? null;
    };
    expect(await named('called-now')).toEqual(first);
    expect(await named('called-first')).toBeNull();
  });

  it('is returned for a revision', async () => {
    const { nodes } = await history({}, editor);
    expect(await show(`, revision: "${nodes[3].revisionId}"`)).toMatchObject({ version: 3 });
    expect(await show(', revision: "nope"')).toBe('NOT_FOUND');
    expect(await show(`, revision: "x", asOf: "2026-01-01T00:00:00Z"`)).toBe('VALIDATION');
  });

  it('requires read access both now and at that time', async () => {
    expect(await asOf(moments[1]!)).toBe('NOT_AUTHORIZED');
    expect(await asOf(moments[1]!, editor)).toMatchObject({ notes: 'draft of the notes' });
    await world.result('package_patch', { id: 'levels', private: true }, { as: editor });
    expect(await asOf(moments[3]!)).toBe('NOT_AUTHORIZED');
    await world.result('package_patch', { id: 'levels', private: false }, { as: editor });
  });

  it('is deleted when the dataset is purged', async () => {
    await world.result('package_create', { name: 'passing', owner_org: 'office' }, { as: editor });
    const at = new Date().toISOString();
    await world.result('dataset_purge', { id: 'passing' }, { as: admin });
    const { body } = await world.graph(`{ dataset(id: "passing", asOf: "${at}") { name } }`, {}, { as: admin });
    expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('revisions', () => {
  it('can be paged without gaps, in the order of revision_list', async () => {
    const query = `query ($after: String) { revisions(first: 3, after: $after) { totalCount nodes { databaseId } pageInfo { hasNextPage endCursor } } }`;
    const ids: string[] = [];
    let total = 0;
    for (let after: string | null = null, more = true; more; ) {
      const { body }: any = await world.graph(query, { after }, { as: editor });
      ids.push(...body.data.revisions.nodes.map(({ databaseId }: any) => databaseId));
      total = body.data.revisions.totalCount;
      ({ endCursor: after, hasNextPage: more } = body.data.revisions.pageInfo);
    }
    expect(ids).toHaveLength(total);
    expect(new Set(ids).size).toBe(total);
    expect(ids).toEqual(await world.result('revision_list', {}, { as: editor }));
  });

  it('are read by global id', async () => {
    const { body } = await world.graph('{ revisions(first: 1) { nodes { id message } } }');
    const [revision] = body.data.revisions.nodes;
    const again = await world.graph('query ($id: ID!) { node(id: $id) { ... on Revision { id message } } }', {
      id: revision.id,
    });
    expect(again.body.data.node).toEqual(revision);
  });
});
