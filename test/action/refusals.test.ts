/** Refusals that similar actions share: missing and empty ids, empty autocompletion, names, passwords, and error keys. */
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

/** The result, or the type and keys of the error. */
async function ask(name: string, params: Record<string, unknown>): Promise<unknown> {
  const { body } = await world.action(name, params, { as: admin });
  if (body.success) return body.result;
  const { message: _message, __type: type, ...keys } = body.error;
  return { type, ...keys };
}
const missing = (key: string) => ({ type: 'Validation Error', [key]: ['Missing value'] });
const NOT_FOUND = { type: 'Not Found Error' };

describe('an id', () => {
  const FOUND_BY_ID = [
    'group_show',
    'organization_show',
    'group_package_show',
    'group_update',
    'group_patch',
    'group_delete',
    'group_purge',
    'organization_update',
    'organization_patch',
    'organization_delete',
    'organization_purge',
    'member_list',
    'package_delete',
    'dataset_purge',
    'package_revision_list',
    'package_relationships_list',
    'revision_show',
    'resource_show',
    'resource_view_show',
    'resource_view_list',
    'resource_view_update',
    'resource_view_delete',
    'related_show',
    'related_update',
    'related_delete',
    'user_activity_list',
    'user_activity_list_html',
    'user_update',
    'user_patch',
    'user_delete',
    'user_generate_apikey',
    'tag_show',
    'task_status_delete',
  ];
  it.each(FOUND_BY_ID)('of %s is required, and an empty one is not found', async (name) => {
    expect(await ask(name, {})).toMatchObject(missing('id'));
    expect(await ask(name, { id: null })).toMatchObject(missing('id'));
    expect(await ask(name, { id: '', email: 'a@example.com' })).toEqual(NOT_FOUND);
  });

  const NEEDED = [
    'follow_user',
    'follow_dataset',
    'follow_group',
    'unfollow_user',
    'unfollow_dataset',
    'unfollow_group',
  ];
  it.each(NEEDED)('of %s may not be empty', async (name) => {
    expect(await ask(name, {})).toEqual(missing('id'));
    expect(await ask(name, { id: '' })).toEqual(missing('id'));
  });

  it.each(['package', 'group', 'organization'])('of %s_activity_list may not be empty', async (what) => {
    expect(await ask(`${what}_activity_list`, {})).toEqual(missing('id'));
    expect(await ask(`${what}_activity_list`, { id: '' })).toEqual({ type: 'Validation Error' });
  });
});

it.each([
  ['package_autocomplete', 'q'],
  ['organization_autocomplete', 'q'],
  ['group_autocomplete', 'q'],
  ['user_autocomplete', 'q'],
  ['format_autocomplete', 'q'],
  ['tag_autocomplete', 'query'],
])('%s requires a text, which may be empty', async (name, key) => {
  expect(await ask(name, { [key]: '' })).toEqual(expect.any(Array));
  expect(await ask(name, {})).toEqual(missing(key));
});

describe('package_create', () => {
  const long = 'n'.repeat(101);
  it.each([
    ['a', ['Must be at least 2 characters long', 'Name "a" length is less than minimum 2']],
    [5, ['Must be at least 2 characters long', 'Name "5" length is less than minimum 2']],
    [long, ['Name must be a maximum of 100 characters long', `Name "${long}" length is more than maximum 100`]],
    ['', ['Missing value']],
    ['new', ['That name cannot be used']],
  ])('refuses the name %j', async (name, messages) => {
    expect(await ask('package_create', { name })).toEqual({ type: 'Validation Error', name: messages });
  });

  it('reports invalid tags under tag_string or tags, depending on their source', async () => {
    expect(await ask('package_create', { name: 'with-tags', tag_string: 'good, x, no!' })).toEqual({
      type: 'Validation Error',
      tag_string: ['Tag "x" length is less than minimum 2'],
    });
    expect(await ask('package_create', { name: 'with-tags', tags: [{ name: 'y' }], tag_string: 'no!' })).toEqual({
      type: 'Validation Error',
      tags: ['Tag "y" length is less than minimum 2'],
      tag_string: ['Tag "no!" must be alphanumeric characters or symbols: -_.'],
    });
    expect(await ask('package_create', { name: 'with-tags', tag_string: 5 })).toMatchObject({
      tag_string: [expect.stringContaining('Must be a string')],
    });
    expect(await ask('package_create', { name: 'with-tags', tag_string: 'two, one' })).toMatchObject({
      tags: [{ name: 'one' }, { name: 'two' }],
    });
  });
});

it.each(['package_update', 'package_patch'])(
  '%s reports owner_org if the caller may not add to the organization',
  async (name) => {
    const editor = await world.make.user();
    const [own, foreign] = [
      await world.make.organization({ members: { [editor.id]: 'editor' } }),
      await world.make.organization(),
    ];
    const dataset = await world.make.dataset({ ownerOrganization: own.id });
    const change = { id: dataset.id, owner_org: foreign.id };
    expect((await world.action(name, change, { as: editor })).body.error).toMatchObject({
      __type: 'Validation Error',
      owner_org: ['You cannot add a dataset to this organization'],
    });
    expect(
      (await world.action('package_create', { name: 'foreign', owner_org: foreign.id }, { as: editor })).body.error,
    ).toMatchObject({
      __type: 'Authorization Error',
    });
    expect(await world.result('package_show', { id: dataset.id })).toMatchObject({ owner_org: own.id });
  },
);

describe('a password', () => {
  it.each([5, true, ['longenough'], { a: 1 }])('that is %j is refused', async (password) => {
    const user = await world.make.user();
    const refused = { type: 'Validation Error', password: ['Passwords must be strings'] };
    const own = { id: user.id, email: 'a@example.com', password };
    expect(await ask('user_create', { name: 'strange', email: 'a@example.com', password })).toEqual(refused);
    expect(await ask('user_update', own)).toEqual(refused);
    expect(await ask('user_patch', { id: user.id, password })).toEqual(refused);
    for (const name of ['user_update', 'user_patch'])
      expect((await world.action(name, own, { as: user })).body.error.password).toEqual(['Passwords must be strings']);
  });

  it('of a new user must not be null, empty or omitted', async () => {
    const params = { name: 'strange', email: 'a@example.com' };
    for (const password of [null, false, 0, [], {}])
      expect(await ask('user_create', { ...params, password })).toEqual({
        type: 'Validation Error',
        password: ['Passwords must be strings', 'Missing value'],
      });
    expect(await ask('user_create', { ...params, password: '' })).toEqual(missing('password'));
    expect(await ask('user_create', params)).toEqual(missing('password'));
  });

  it('has at least 4 characters if a sysadmin creates the user, and 8 if users change their own', async () => {
    const short = (least: number) => [`Your password must be ${least} characters or longer`];
    const params = { name: 'short', email: 'a@example.com' };
    expect(await ask('user_create', { ...params, password: 'abc' })).toMatchObject({ password: short(4) });
    const made = await world.result('user_create', { ...params, password: 'abcd' }, { as: admin });
    expect(
      (
        await world.action(
          'user_patch',
          { id: made.id, password: 'abcdefg' },
          { headers: { authorization: made.apikey } },
        )
      ).body.error,
    ).toMatchObject({
      password: short(8),
    });
    expect(await ask('user_patch', { id: admin.id, password: 'abcdefg' })).toMatchObject({ password: short(8) });
  });
});

describe('URLs with a trailing slash', () => {
  it.each([
    '/api/3/action/package_list/',
    '/api/action/',
    '/api/2/',
    '/api/2/rest/dataset/',
    '/api/1/rest/group/x/',
    '/api/2/search/dataset/',
    '/api/util/status/',
    '/user/login/',
    '/dataset/x/',
  ])('redirect to the URL without it: %s', async (path) => {
    const answered = await world.request(`${path}?q=1`, { redirect: 'manual' });
    expect([answered.status, answered.headers.get('location')]).toEqual([301, `${path.slice(0, -1)}?q=1`]);
  });

  it('never redirect to another host', async () => {
    for (const path of ['//example.com/', '/%5Cexample.com/', '///', '/\\example.com/']) {
      const answered = await world.request(path, { redirect: 'manual' });
      expect(answered.headers.get('location') ?? '/').toMatch(/^\/(?![/\\])/);
    }
  });
});
