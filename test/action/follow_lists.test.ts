/** Follow actions: results, refusals and invalid parameters of each, row by row. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

type Who = 'admin' | 'ann' | 'bob' | 'nobody';

let world: World;
const users = {} as Record<Exclude<Who, 'nobody'>, TestUser>;

beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  for (const name of ['admin', 'ann', 'bob'] as const)
    users[name] = await world.make.user({ name, sysadmin: name === 'admin' });
  await world.make.organization({ name: 'office' });
  await world.make.group({ name: 'rivers' });
  await world.make.group({ name: 'lonely' });
  await world.make.dataset({ name: 'levels' });
  for (const [who, kind, id] of [
    ['ann', 'user', 'bob'],
    ['ann', 'dataset', 'levels'],
    ['ann', 'group', 'rivers'],
    ['ann', 'group', 'office'],
    ['bob', 'group', 'rivers'],
    ['admin', 'group', 'rivers'],
  ] as const)
    await world.result(`follow_${kind}`, { id }, { as: users[who] });
});
afterAll(() => world.end());

/** The result, with lists as names, or the status and the error without its type. */
async function ask(action: string, params: Record<string, unknown>, who: Who): Promise<unknown> {
  const { status, body } = await world.action(action, params, { as: who === 'nobody' ? null : users[who] });
  const { __type, ...error } = body.error ?? {};
  if (!body.success) return { status, ...error };
  return Array.isArray(body.result) ? body.result.map(({ name }: { name: string }) => name) : body.result;
}

type Row = readonly [action: string, params: Record<string, unknown>, who: Who, expected: unknown];

const denied = { status: 403, message: expect.stringMatching(/^Access denied/) };
const wrong = (id: string) => ({ status: 409, message: expect.any(String), id: [id] });

/** By kind: an object, the sorted names of its followers, and the name of the kind in errors. */
const FOLLOWED = [
  ['user', 'bob', ['ann'], 'User'],
  ['dataset', 'levels', ['ann'], 'Dataset'],
  ['group', 'rivers', ['admin', 'ann', 'bob'], 'Group'],
  ['group', 'lonely', [], 'Group'],
  ['organization', 'office', ['ann'], 'Group'],
] as const;

describe('followers', () => {
  const ROWS = FOLLOWED.flatMap(([kind, id, names, word]): Row[] => [
    [`${kind}_follower_count`, { id }, 'nobody', names.length],
    [`${kind}_follower_count`, { id: 'nope' }, 'nobody', wrong(`Not found: ${word}`)],
    [`${kind}_follower_count`, {}, 'ann', wrong('Missing value')],
    [`${kind}_follower_list`, { id }, 'admin', names],
    [`${kind}_follower_list`, { id }, 'ann', denied],
    [`${kind}_follower_list`, { id }, 'nobody', denied],
    [`${kind}_follower_list`, { id: 'nope' }, 'admin', wrong(`Not found: ${word}`)],
    [`${kind}_follower_list`, { id: ['x', { y: 1 }] }, 'admin', wrong(`Not found: ${word}`)],
    [`${kind}_follower_list`, {}, 'admin', wrong('Missing value')],
  ]);
  it.each(ROWS)('%s %j by %s', async (action, params, who, expected) => {
    expect(await ask(action, params, who)).toEqual(expected);
  });
});

describe('followees', () => {
  /** Objects that ann follows, by the first word of the actions. */
  const FOLLOWEES = [
    ['user', ['bob'], 1],
    ['dataset', ['levels'], 1],
    ['group', ['rivers'], 2], // the count includes organizations
    ['organization', ['office'], null],
  ] as const;
  const ROWS = FOLLOWEES.flatMap(([kind, names, count]): Row[] => [
    [`${kind}_followee_list`, { id: 'ann' }, 'ann', names],
    [`${kind}_followee_list`, { id: 'ann' }, 'admin', names],
    [`${kind}_followee_list`, { id: 'ann' }, 'bob', denied],
    [`${kind}_followee_list`, { id: 'ann' }, 'nobody', denied],
    [`${kind}_followee_list`, { id: 'nope' }, 'admin', wrong('Not found: User')],
    [`${kind}_followee_list`, {}, 'admin', wrong('Missing value')],
    ...(count === null
      ? []
      : ([
          [`${kind}_followee_count`, { id: 'ann' }, 'nobody', count],
          [`${kind}_followee_count`, { id: 'nope' }, 'nobody', wrong('Not found: User')],
          [`${kind}_followee_count`, {}, 'ann', wrong('Missing value')],
        ] as const)),
  ]);
  it.each(ROWS)('%s %j by %s', async (action, params, who, expected) => {
    expect(await ask(action, params, who)).toEqual(expected);
  });

  it('are empty for kinds of which the user follows nothing', async () => {
    for (const kind of ['user', 'dataset', 'organization'])
      expect(await ask(`${kind}_followee_list`, { id: 'bob' }, 'bob')).toEqual([]);
    expect(await ask('dataset_followee_count', { id: 'bob' }, 'nobody')).toBe(0);
  });
});

describe('am_following', () => {
  it.each<Row>([
    ['am_following_user', { id: 'bob' }, 'ann', true],
    ['am_following_user', { id: 'ann' }, 'bob', false],
    ['am_following_user', { id: 'bob' }, 'nobody', denied],
    ['am_following_user', { id: 'nope' }, 'ann', wrong('Not found: User')],
    ['am_following_user', {}, 'ann', wrong('Missing value')],
    ['am_following_group', { id: 'rivers' }, 'bob', true],
    ['am_following_group', { id: 'office' }, 'ann', true],
    ['am_following_group', { id: 'office' }, 'bob', false],
    ['am_following_group', { id: 'rivers' }, 'nobody', denied],
    ['am_following_group', { id: 'nope' }, 'ann', wrong('Not found: Group')],
    ['am_following_group', {}, 'ann', wrong('Missing value')],
  ])('%s %j by %s', async (action, params, who, expected) => {
    expect(await ask(action, params, who)).toEqual(expected);
  });
});

describe('unfollow_group', () => {
  it.each<Row>([
    ['unfollow_group', { id: 'rivers' }, 'nobody', denied],
    ['unfollow_group', { id: 'nope' }, 'bob', wrong('Not found: Group')],
    ['unfollow_group', {}, 'bob', wrong('Missing value')],
    ['unfollow_group', { id: 'lonely' }, 'bob', { status: 404, message: 'Not found: You are not following lonely.' }],
    ['unfollow_group', { id: 'levels' }, 'ann', wrong('Not found: Group')],
  ])('%s %j by %s changes nothing', async (action, params, who, expected) => {
    expect(await ask(action, params, who)).toEqual(expected);
    expect(await world.database.db.follower.count()).toBe(6);
  });

  it('unfollows for the caller only, also an organization', async () => {
    expect(await ask('unfollow_group', { id: 'rivers' }, 'bob')).toBeNull();
    expect(await ask('group_follower_list', { id: 'rivers' }, 'admin')).toEqual(['admin', 'ann']);
    expect(await ask('unfollow_group', { id: 'office' }, 'ann')).toBeNull();
    expect(await ask('organization_follower_count', { id: 'office' }, 'nobody')).toBe(0);
    expect(await ask('group_followee_list', { id: 'ann' }, 'ann')).toEqual(['rivers']);
  });
});
