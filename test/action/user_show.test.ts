import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.user({ name: 'admin', sysadmin: true });
  ann = await world.make.user({ name: 'ann' });
  bob = await world.make.user({ name: 'bob' });
  const organization = await world.make.organization({ members: { [ann.id]: 'editor' } });
  await world.result('package_create', { name: 'open', owner_org: organization.name }, { as: ann });
  await world.result('package_create', { name: 'secret', owner_org: organization.name, private: true }, { as: ann });
  await world.result('package_create', { name: 'draft', owner_org: organization.name }, { as: ann });
  await world.result('package_patch', { id: 'draft', state: 'draft' }, { as: admin });
});
afterAll(() => world.end());

const show = (params: Record<string, unknown>, as?: TestUser) => world.result('user_show', params, as ? { as } : {});

describe('user_show', () => {
  it('shows a user by name and by id', async () => {
    const shown = await show({ id: 'ann' });
    expect(shown).toMatchObject({ id: ann.id, name: 'ann', display_name: 'ann', state: 'active' });
    expect(await show({ id: ann.id })).toEqual(shown);
  });

  it('hides e-mail address and key from other users, and password hashes from all callers', async () => {
    for (const as of [undefined, bob]) {
      const shown = await show({ id: 'ann', include_password_hash: true }, as);
      expect(Object.keys(shown).filter((key) => /email$|apikey|password|reset/.test(key))).toEqual([]);
    }
    for (const as of [ann, admin]) {
      const shown = await show({ id: 'ann', include_password_hash: true }, as);
      expect(shown).toMatchObject({ email: 'ann@example.com', apikey: ann.key });
      expect(Object.keys(shown).filter((key) => /password|reset|hash/.test(key))).toEqual(['email_hash']);
    }
  });

  it('counts and lists private datasets and drafts for the user and sysadmins only', async () => {
    const seen = async (as?: TestUser) => {
      const { datasets, number_created_packages } = await show({ id: 'ann', include_datasets: true }, as);
      return [number_created_packages, datasets.map((dataset: { name: string }) => dataset.name).sort()];
    };
    expect(await seen()).toEqual([1, ['open']]);
    expect(await seen(bob)).toEqual([1, ['open']]);
    expect(await seen(ann)).toEqual([3, ['draft', 'open', 'secret']]);
    expect(await seen(admin)).toEqual([3, ['draft', 'open', 'secret']]);
  });

  it('returns datasets and the number of followers only on request', async () => {
    expect(Object.keys(await show({ id: 'ann' }))).not.toEqual(expect.arrayContaining(['datasets']));
    expect(await show({ id: 'ann', include_num_followers: 'true' })).toMatchObject({ num_followers: 0 });
  });

  it('accepts a user dictionary instead of an id', async () => {
    expect(await show({ user_obj: { id: ann.id } })).toMatchObject({ name: 'ann' });
    expect(await show({ user_obj: 'bob' })).toMatchObject({ name: 'bob' });
  });

  it.each([{}, { id: '' }, { id: 'nobody' }, { id: 'ANN' }, { id: { a: 1 } }, { user_obj: {} }, { user_obj: [] }])(
    'does not find %j',
    async (params) => {
      expect((await world.action('user_show', params)).body.error).toEqual({
        __type: 'Not Found Error',
        message: 'Not found',
      });
    },
  );

  it('returns the hash of an empty string for a user without an e-mail address', async () => {
    await world.result('get_site_user', {}, { as: admin });
    expect(await show({ id: 'default' })).toMatchObject({
      email_hash: 'd41d8cd98f00b204e9800998ecf8427e',
      sysadmin: true,
    });
  });
});

describe('get_site_user', () => {
  it('returns the same name and working key to sysadmins each time', async () => {
    const first = await world.result('get_site_user', {}, { as: admin, get: true });
    expect(first).toEqual({ name: 'default', apikey: expect.any(String) });
    expect(await world.result('get_site_user', { defer_commit: true }, { as: admin })).toEqual(first);
    expect(
      await world.result('user_show', { id: 'default' }, { headers: { authorization: first.apikey } }),
    ).toMatchObject({ apikey: first.apikey });
  });

  it('is refused to other users and anonymous callers', async () => {
    for (const as of [null, bob]) {
      expect((await world.action('get_site_user', {}, { as })).body.error).toMatchObject({
        __type: 'Authorization Error',
      });
    }
  });
});
