/** Relationships between datasets: permissions to create, update, list and delete them, and their visibility in documents. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let editor: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  world = await createWorld(
    {
      'catalog.action_api.status': 'http',
      'catalog.auth.create_unowned_dataset': false,
    },
    { counts: true },
  );
  [admin, editor, stranger] = await Promise.all([
    world.make.user({ name: 'admin', sysadmin: true }),
    world.make.user({ name: 'editor' }),
    world.make.user({ name: 'stranger' }),
  ]);
  await world.make.organization({ name: 'office', members: { [editor.id]: 'editor' } });
  await world.make.organization({ name: 'closed' });
  for (const name of ['one', 'two', 'three']) await world.make.dataset({ name, ownerOrganization: 'office' });
  await world.make.dataset({ name: 'foreign', ownerOrganization: 'closed' });
  for (const name of ['secret', 'hidden'])
    await world.make.dataset({ name, ownerOrganization: 'closed', private: true });
});
afterAll(() => world.end());

const call = async (name: string, params: object, as: TestUser | null = null) => {
  const { status, body } = await world.action(name, { ...params }, { as });
  const { __type, ...error } = body.error ?? {};
  return body.success ? body.result : { status, ...error };
};
const relate = (subject: string, type: string, object: string, as: TestUser | null, comment?: string) =>
  call('package_relationship_create', { subject, object, type, ...(comment === undefined ? {} : { comment }) }, as);
const list = (id: string, more: object = {}, as: TestUser | null = null) =>
  call('package_relationships_list', { id, ...more }, as);
const shown = async (id: string, as: TestUser | null = null) => {
  const dataset = await world.result('package_show', { id }, { as });
  return [...dataset.relationships_as_subject, ...dataset.relationships_as_object].map(({ type }: any) => type);
};

describe('package_relationship_create', () => {
  it('creates a relationship that both datasets list', async () => {
    const versions = async () => Promise.all(['one', 'two'].map(version));
    const before = await versions();
    expect(await relate('one', 'depends_on', 'two', editor, 'needs it')).toEqual({
      subject: 'one',
      object: 'two',
      type: 'depends_on',
      comment: 'needs it',
    });
    expect(await list('one')).toEqual([{ subject: 'one', object: 'two', type: 'depends_on', comment: 'needs it' }]);
    expect(await list('two')).toEqual([{ subject: 'two', object: 'one', type: 'dependency_of', comment: 'needs it' }]);
    expect(await versions()).toEqual(before.map((n) => n + 1));
    const [revision] = await world.result('package_revision_list', { id: 'two' });
    expect(revision).toMatchObject({ author: 'editor', message: 'REST API: Create package relationship' });
    expect((await world.result('revision_show', { id: revision.id })).packages).toEqual(['one', 'two']);
  });

  it('stores one relationship when ten writers create it concurrently', async () => {
    const comments = Array.from({ length: 10 }, (_, index) => `comment ${index}`);
    const answers = await Promise.all(comments.map((comment) => relate('two', 'child_of', 'three', editor, comment)));
    expect(answers.map(({ comment }) => comment)).toEqual(comments);
    const made = await list('two', { id2: 'three' });
    expect(made).toHaveLength(1);
    expect(comments).toContain(made[0].comment);
    await call('package_relationship_delete', { subject: 'two', type: 'child_of', object: 'three' }, editor);
  });

  it('updates the existing relationship when it is created from the other end', async () => {
    expect(await relate('two', 'dependency_of', 'one', editor, 'still')).toEqual({
      subject: 'one',
      object: 'two',
      type: 'depends_on',
      comment: 'still',
    });
    expect(await list('one')).toHaveLength(1);
    expect(await relate('two', 'parent_of', 'three', editor)).toMatchObject({
      subject: 'three',
      object: 'two',
      type: 'child_of',
      comment: '',
    });
  });

  it('requires permission to change one of the datasets and to read the other', async () => {
    for (const [subject, object] of [
      ['one', 'foreign'],
      ['foreign', 'one'],
    ]) {
      const said = { subject, object, type: 'links_to' };
      expect(await relate(subject!, 'links_to', object!, editor)).toMatchObject(said);
      expect(await call('package_relationship_update', { ...said, comment: 'new' }, editor)).toMatchObject(said);
      for (const as of [stranger, null])
        expect(await call('package_relationship_delete', said, as)).toMatchObject({ status: 403 });
      expect(await call('package_relationship_delete', said, editor)).toBeNull();
    }
    for (const [subject, object] of [
      ['one', 'secret'],
      ['secret', 'one'],
      ['foreign', 'foreign'],
    ])
      expect(await relate(subject!, 'links_to', object!, editor)).toEqual({
        status: 403,
        message: 'Access denied: User editor not authorized to edit these packages',
      });
    expect(await relate('one', 'links_to', 'two', stranger)).toMatchObject({ status: 403 });
    expect(await relate('one', 'links_to', 'two', null)).toMatchObject({ status: 403 });
  });

  it('refuses missing parameters, unknown datasets and unknown types', async () => {
    expect(await call('package_relationship_create', {}, editor)).toMatchObject({
      status: 409,
      subject: ['Missing value'],
      object: ['Missing value'],
      type: ['Missing value'],
    });
    expect(await relate('nope', 'links_to', 'two', editor)).toMatchObject({ status: 404 });
    expect(await relate('one', 'links_to', 'nope', editor)).toMatchObject({ status: 404 });
    expect(await relate('one', 'bogus', 'two', editor)).toMatchObject({
      status: 409,
      type: [expect.stringContaining('Value must be one of: depends_on; dependency_of;')],
    });
  });

  it('creates a relationship with an enum type in the public GraphQL schema', async () => {
    const [parent, child] = await Promise.all(['parent', 'child'].map((name) => world.make.dataset({ name })));
    const [subject, object] = [parent!, child!].map(({ id }) => toGlobalId('Dataset', id));
    const create = `mutation ($type: DatasetRelationshipType!) {
      createDatasetRelationship(input: { subject: "${subject}", object: "${object}", type: $type }) {
        relationship { type subject { name } } errors { code } } }`;
    const { body } = await world.graph(create, { type: 'PARENT_OF' }, { as: admin });
    expect(body.data.createDatasetRelationship).toEqual({
      relationship: { type: 'CHILD_OF', subject: { name: 'child' } },
      errors: [],
    });
    expect((await world.graph(create, { type: 'parent_of' }, { as: admin })).status).toBe(400);
    const shown = await world.graph(
      `{ node(id: "${subject}") { ... on Dataset { relationships { type object { name } } } } }`,
    );
    expect(shown.body.data.node.relationships).toEqual([{ type: 'PARENT_OF', object: { name: 'child' } }]);
  });
});

describe('package_relationship_update, package_relationship_delete', () => {
  it('find a relationship from either end', async () => {
    const given = { subject: 'two', object: 'one', type: 'dependency_of' };
    expect(await call('package_relationship_update', { ...given, comment: 'new' }, editor)).toMatchObject({
      subject: 'one',
      type: 'depends_on',
      comment: 'new',
    });
    expect(await call('package_relationship_delete', given, stranger)).toMatchObject({ status: 403 });
    expect(await call('package_relationship_delete', given, editor)).toBeNull();
    expect(await call('package_relationship_delete', given, editor)).toEqual({ status: 404, message: 'Not found' });
    expect(await call('package_relationship_update', given, editor)).toMatchObject({ status: 404 });
    expect(await list('one')).toEqual([]);
    expect(await shown('one')).toEqual([]);
  });

  it('do not reveal a relationship to users who may not read both datasets', async () => {
    await relate('one', 'links_to', 'secret', admin);
    for (const type of ['links_to', 'depends_on'])
      expect(
        await call('package_relationship_delete', { subject: 'one', object: 'secret', type }, editor),
      ).toMatchObject({ status: 403 });
  });
});

describe('a relationship with a dataset that the caller may not read', () => {
  it('is not shown by any endpoint', async () => {
    await relate('one', 'depends_on', 'two', admin);
    const secret = (await world.result('package_show', { id: 'secret' }, { as: admin })).id;
    expect(await list('one', {}, admin)).toHaveLength(2);
    expect(await list('one', {}, editor)).toEqual([expect.objectContaining({ object: 'two' })]);
    // whether the two are related or not
    for (const id2 of ['secret', 'hidden']) {
      expect(await list('one', { id2 }, editor)).toEqual([]);
      expect(await list('one', { id2, rel: 'links_to' }, editor)).toMatchObject({ status: 404 });
    }
    expect(await list('one', { rel: 'links_to' }, editor)).toEqual([]);
    expect(await shown('one', admin)).toEqual(expect.arrayContaining(['links_to', 'depends_on']));
    for (const as of [null, editor]) {
      expect(await shown('one', as)).toEqual(['depends_on']);
      const everywhere = await Promise.all([
        world.action('package_show', { id: 'one' }, { as }),
        world.action('current_package_list_with_resources', {}, { as }),
        world.action('organization_show', { id: 'office', include_datasets: true }, { as }),
        world.full('{ dataset(id: "one") { document relationships { type object { name } } } }', {}, { as }),
        world.full(`{ dataset(id: "one", asOf: "${new Date().toISOString()}") { document } }`, {}, { as }),
        world.full(
          '{ dataset(id: "one") { history { nodes { changes { before after } dataset { document } } } } }',
          {},
          { as },
        ),
      ]);
      for (const { text } of everywhere) expect(text).not.toContain(secret);
    }
    const patched = await world.action('package_patch', { id: 'one', notes: 'new' }, { as: editor });
    expect(patched.text).not.toContain(secret);
  });

  it('survives an update by a user who cannot see it', async () => {
    const seen = await world.result('package_show', { id: 'one' }, { as: editor });
    await world.result('package_update', { ...seen, title: 'One' }, { as: editor });
    expect(await list('one', {}, admin)).toHaveLength(2);
    await world.result('package_update', { ...seen, relationships_as_subject: [] }, { as: editor });
    expect((await list('one', {}, admin)).map(({ object }: any) => object)).toEqual(['secret']);
  });

  it('needs no statement for unrelated datasets, and one for a list of related datasets', async () => {
    await relate('one', 'depends_on', 'two', admin);
    const plain = await world.statementsOf(() => world.action('package_show', { id: 'foreign' }, { get: true }));
    expect(plain).toHaveLength(1);
    // Repeated requests by visitors also look up a cached result.
    const linked = await world.statementsOf(() => world.action('current_package_list_with_resources', { limit: 99 }));
    expect(linked).toHaveLength(3); // the list, its datasets, and the other ends of their relationships
  });
});

describe('package_relationships_list', () => {
  it('filters by the other dataset and by type', async () => {
    await relate('one', 'derives_from', 'three', admin);
    expect(await list('one', { id2: 'three' })).toEqual([
      { subject: 'one', object: 'three', type: 'derives_from', comment: '' },
    ]);
    expect(await list('three', { rel: 'has_derivation' })).toHaveLength(1);
    expect(await list('three', { rel: 'relationships' })).toHaveLength(2);
    expect(await list('three', { rel: 'bogus' })).toMatchObject({ status: 404 });
  });

  it('lists the most recently written relationship last', async () => {
    await relate('three', 'depends_on', 'two', admin);
    await relate('three', 'child_of', 'two', admin);
    const types = async () => (await list('three', { id2: 'two' })).map(({ type }: { type: string }) => type);
    expect(await types()).toEqual(['depends_on', 'child_of']);
    await relate('three', 'depends_on', 'two', admin);
    expect(await types()).toEqual(['child_of', 'depends_on']);
  });

  it('refuses missing, unknown and unreadable datasets', async () => {
    expect(await list('nope')).toMatchObject({ status: 404 });
    expect(await list('one', { id2: 'nope' })).toMatchObject({ status: 404 });
    expect(await call('package_relationships_list', {})).toMatchObject({ status: 409, id: ['Missing value'] });
    expect(await list('secret')).toEqual({
      status: 403,
      message: 'Access denied: Visitors are not authorized to read these packages',
    });
  });

  it('drops relationships with a purged dataset from the other dataset', async () => {
    await world.make.dataset({ name: 'passing', ownerOrganization: 'office' });
    await relate('passing', 'links_to', 'three', editor);
    expect(await shown('three')).toContain('links_to');
    await world.result('dataset_purge', { id: 'passing' }, { as: admin });
    expect(await shown('three')).not.toContain('links_to');
  });
});

it('documents equal the rows after all writes', async () => {
  const { documentsCheck } = await import('../../src/catalog/dataset/read/documents.service.ts');
  for await (const { faults } of documentsCheck(world.app.callAs(world.system))) expect(faults).toEqual([]);
});

async function version(name: string): Promise<number> {
  return (await world.graph(`{ dataset(id: "${name}") { version } }`)).body.data.dataset.version;
}

it('the _rest actions create, update and delete a relationship', async () => {
  const given = { id: 'two', rel: 'links_to', id2: 'three' };
  const made = await call('package_relationship_create_rest', { ...given, comment: 'see' }, admin);
  expect(made).toEqual({ subject: 'two', object: 'three', type: 'links_to', comment: 'see' });
  expect(await call('package_relationship_update_rest', given, admin)).toEqual({ ...made, comment: '' });
  expect(await call('package_relationship_delete_rest', given, admin)).toBeNull();
  expect(await call('package_relationship_delete_rest', given, admin)).toMatchObject({ status: 404 });
});
