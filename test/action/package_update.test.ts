import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const full = (name: string) => ({
  name,
  title: 'T',
  notes: 'N',
  author: 'A',
  extras: [{ key: 'k', value: 'v' }],
  tags: [{ name: 'tag-one' }],
  resources: [{ url: 'http://a.example/1', description: 'first' }, { url: 'http://a.example/2' }],
});

describe('package_update', () => {
  it('keeps omitted texts and empties omitted lists', async () => {
    await world.result('package_create', full('replaced'), { as: admin });
    const updated = await world.result('package_update', { id: 'replaced', title: 'only title' }, { as: admin });
    expect(updated).toMatchObject({
      title: 'only title',
      notes: 'N',
      author: 'A',
      extras: [],
      tags: [],
      resources: [],
      num_resources: 0,
      num_tags: 0,
    });
  });

  it('keeps a resource given by id, and removes the others', async () => {
    const created = await world.result('package_create', full('resources-kept'), { as: admin });
    const [first] = created.resources;
    const updated = await world.result(
      'package_update',
      { id: 'resources-kept', resources: [{ url: 'http://b.example' }, { id: first.id, url: 'http://a.example/1b' }] },
      { as: admin },
    );
    expect(updated.resources).toMatchObject([
      { url: 'http://b.example', position: 0 },
      { id: first.id, url: 'http://a.example/1b', description: 'first', position: 1 },
    ]);
  });

  it('refuses the id of a resource of another dataset', async () => {
    const theirs = await world.result('package_create', full('theirs'), { as: admin });
    await world.result('package_create', { name: 'mine' }, { as: admin });
    const { body } = await world.action(
      'package_update',
      { id: 'mine', resources: [{ id: theirs.resources[0].id, url: 'http://x.example' }] },
      { as: admin },
    );
    expect(body.error).toMatchObject({
      __type: 'Validation Error',
      resources: [{ id: ['Resource id already exists'] }],
    });
    expect(await world.result('package_show', { id: 'theirs' })).toEqual(theirs);
  });

  it('renames a dataset, frees its old name and refuses a name that is taken', async () => {
    await world.result('package_create', { name: 'old-name' }, { as: admin });
    await world.result('package_patch', { id: 'old-name', name: 'new-name' }, { as: admin });
    expect((await world.action('package_show', { id: 'old-name' })).body.error.__type).toBe('Not Found Error');
    await world.result('package_create', { name: 'old-name' }, { as: admin });
    expect(
      (await world.action('package_patch', { id: 'old-name', name: 'new-name' }, { as: admin })).body.error.name,
    ).toEqual(['That URL is already in use.']);
  });

  it('writes nothing when any field is invalid', async () => {
    const before = await world.result('package_create', full('untouched'), { as: admin });
    const revisions = await world.database.db.revision.count();
    const { body } = await world.action(
      'package_patch',
      { id: 'untouched', title: 'X', tags: [{ name: '!' }], resources: [{ url: 'http://new.example' }] },
      { as: admin },
    );
    expect(body.success).toBe(false);
    expect(await world.result('package_show', { id: 'untouched' })).toEqual(before);
    expect(await world.database.db.revision.count()).toBe(revisions);
  });
});

describe('package_patch', () => {
  it('changes only given fields, and clears a field by null', async () => {
    const before = await world.result('package_create', full('patched'), { as: admin });
    const after = await world.result(
      'package_patch',
      { id: 'patched', notes: null, extras: [{ key: 'new', value: '1' }] },
      { as: admin },
    );
    expect(after).toEqual({
      ...before,
      notes: null,
      extras: [{ key: 'new', value: '1' }],
      metadata_modified: expect.any(String),
      revision_id: expect.not.stringMatching(before.revision_id),
    });
  });

  it('restores a deleted dataset by its state, and reserves its name until then', async () => {
    await world.result('package_create', { name: 'gone' }, { as: admin });
    expect(await world.result('package_delete', { id: 'gone' }, { as: admin })).toBeNull();
    expect((await world.action('package_show', { id: 'gone' })).body.error.__type).toBe('Authorization Error');
    expect((await world.action('package_create', { name: 'gone' }, { as: admin })).body.error.name).toEqual([
      'That URL is already in use.',
    ]);
    await world.result('package_patch', { id: 'gone', state: 'active' }, { as: admin });
    expect((await world.result('package_show', { id: 'gone' })).state).toBe('active');
    const changes = await world.database.db.change.findMany({
      where: { detail: { path: ['name'], equals: 'gone' } },
      orderBy: { sequence: 'asc' },
    });
    expect(changes.map((change) => change.action)).toEqual(['created', 'deleted', 'restored']);
  });
});

it('dataset_purge removes all data of a dataset, for sysadmins only', async () => {
  const other = await world.make.user();
  const { id } = await world.result('package_create', full('purged'), { as: admin });
  expect((await world.action('dataset_purge', { id: 'purged' }, { as: other })).body.error.__type).toBe(
    'Authorization Error',
  );
  await world.result('dataset_purge', { id: 'purged' }, { as: admin });
  expect((await world.action('package_show', { id })).body.error.__type).toBe('Not Found Error');
  expect(await world.database.db.resource.count({ where: { datasetId: id } })).toBe(0);
  expect(await world.database.db.datasetHistory.count({ where: { datasetId: id } })).toBe(0);
  await world.result('package_create', { name: 'purged' }, { as: admin });
});

it('relationships appear in both datasets', async () => {
  const child = await world.result('package_create', { name: 'rel-child' }, { as: admin });
  const parent = await world.result(
    'package_create',
    {
      name: 'rel-parent',
      relationships_as_subject: [{ object: 'rel-child', type: 'parent_of', comment: 'c' }],
    },
    { as: admin },
  );
  const link = {
    type: 'parent_of',
    comment: 'c',
    __extras: { subject_package_id: parent.id, object_package_id: child.id },
  };
  expect(parent.relationships_as_subject).toMatchObject([link]);
  expect((await world.result('package_show', { id: 'rel-child' })).relationships_as_object).toMatchObject([link]);
});

it('a relationship of a dataset with itself appears once in each list, even if written twice', async () => {
  const { id } = await world.result('package_create', { name: 'rel-self' }, { as: admin });
  const link = { type: 'links_to', comment: 'c', __extras: { subject_package_id: id, object_package_id: id } };
  const as = { as: admin };
  for (const comment of ['b', 'c']) {
    const list = [{ object: 'rel-self', type: 'links_to', comment }];
    await world.result('package_patch', { id, relationships_as_subject: list }, as);
  }
  const seen = await world.result('package_update', await world.result('package_show', { id }, as), as);
  expect(seen.relationships_as_subject).toMatchObject([link]);
  expect(seen.relationships_as_object).toMatchObject([link]);
  expect(await world.database.db.datasetRelationship.count({ where: { subjectId: id } })).toBe(1);
  const left = await world.result('package_patch', { id, relationships_as_subject: [] }, as);
  expect([left.relationships_as_subject, left.relationships_as_object]).toEqual([[], []]);
});
