import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
let bob: TestUser;
let insider: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  [admin, ann, bob, insider] = await Promise.all([
    world.make.user({ name: 'admin', sysadmin: true }),
    world.make.user({ name: 'ann' }),
    world.make.user({ name: 'bob' }),
    world.make.user({ name: 'insider' }),
  ]);
  const office = await world.make.organization({
    name: 'office',
    title: 'Office',
    members: { [insider.id]: 'member' },
  });
  await world.make.group({ name: 'rivers', title: 'Rivers' });
  await world.make.dataset({ name: 'levels', title: 'Water levels' });
  await world.make.dataset({ name: 'secret', title: 'Secret', ownerOrganization: office.id, private: true });
});
afterAll(() => world.end());

const call = async (name: string, id: string | undefined, as: TestUser | null = null) => {
  const { status, body } = await world.action(name, id === undefined ? {} : { id }, { as });
  const { __type, ...error } = body.error ?? {};
  return body.success ? body.result : { status, ...error };
};
const namesOf = (list: { name: string }[]) => list.map(({ name }) => name);

const KINDS = [
  ['user', 'ann', 'ann', 'User'],
  ['dataset', 'levels', 'Water levels', 'Dataset'],
  ['group', 'rivers', 'Rivers', 'Group'],
  ['group', 'office', 'Office', 'Group'],
] as const;

describe.each(KINDS)('following a %s (%s)', (kind, name, displayName, word) => {
  it('starts once, is counted, and ends once', async () => {
    const followed = await call(`follow_${kind}`, name, bob);
    expect(followed).toMatchObject({ follower_id: bob.id, object_id: expect.any(String) });
    expect(followed.datetime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
    expect(await call(`follow_${kind}`, followed.object_id, bob)).toMatchObject({
      status: 409,
      message: `You are already following ${displayName}`,
    });
    expect(await call(`${kind}_follower_count`, name)).toBe(1);
    expect(await call(`am_following_${kind}`, name, bob)).toBe(true);
    expect(await call(`am_following_${kind}`, name, admin)).toBe(false);
    expect(namesOf(await call(`${kind}_follower_list`, name, admin))).toEqual(['bob']);

    expect(await call(`unfollow_${kind}`, name, bob)).toBeNull();
    expect(await call(`unfollow_${kind}`, name, bob)).toEqual({
      status: 404,
      message: `Not found: You are not following ${name}.`,
    });
    expect(await call(`am_following_${kind}`, name, bob)).toBe(false);
    expect(await call(`${kind}_follower_count`, name)).toBe(0);
  });

  it('requires a signed-in user', async () => {
    expect(await call(`follow_${kind}`, name)).toMatchObject({
      status: 403,
      message: expect.stringMatching(/^Access denied: You must be logged in to follow/),
    });
    expect(await call(`unfollow_${kind}`, name)).toEqual({
      status: 403,
      message: 'Access denied: You must be logged in to unfollow something.',
    });
    expect(await call(`am_following_${kind}`, name)).toEqual({ status: 403, message: 'Access denied' });
  });

  it('requires an existing object', async () => {
    for (const action of [`follow_${kind}`, `unfollow_${kind}`, `am_following_${kind}`, `${kind}_follower_count`]) {
      expect(await call(action, 'nope', bob)).toMatchObject({ status: 409, id: [`Not found: ${word}`] });
      expect(await call(action, '', bob)).toMatchObject({ status: 409, id: ['Missing value'] });
      expect(await call(action, undefined, bob)).toMatchObject({ status: 409, id: ['Missing value'] });
    }
  });

  it('lists followers only for system administrators, also with an unknown or missing id', async () => {
    for (const id of [name, 'nope', undefined]) {
      expect(await call(`${kind}_follower_list`, id, bob)).toEqual({
        status: 403,
        message: 'Access denied: Not authorized',
      });
    }
    expect(await call(`${kind}_follower_list`, 'nope', admin)).toMatchObject({
      status: 409,
      id: [`Not found: ${word}`],
    });
    expect(await call(`${kind}_follower_list`, undefined, admin)).toMatchObject({ status: 409, id: ['Missing value'] });
  });
});

describe('follow_user', () => {
  it('refuses the caller and deleted users', async () => {
    expect(await call('follow_user', 'ann', ann)).toMatchObject({ status: 409, message: 'You cannot follow yourself' });
    const gone = await world.make.user({ name: 'gone' });
    await world.result('user_delete', { id: gone.id }, { as: admin });
    expect(await call('follow_user', 'gone', ann)).toMatchObject({ status: 409, id: ['Not found: User'] });
  });

  it('writes no revision', async () => {
    const revisions = await world.database.db.revision.count();
    await call('follow_user', 'insider', bob);
    expect(await world.database.db.revision.count()).toBe(revisions);
    expect((await world.result('user_show', { id: 'insider', include_num_followers: true })).num_followers).toBe(1);
    await call('unfollow_user', 'insider', bob);
  });
});

describe('a private dataset', () => {
  it('can be followed only by users who may read it, and is not counted for others', async () => {
    for (const action of ['follow_dataset', 'am_following_dataset', 'dataset_follower_count']) {
      expect(await call(action, 'secret', ann)).toMatchObject({ status: 403 });
    }
    expect(await call('follow_dataset', 'secret', insider)).toMatchObject({ follower_id: insider.id });
    expect(await call('dataset_followee_count', 'insider')).toBe(0);
    expect(await call('dataset_followee_count', 'insider', insider)).toBe(1);
  });

  it('disappears from the list of a follower who lost access, who can still unfollow it', async () => {
    const { id } = await world.make.dataset({ name: 'closing', title: 'Closing' });
    await call('follow_dataset', 'closing', bob);
    expect(namesOf(await call('dataset_followee_list', 'bob', bob))).toEqual(['closing']);
    await world.result('package_patch', { id, owner_org: 'office', private: true }, { as: admin });
    expect(await call('dataset_followee_list', 'bob', bob)).toEqual([]);
    expect(await call('followee_count', 'bob', bob)).toBe(0);
    expect(await call('unfollow_dataset', 'closing', bob)).toBeNull();
  });
});

describe('followees', () => {
  beforeAll(async () => {
    for (const [kind, name] of [
      ['user', 'bob'],
      ['dataset', 'levels'],
      ['group', 'rivers'],
      ['group', 'office'],
    ] as const) {
      await call(`follow_${kind}`, name, ann);
    }
  });

  it('are counted by user id or name, also for anonymous callers', async () => {
    expect(await call('followee_count', ann.id)).toBe(4);
    expect(await call('followee_count', 'ann')).toBe(4);
    expect(await call('user_followee_count', 'ann')).toBe(1);
    expect(await call('dataset_followee_count', 'ann')).toBe(1);
    expect(await call('group_followee_count', 'ann')).toBe(2);
    expect(await call('followee_count', 'nope')).toMatchObject({ status: 409, id: ['Not found: User'] });
    expect(await call('followee_count', undefined)).toMatchObject({ status: 409, id: ['Missing value'] });
  });

  it('are listed by display name, each in the form of its show action', async () => {
    const list = await world.result('followee_list', { id: 'ann' }, { as: ann });
    expect(list.map(({ type, display_name, dict }: any) => [type, display_name, dict.name])).toEqual([
      ['organization', 'Office', 'office'],
      ['group', 'Rivers', 'rivers'],
      ['dataset', 'Water levels', 'levels'],
      ['user', 'bob', 'bob'],
    ]);
    expect(list[2].dict).toEqual(await world.result('package_show', { id: 'levels' }));
    const { packages, ...rivers } = list[1].dict;
    expect(rivers).toEqual(await world.result('group_show', { id: 'rivers' }));
    expect(rivers.num_followers).toBe(1);
    expect((await world.result('group_show', { id: 'rivers', include_followers: false })).num_followers).toBe(0);
    expect(packages).toEqual([]);
  });

  it('are found by a prefix of the display name, ignoring case', async () => {
    const found = async (q: string) =>
      (await world.result('followee_list', { id: 'ann', q }, { as: ann })).map(({ dict }: any) => dict.name);
    expect(await found('WAT')).toEqual(['levels']);
    expect(await found('levels')).toEqual([]);
    expect(await found('%')).toEqual([]);
    expect(await found('')).toHaveLength(4);
  });

  it('are listed by kind', async () => {
    for (const [kind, names] of [
      ['user', ['bob']],
      ['dataset', ['levels']],
      ['group', ['rivers']],
      ['organization', ['office']],
    ] as const) {
      expect(namesOf(await call(`${kind}_followee_list`, 'ann', admin))).toEqual(names);
    }
  });

  it('are listed for the user and system administrators only', async () => {
    for (const kind of ['', 'user_', 'dataset_', 'group_', 'organization_']) {
      for (const as of [null, bob])
        expect(await call(`${kind}followee_list`, 'ann', as)).toEqual({
          status: 403,
          message: 'Access denied: Not authorized',
        });
      expect(await call(`${kind}followee_list`, 'nope', admin)).toMatchObject({ status: 409, id: ['Not found: User'] });
    }
    expect(await call('followee_list', 'nope', ann)).toMatchObject({ status: 409, id: ['Not found: User'] });
    expect(await call('dataset_followee_list', 'nope', ann)).toMatchObject({ status: 403 });
    expect(await call('dataset_followee_list', undefined, ann)).toMatchObject({ status: 403 });
  });
});

describe('a purged object', () => {
  it('loses its followers', async () => {
    await world.make.dataset({ name: 'passing' });
    await world.make.group({ name: 'passing-group' });
    await call('follow_dataset', 'passing', bob);
    await call('follow_group', 'passing-group', bob);
    expect(await call('followee_count', 'bob')).toBe(2);
    await world.result('dataset_purge', { id: 'passing' }, { as: admin });
    await world.result('group_purge', { id: 'passing-group' }, { as: admin });
    expect(await world.database.db.follower.count({ where: { followerId: bob.id } })).toBe(0);
  });
});
