import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let una: TestUser;
let otto: TestUser;
let dataset: { id: string };
let made: any;
let count = 0;

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  una = await world.make.user({ name: 'una' });
  otto = await world.make.user({ name: 'otto' });
  dataset = await world.make.dataset();
});
beforeEach(async () => {
  made = await world.result(
    'group_create',
    {
      name: `group-${(count += 1)}`,
      title: 'Title',
      description: 'Words',
      extras: [
        { key: 'a', value: '1' },
        { key: 'b', value: '2' },
      ],
      users: [{ name: 'otto', capacity: 'member' }],
      packages: [{ id: dataset.id }],
    },
    { as: una },
  );
});
afterAll(() => world.end());

const shown = (id: string) => world.result('group_show', { id, include_datasets: true });
const names = (users: { name: string }[]) => users.map(({ name }) => name);

describe('group_update', () => {
  it('preserves omitted strings and empties omitted lists', async () => {
    const after = await world.result('group_update', { id: made.name, title: 'New' }, { as: una });
    expect(after).toMatchObject({
      title: 'New',
      description: 'Words',
      extras: [],
      users: [],
      packages: [],
      package_count: 0,
    });
    expect(await shown(made.id)).toMatchObject({ title: 'New', extras: [], users: [], packages: [] });
    expect((await world.result('package_show', { id: dataset.id })).groups.map((group: any) => group.id)).not.toContain(
      made.id,
    );
  });

  it('preserves the ids of extras whose key stays', async () => {
    const after = await world.result(
      'group_update',
      {
        id: made.id,
        extras: [
          { key: 'b', value: '2' },
          { key: 'a', value: 'new' },
        ],
        users: [{ name: 'una', capacity: 'admin' }],
      },
      { as: una },
    );
    expect(after.extras.map((extra: any) => [extra.id, extra.value])).toEqual([
      [made.extras[0].id, 'new'],
      [made.extras[1].id, '2'],
    ]);
    expect(after.extras[1].revision_id).toBe(made.extras[1].revision_id);
    expect(after.extras[0].revision_id).not.toBe(made.extras[0].revision_id);
    expect(after.revision_id).toBe(made.revision_id);
  });

  it('does not change the type, and accepts capitals in a name', async () => {
    expect(
      await world.result('group_update', { id: made.id, type: 'x', name: `GROUP-${count}` }, { as: una }),
    ).toMatchObject({ type: 'group', name: `GROUP-${count}` });
  });

  it('refuses a taken name', async () => {
    const other = await world.make.organization();
    const { body } = await world.action('group_update', { id: made.id, name: other.name }, { as: una });
    expect(body.error).toMatchObject({ __type: 'Validation Error', name: ['Group name already exists in database'] });
  });

  it('requires an id, and also accepts organizations, as sent by clients that move logos', async () => {
    const organization = await world.make.organization();
    expect((await world.action('group_update', { name: made.name }, { as: una })).body.error).toMatchObject({
      id: ['Missing value'],
    });
    expect((await world.action('group_update', { id: 'nope' }, { as: una })).body.error.__type).toBe('Not Found Error');
    expect(await world.result('group_update', { id: organization.id, title: 'New' }, { as: admin })).toMatchObject({
      id: organization.id,
      is_organization: true,
      title: 'New',
    });
    expect((await world.action('group_update', { id: organization.id }, { as: una })).body.error.__type).toBe(
      'Authorization Error',
    );
  });

  it('allows only admins of the group', async () => {
    for (const as of [otto, null]) {
      expect((await world.action('group_update', { id: made.id, title: 'x' }, { as })).body.error.__type).toBe(
        'Authorization Error',
      );
    }
    expect((await shown(made.id)).title).toBe('Title');
  });

  it('lets one of two writers with the same version win', async () => {
    const { headers } = await world.action('group_show', { id: made.id }, { get: true });
    const write = (title: string) =>
      world.action('group_patch', { id: made.id, title }, { as: una, headers: { 'if-match': headers.get('etag')! } });
    const answers = await Promise.all([write('one'), write('two')]);
    expect(answers.map(({ body }) => body.success).sort()).toEqual([false, true]);
    expect(answers.find(({ body }) => !body.success)!.body.error.__type).toBe('Validation Error');
  });
});

describe('group_patch', () => {
  it('changes the given fields and preserves the rest, members and datasets too', async () => {
    const after = await world.result('group_patch', { id: made.name, description: 'Other' }, { as: una });
    expect(after).toMatchObject({ title: 'Title', description: 'Other', package_count: 1 });
    expect(names(after.users)).toEqual(['otto', 'una']);
    expect(after.extras).toEqual(made.extras);
    expect(after.packages.map((one: any) => one.id)).toEqual([dataset.id]);
  });

  it('replaces a list that is given', async () => {
    const after = await world.result(
      'group_patch',
      { id: made.id, extras: [], users: [{ name: 'una', capacity: 'admin' }], packages: [] },
      { as: una },
    );
    expect(after).toMatchObject({ extras: [], packages: [], package_count: 0 });
    expect(names(after.users)).toEqual(['una']);
  });

  it('updates the group shown in its datasets', async () => {
    await world.result(
      'group_patch',
      { id: made.id, title: 'Renamed', image_url: 'http://i.example/1.png' },
      { as: una },
    );
    const { groups } = await world.result('package_show', { id: dataset.id });
    expect(groups).toContainEqual(
      expect.objectContaining({
        id: made.id,
        title: 'Renamed',
        display_name: 'Renamed',
        image_display_url: 'http://i.example/1.png',
      }),
    );
  });

  it('writes a revision, but no new version, when nothing changes', async () => {
    const version = async () => (await world.graph(`{ group(id: "${made.id}") { version } }`)).body.data.group.version;
    const [before, revisions] = [await version(), await world.database.db.revision.count()];
    expect((await world.result('group_patch', { id: made.id, title: 'Title' }, { as: una })).revision_id).toBe(
      made.revision_id,
    );
    expect([await version(), await world.database.db.revision.count()]).toEqual([before, revisions + 1]);
  });

  it('refuses a cycle of parent groups of any length', async () => {
    const middle = await world.result(
      'group_create',
      { name: `middle-${count}`, groups: [{ name: made.name }] },
      { as: una },
    );
    const lowest = await world.result(
      'group_create',
      { name: `lowest-${count}`, groups: [{ id: middle.id }] },
      { as: una },
    );
    for (const below of [made, middle, lowest]) {
      const { body } = await world.action('group_patch', { id: made.id, groups: [{ name: below.name }] }, { as: una });
      expect(body.error).toMatchObject({
        __type: 'Validation Error',
        groups: [{ name: [expect.stringContaining('parent of itself')] }],
      });
    }
  });

  it('restores a deleted group for its own admin', async () => {
    await world.result('group_delete', { id: made.id }, { as: una });
    expect((await world.action('group_patch', { id: made.id, state: 'active' }, { as: otto })).body.success).toBe(
      false,
    );
    expect((await world.result('group_patch', { id: made.id, state: 'active' }, { as: una })).state).toBe('active');
    expect(await world.result('group_list', {})).toContain(made.name);
  });

  it('refuses a deletion by state without the permission to delete', async () => {
    const strict = await createWorld({ 'catalog.auth.user_delete_groups': false });
    const user = await strict.make.user();
    const group = await strict.make.group({ members: { [user.id]: 'admin' } });
    for (const [name, params] of [
      ['group_patch', { state: 'deleted' }],
      ['group_delete', {}],
    ] as const) {
      expect((await strict.action(name, { id: group.id, ...params }, { as: user })).body.error.__type).toBe(
        'Authorization Error',
      );
    }
    expect((await strict.action('group_patch', { id: group.id, title: 'x' }, { as: user })).body.success).toBe(true);
    await strict.end();
  });
});
