import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let sysadmin: TestUser;
let editor: TestUser;
let member: TestUser;
let other: TestUser;
const EVERYTHING = { include_private: true, include_drafts: true, include_deleted: true };

beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' }, { counts: true });
  sysadmin = await world.make.sysadmin();
  [editor, member, other] = await Promise.all(
    ['editor', 'member', 'other'].map((name) => world.make.user({ name })) as [never, never, never],
  );
  await world.make.organization({ name: 'office', members: { [editor!.id]: 'editor', [member!.id]: 'member' } });
  await world.make.organization({ name: 'closed' });
  for (const [name, more] of [
    ['a-public', {}],
    ['b-private', { private: true }],
    ['c-draft', { state: 'draft' }],
    ['d-deleted', { state: 'deleted' }],
    ['e-foreign', { private: true, ownerOrganization: 'closed' }],
    ['f-public', {}],
  ] as const)
    await world.make.dataset({ name, ownerOrganization: 'office', ...more });
});
afterAll(() => world.end());

const list = (params: object = {}, as: TestUser | null = null, get = false) =>
  world.result('package_list', { ...params }, { as, get });

describe('package_list', () => {
  it('lists active public datasets by name, with limit and offset', async () => {
    for (const as of [null, sysadmin]) expect(await list({}, as)).toEqual(['a-public', 'f-public']);
    expect(await list({ limit: 1, offset: 1 })).toEqual(['f-public']);
    expect(await list({ include_private: false, include_drafts: 'no', include_deleted: '' }, sysadmin)).toHaveLength(2);
  });

  it('adds private, draft or deleted datasets that the caller may read', async () => {
    const added = async (flag: string, as: TestUser | null) =>
      (await list({ [flag]: 'true' }, as, true)).filter((name: string) => !name.endsWith('public'));
    const seen = async (flag: string) =>
      Promise.all([null, other, member, editor, sysadmin].map((as) => added(flag, as)));
    expect(await seen('include_private')).toEqual([[], [], ['b-private'], ['b-private'], ['b-private', 'e-foreign']]);
    expect(await seen('include_drafts')).toEqual([[], [], [], ['c-draft'], ['c-draft']]);
    expect(await seen('include_deleted')).toEqual([[], [], ['d-deleted'], ['d-deleted'], ['d-deleted']]);
  });

  it('sorts and pages all requested kinds as one list', async () => {
    expect(await list(EVERYTHING, editor)).toEqual(['a-public', 'b-private', 'c-draft', 'd-deleted', 'f-public']);
    expect(await list({ ...EVERYTHING, limit: 2, offset: 1 }, editor)).toEqual(['b-private', 'c-draft']);
    expect(await world.result('dataset_list', EVERYTHING, { as: editor })).toHaveLength(5);
  });

  it('runs one statement, besides the API key lookup of users', async () => {
    const plain = await world.statementsOf(() => list({}, other));
    expect(plain).toEqual([expect.stringContaining('api_key_hash'), expect.not.stringContaining('UNION')]);
    // The list is cached once no other test writes while it is read.
    await until(async () => (await world.statementsOf(() => list())).length === 1);
    expect(await world.statementsOf(() => list(EVERYTHING))).toHaveLength(1);
  });

  it('refuses a limit or offset that is not a natural number', async () => {
    for (const params of [{ limit: 'many' }, { limit: -1 }, { offset: 'x' }])
      expect(await world.action('package_list', params)).toMatchObject({ status: 409 });
  });
});
