import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let una: TestUser;
let otto: TestUser;

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  una = await world.make.user({ name: 'una' });
  otto = await world.make.user({ name: 'otto' });
});
afterAll(() => world.end());

const problemsOf = async (name: string, params: Record<string, unknown>, as = una) => {
  const { body } = await world.action(name, params, { as });
  expect(body).toMatchObject({ success: false, error: { __type: 'Validation Error' } });
  const { __type, message, ...fields } = body.error;
  return fields;
};

describe.each(['group', 'organization'])('%s_create', (kind) => {
  it('creates one from a name only, with the creator as its admin', async () => {
    const made = await world.result(`${kind}_create`, { name: `least-${kind}` }, { as: una });
    expect(made).toEqual({
      id: expect.any(String),
      name: `least-${kind}`,
      title: '',
      display_name: `least-${kind}`,
      description: '',
      image_url: '',
      image_display_url: '',
      type: kind,
      is_organization: kind === 'organization',
      approval_status: 'approved',
      state: 'active',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
      revision_id: expect.any(String),
      package_count: 0,
      num_followers: 0,
      extras: [],
      groups: [],
      tags: [],
      users: [expect.objectContaining({ id: una.id, name: 'una', capacity: 'admin', number_created_packages: 0 })],
    });
    expect(made.users[0]).not.toHaveProperty('email');
    expect(made.users[0]).not.toHaveProperty('apikey');
    expect(await world.result(`${kind}_show`, { id: `least-${kind}` })).toEqual(made);
  });

  it('accepts more users than one statement has parameters', async () => {
    const strangers = Array.from({ length: 20_000 }, (_, index) => ({ name: `stranger-${index}` }));
    const users = [{ name: 'otto', capacity: 'editor' }, ...strangers, { name: admin.name, capacity: 'member' }];
    const made = await world.result(`${kind}_create`, { name: `crowd-${kind}`, users }, { as: una });
    expect(made.users.map(({ name }: { name: string }) => name).sort()).toEqual([admin.name, 'otto', 'una'].sort());
  });

  it('accepts all fields at once, and ignores unknown users and groups', async () => {
    const above = await world.make.group({ title: 'Above' });
    const made = await world.result(
      `${kind}_create`,
      {
        name: `whole-${kind}`,
        title: 'Whole',
        description: 'All of it',
        image_url: 'http://i.example/i.png',
        approval_status: 'pending',
        extras: [
          { key: 'a', value: 1 },
          { key: 'b', value: 'x' },
          { key: 'b', value: 'y' },
        ],
        users: [
          { name: 'otto', capacity: 'editor' },
          { name: 'nobody', capacity: 'admin' },
          { name: 'una', capacity: 'member' },
        ],
        groups: [{ name: above.name }, { name: 'nothing' }],
        bogus: 'ignored',
      },
      { as: una },
    );
    expect(made).toMatchObject({
      title: 'Whole',
      display_name: 'Whole',
      image_display_url: 'http://i.example/i.png',
      approval_status: 'pending',
    });
    expect(made.extras).toEqual([
      {
        id: expect.any(String),
        group_id: made.id,
        revision_id: made.revision_id,
        state: 'active',
        key: 'a',
        value: '1',
      },
      {
        id: expect.any(String),
        group_id: made.id,
        revision_id: made.revision_id,
        state: 'active',
        key: 'b',
        value: 'y',
      },
    ]);
    expect(made.users.map((user: any) => [user.name, user.capacity])).toEqual([
      ['otto', 'editor'],
      ['una', 'admin'],
    ]);
    expect(made.groups).toMatchObject([{ name: above.name, capacity: 'public' }]);
  });

  it('reports all errors at once, and writes nothing', async () => {
    const fields = await problemsOf(`${kind}_create`, {
      name: 'Bad Name',
      id: 'x',
      state: 's'.repeat(101),
      packages: [{ id: 'nope' }],
      extras: [{ key: 'k'.repeat(101), value: '' }],
    });
    expect(fields).toEqual({
      name: ['Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'],
      id: [expect.any(String)],
      packages: [{ id: ['Not found: Dataset'] }],
      extras: [{ key: [expect.any(String)] }],
    });
    expect(await world.result(`${kind}_list`, {})).not.toContain('Bad Name');
  });

  it.each([
    [{}, { name: ['Missing value'] }],
    [{ name: '' }, { name: ['Missing value'] }],
    [{ name: 5 }, { name: ['Must be at least 2 characters long'] }],
    [{ name: 'search' }, { name: ['That name cannot be used'] }],
    [{ name: 'bad-extras', extras: 'x' }, { extras: ['Must be a list of dictionaries'] }],
    [{ name: 'bad-extras', extras: [{ key: 'a' }] }, { extras: [{ value: ['Missing value'] }] }],
    [{ name: 'bad-users', users: [{ id: 'x' }] }, { users: [{ name: ['Missing value'] }] }],
    [{ name: 'bad-packages', packages: [{ name: 'x' }] }, { packages: [{ id: ['Missing value'] }] }],
  ])('refuses %j', async (params, fields) => {
    expect(await problemsOf(`${kind}_create`, params)).toEqual(fields);
  });

  it('refuses names and ids that a group or organization already has', async () => {
    const there = await world.make.organization({ name: `there-${kind}`, title: 'There' });
    expect(await problemsOf(`${kind}_create`, { name: `there-${kind}` })).toEqual({
      name: ['Group name already exists in database'],
    });
    expect(await problemsOf(`${kind}_create`, { name: there.id })).toEqual({
      name: ['Group name already exists in database'],
    });
    expect(await problemsOf(`${kind}_create`, { name: 'new-one', id: there.id }, admin)).toEqual({
      id: ['Group id already exists in database'],
    });
    expect(await problemsOf(`${kind}_create`, { name: 'new-one', id: `there-${kind}` })).toEqual({
      id: ['Group id already exists in database'],
    });
    expect(await world.result('organization_show', { id: there.id })).toMatchObject({
      name: `there-${kind}`,
      title: 'There',
    });
    expect((await world.result(`${kind}_create`, { name: `own-${kind}`, id: `own-id-${kind}` }, { as: una })).id).toBe(
      `own-id-${kind}`,
    );
  });

  it('accepts a state from system administrators only', async () => {
    expect(
      (await world.result(`${kind}_create`, { name: `gone-${kind}`, state: 'deleted' }, { as: admin })).state,
    ).toBe('deleted');
    expect((await world.result(`${kind}_create`, { name: `here-${kind}`, state: 'deleted' }, { as: una })).state).toBe(
      'active',
    );
  });

  it('refuses visitors', async () => {
    const { body } = await world.action(`${kind}_create`, { name: `anon-${kind}` });
    expect(body.error).toMatchObject({
      __type: 'Authorization Error',
      message: expect.stringMatching(/^Access denied/),
    });
  });
});

describe('group_create', () => {
  it('accepts a custom type, unlike organization_create', async () => {
    expect((await world.result('group_create', { name: 'themed', type: 'theme' }, { as: una })).type).toBe('theme');
    expect((await world.result('organization_create', { name: 'themed-org', type: 'theme' }, { as: una })).type).toBe(
      'organization',
    );
    expect(await world.result('group_list', { type: 'theme' })).toEqual(['themed']);
  });

  it('adds datasets that the caller may read', async () => {
    const owner = await world.make.organization({ members: { [otto.id]: 'member' } });
    const open = await world.make.dataset({ name: 'open-data' });
    const hidden = await world.make.dataset({ private: true, ownerOrganization: owner.id });
    expect(
      await problemsOf('group_create', { name: 'filing', packages: [{ id: open.id }, { id: hidden.id }] }),
    ).toEqual({ packages: [{}, { id: ['Not found: Dataset'] }] });
    const made = await world.result(
      'group_create',
      { name: 'filing', packages: [{ id: 'open-data' }, { id: hidden.id }] },
      { as: otto },
    );
    expect(made.package_count).toBe(1);
    expect((await world.result('package_show', { id: open.id })).groups).toMatchObject([
      { id: made.id, name: 'filing' },
    ]);
  });

  it('requires the setting, except for system administrators', async () => {
    const strict = await createWorld({
      'catalog.auth.user_create_groups': false,
      'catalog.auth.user_create_organizations': false,
    });
    const user = await strict.make.user();
    for (const name of ['group_create', 'organization_create']) {
      expect((await strict.action(name, { name: 'nice' }, { as: user })).body.error.__type).toBe('Authorization Error');
      expect((await strict.action(name, { name }, { as: await strict.make.sysadmin() })).body.success).toBe(true);
    }
    await strict.end();
  });
});
