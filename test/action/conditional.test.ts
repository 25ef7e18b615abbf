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

const read = (name: string, params: Record<string, string>, tag?: string | null) =>
  world.action(name, params, { get: true, headers: tag ? { 'if-none-match': tag } : {} });

describe('If-None-Match', () => {
  it('returns 304 for an unchanged dataset, with a single tag, a list, a weak tag and *', async () => {
    await world.make.dataset({ name: 'steady' });
    const tag = (await read('package_show', { id: 'steady' })).headers.get('etag')!;
    for (const header of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
      expect((await read('package_show', { id: 'steady' }, header)).status).toBe(304);
    }
    expect((await read('package_show', { id: 'steady' }, '"1"')).status).toBe(200);
  });

  it('returns an organization again when its datasets change', async () => {
    const organization = await world.make.organization({ name: 'counted' });
    const show = { id: 'counted', include_datasets: 'true' };
    const tag = (await read('organization_show', show)).headers.get('etag');
    expect(tag).not.toBeNull();
    expect((await read('organization_show', show, tag)).status).toBe(304);
    const { id } = await world.make.dataset({ name: 'below', ownerOrganization: organization.name });
    const after = await read('organization_show', show, tag);
    expect(after.status).toBe(200);
    expect(after.body.result.package_count).toBe(1);
    await world.result('package_patch', { id, title: 'changed' }, { as: admin });
    expect((await read('organization_show', show, after.headers.get('etag'))).body.result.packages[0].title).toBe(
      'changed',
    );
  });

  it('works for user_show, with another tag for callers who see more', async () => {
    const { name, key } = await world.make.user();
    const tag = (await read('user_show', { id: name })).headers.get('etag');
    expect((await read('user_show', { id: name }, tag)).status).toBe(304);
    const own = await world.action(
      'user_show',
      { id: name },
      { get: true, headers: { authorization: key, 'if-none-match': tag! } },
    );
    expect([own.status, own.body.result.apikey]).toEqual([200, key]);
    await world.result('user_patch', { id: name, about: 'new' }, { as: admin });
    expect((await read('user_show', { id: name }, tag)).body.result).toMatchObject({ about: 'new' });
    expect((await read('user_show', { id: name })).body.result).not.toHaveProperty('version');
  });

  it('returns 200 for a stored document that was rewritten under the same version', async () => {
    await world.make.dataset({ name: 'rewritten', title: 'Before' });
    const before = await read('package_show', { id: 'rewritten' });
    const tag = before.headers.get('etag')!;
    expect((await read('package_show', { id: 'rewritten' }, tag)).status).toBe(304);
    await world.database.sql.rows({
      text: `UPDATE dataset_document SET document = replace(document, 'Before', 'Behind') WHERE name = 'rewritten'`,
    });
    const after = await read('package_show', { id: 'rewritten' }, tag);
    expect([after.status, after.body.result.title]).toEqual([200, 'Behind']);
    const versionOf = (etag: string) => etag.split('-')[0];
    expect(versionOf(after.headers.get('etag')!)).toBe(versionOf(tag));
  });

  it('uses another tag for callers who see fewer relationships, and a new one once they see more', async () => {
    const { name: owner } = await world.make.organization();
    await world.make.dataset({ name: 'parent', private: true, ownerOrganization: owner });
    await world.make.dataset({ name: 'child' });
    const link = { subject: 'child', object: 'parent', type: 'child_of', comment: '' };
    await world.result('package_relationship_create', link, { as: admin });
    const seen = async (headers: Record<string, string> = {}) => {
      const answer = await world.action('package_show', { id: 'child' }, { get: true, headers });
      const { relationships_as_subject: links = [] } = answer.body?.result ?? {};
      return { status: answer.status, tag: answer.headers.get('etag')!, links: links.length };
    };
    const visitor = await seen();
    const sysadmin = await seen({ authorization: admin.key });
    expect([visitor.links, sysadmin.links]).toEqual([0, 1]);
    expect(visitor.tag).not.toBe(sysadmin.tag);
    expect((await seen({ 'if-none-match': sysadmin.tag })).status).toBe(200);
    await world.result('package_patch', { id: 'parent', private: false }, { as: admin });
    expect(await seen({ 'if-none-match': visitor.tag })).toMatchObject({ status: 200, links: 1 });
    expect((await seen({ 'if-none-match': (await seen()).tag })).status).toBe(304);
  });

  it('returns 200 for a new dataset with the name and id of a purged one', async () => {
    const create = (title: string, id?: string) =>
      world.result('package_create', { name: 'again', title, ...(id && { id }) }, { as: admin });
    const { id } = await create('First');
    const tag = (await read('package_show', { id: 'again' })).headers.get('etag');
    await world.result('dataset_purge', { id }, { as: admin });
    await create('Other', id);
    const after = await read('package_show', { id: 'again' }, tag);
    expect([after.status, after.body.result.id, after.body.result.title]).toEqual([200, id, 'Other']);
  });
});

describe('If-Match', () => {
  it('is refused by an action without version checks, and nothing is written', async () => {
    await world.make.dataset({ name: 'matched' });
    const { body } = await world.action(
      'resource_create',
      { package_id: 'matched', url: 'http://a.example' },
      { as: admin, headers: { 'if-match': '"99"' } },
    );
    expect(body.error).toMatchObject({ __type: 'Validation Error', message: expect.stringContaining('If-Match') });
    expect((await world.result('package_show', { id: 'matched' })).num_resources).toBe(0);
  });

  it('must contain a version', async () => {
    const { status } = await world.action(
      'package_patch',
      { id: 'matched' },
      { as: admin, headers: { 'if-match': '"x"' } },
    );
    expect(status).toBe(400);
  });
});

it('accepts as many tags as the limit, and names the setting when refusing more', async () => {
  const tags = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `tag-${index}` }));
  const { body } = await world.action('package_create', { name: 'tagged', tags: tags(1001) }, { as: admin });
  expect(body.error.tags).toEqual([expect.stringContaining('catalog.limits.tags')]);
  expect((await world.result('package_create', { name: 'tagged', tags: tags(1000) }, { as: admin })).num_tags).toBe(
    1000,
  );
});

describe('permissions in an organization', () => {
  it('hide private datasets from former members, even the datasets that they created', async () => {
    const ann = await world.make.user();
    const organization = await world.make.organization({ name: 'left', members: { [ann.id]: 'editor' } });
    await world.result('package_create', { name: 'inside', private: true, owner_org: organization.name }, { as: ann });
    const mine = () => world.result('user_show', { id: ann.id, include_datasets: true }, { as: ann });
    expect((await mine()).datasets).toHaveLength(1);
    await world.result('organization_member_delete', { id: 'left', username: ann.name }, { as: admin });
    expect((await world.action('package_show', { id: 'inside' }, { as: ann })).body.error.__type).toBe(
      'Authorization Error',
    );
    expect((await mine()).datasets).toEqual([]);
    const { body } = await world.graph('{ viewer { datasets { totalCount nodes { name } } } }', {}, { as: ann });
    expect(body.data.viewer.datasets).toEqual({ totalCount: 0, nodes: [] });
    const members = await world.result('member_list', { id: 'left', object_type: 'package' });
    expect(members).toEqual([]);
  });

  it('treat any inactive state as a deletion', async () => {
    const ann = await world.make.user();
    const strict = await createWorld({ 'catalog.auth.user_delete_organizations': false });
    try {
      const boss = await strict.make.user({ name: ann.name });
      await strict.make.organization({ name: 'kept', members: { [boss.id]: 'admin' } });
      const { body } = await strict.action('organization_patch', { id: 'kept', state: 'archived' }, { as: boss });
      expect(body.error.__type).toBe('Authorization Error');
    } finally {
      await strict.end();
    }
  });
});
