import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let editor: TestUser;
let member: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  [admin, editor, member, stranger] = await Promise.all([
    world.make.user({ name: 'admin', sysadmin: true }),
    world.make.user({ name: 'editor' }),
    world.make.user({ name: 'member' }),
    world.make.user({ name: 'stranger' }),
  ]);
  await world.make.organization({ name: 'office', members: { [editor.id]: 'editor', [member.id]: 'member' } });
  await world.make.group({ name: 'rivers', members: { [editor.id]: 'member' } });
  const make = (params: object) => world.result('package_create', { owner_org: 'office', ...params }, { as: editor });
  await make({ name: 'levels', groups: [{ name: 'rivers' }] });
  await make({ name: 'secret', private: true });
  await make({ name: 'opening', private: true, notes: 'not for everybody' });
  await world.result('package_patch', { id: 'levels', title: 'Levels', log_message: 'a better title' }, { as: editor });
  await world.result('package_patch', { id: 'opening', private: false, notes: 'for all' }, { as: editor });
});
afterAll(() => world.end());

const call = async (name: string, params: object = {}, as: TestUser | null = null) => {
  const { status, body } = await world.action(name, { ...params }, { as, get: true });
  const { __type, ...error } = body.error ?? {};
  return body.success ? body.result : { status, ...error };
};
const messages = (list: { message: string }[]) => list.map(({ message }) => message);

describe('package_revision_list', () => {
  it('lists author, message and time, latest first', async () => {
    const list = await call('package_revision_list', { id: 'levels' });
    expect(list).toEqual([
      {
        id: expect.any(String),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
        author: 'editor',
        message: 'a better title',
        approved_timestamp: null,
      },
      expect.objectContaining({ message: 'REST API: Create object levels' }),
    ]);
    expect(await call('dataset_revision_list', { id: 'levels' })).toEqual(list);
  });

  it('requires permission to read the dataset', async () => {
    for (const as of [null, stranger])
      expect(await call('package_revision_list', { id: 'secret' }, as)).toMatchObject({ status: 403 });
    expect(messages(await call('package_revision_list', { id: 'secret' }, member))).toEqual([
      'REST API: Create object secret',
    ]);
    expect(await call('package_revision_list', { id: 'nope' })).toMatchObject({ status: 404 });
    expect(await call('package_revision_list')).toMatchObject({ status: 409, id: ['Missing value'] });
  });

  it('omits revisions made while the caller could not read the dataset', async () => {
    expect(messages(await call('package_revision_list', { id: 'opening' }))).toEqual([
      'REST API: Update object opening',
    ]);
    expect(await call('package_revision_list', { id: 'opening' }, member)).toHaveLength(2);
  });
});

describe('group_revision_list, organization_revision_list', () => {
  it('list revisions of the group, and of datasets that joined or left it', async () => {
    await world.result('package_patch', { id: 'levels', groups: [] }, { as: editor });
    await world.result('group_patch', { id: 'rivers', title: 'Rivers' }, { as: admin });
    expect(messages(await call('group_revision_list', { id: 'rivers' }))).toEqual([
      'REST API: Update object rivers',
      'REST API: Update object levels',
      'REST API: Create object levels',
    ]);
  });

  it('hide revisions of private datasets from callers who may not read them', async () => {
    expect(messages(await call('organization_revision_list', { id: 'office' }))).toEqual([
      'REST API: Create object levels',
    ]);
    expect(messages(await call('organization_revision_list', { id: 'office' }, member))).toEqual([
      'REST API: Create object opening',
      'REST API: Create object secret',
      'REST API: Create object levels',
    ]);
  });

  it('refuse unknown and missing ids', async () => {
    for (const name of ['group_revision_list', 'organization_revision_list']) {
      expect(await call(name, { id: 'nope' })).toMatchObject({ status: 404 });
      expect(await call(name)).toEqual({ status: 409, message: 'Missing id, can not get Group object' });
    }
  });
});

describe('revision_show', () => {
  it('names the datasets and groups that it changed or concerns', async () => {
    const first = (await call('package_revision_list', { id: 'levels' })).at(-1);
    expect(await call('revision_show', { id: first.id })).toEqual({
      ...first,
      packages: ['levels'],
      groups: ['office', 'rivers'],
    });
  });

  it('is refused to callers who may read none of its datasets', async () => {
    const [hidden] = await call('package_revision_list', { id: 'secret' }, member);
    expect(await call('revision_show', { id: hidden.id }, stranger)).toEqual({
      status: 403,
      message: `Access denied: User stranger not authorized to read revision ${hidden.id}`,
    });
    expect(await call('revision_show', { id: hidden.id }, member)).toMatchObject({ packages: ['secret'] });
    expect(await call('revision_show', { id: 'nope' })).toMatchObject({ status: 404 });
    expect(await call('revision_show')).toMatchObject({ status: 409, id: ['Missing value'] });
  });

  it('shows revisions of purged datasets only to system administrators', async () => {
    await world.result('package_create', { name: 'passing', owner_org: 'office' }, { as: editor });
    const [made] = await call('package_revision_list', { id: 'passing' });
    await world.result('dataset_purge', { id: 'passing' }, { as: admin });
    expect(await call('revision_show', { id: made.id }, editor)).toMatchObject({ status: 403 });
    expect(await call('revision_show', { id: made.id }, admin)).toMatchObject({ packages: ['passing'] });
  });
});

describe('revisions of deleted objects', () => {
  it('show a deleted group under its name at that time, including the deletion', async () => {
    await world.result('group_create', { name: 'going' }, { as: admin });
    const made = (await call('group_revision_list', { id: 'going' })).at(-1).id;
    await world.result('group_delete', { id: 'going' }, { as: admin });
    const [latest] = await call('revision_list');
    expect(await call('revision_show', { id: latest }, stranger)).toMatchObject({
      author: 'admin',
      message: 'REST API: Delete Group: going',
      packages: [],
      groups: ['going'],
    });
    // A later name stays hidden.
    await world.result('group_patch', { id: 'going', name: 'renamed-in-secret' }, { as: admin });
    expect(await call('revision_show', { id: made }, stranger)).toMatchObject({ groups: ['going'] });
    expect((await call('revision_list'))[0]).toBe(latest);
  });

  it('show a deleted public dataset under its name at that time, including the deletion', async () => {
    const before = await call('revision_list');
    await world.result('package_create', { name: 'leaving', owner_org: 'office' }, { as: editor });
    await world.result('package_delete', { id: 'leaving' }, { as: editor });
    await world.result('package_patch', { id: 'leaving', name: 'renamed-in-secret-too' }, { as: editor });
    const after = await call('revision_list');
    expect(after.slice(2)).toEqual(before);
    for (const id of after.slice(0, 2))
      expect(await call('revision_show', { id }, stranger)).toMatchObject({ packages: ['leaving'] });
    expect((await call('revision_list', {}, member)).length).toBeGreaterThan(after.length);
  });
});

describe('revision_list', () => {
  it('lists ids of revisions that the caller may read, latest first', async () => {
    const [latest] = await call('package_revision_list', { id: 'levels' });
    const [hidden] = await call('package_revision_list', { id: 'secret' }, member);
    const open = await call('revision_list');
    expect(open).toContain(latest.id);
    expect(open).not.toContain(hidden.id);
    expect(await call('revision_list', {}, member)).toContain(hidden.id);
    const all = await call('revision_list', {}, admin);
    expect(all).toHaveLength(await world.database.db.revision.count());
    expect(await call('revision_list', { limit: 2, offset: 1 }, admin)).toEqual(all.slice(1, 3));
    expect(await call('revision_list', { limit: 0 })).toEqual([]);
    expect(await call('revision_list', { limit: 'x' })).toMatchObject({ status: 409, limit: ['Invalid integer'] });
  });
});
