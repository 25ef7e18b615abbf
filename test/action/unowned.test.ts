/** Datasets without an owner, where the settings allow them: hidden ones are accessible to their creator and sysadmins only. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { MATRIX, type Scene } from '../helpers/matrix.ts';
import { markOf, wholeScene } from '../helpers/scene.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let sysadmin: TestUser;
let maker: TestUser;
/** Admin of an organization, without permissions on any of these datasets while they are hidden. */
let other: TestUser;

beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  await world.datastore();
  sysadmin = await world.make.sysadmin();
  maker = await world.make.user();
  other = await world.make.user();
});
afterAll(() => world.end());

const HIDDEN = { private: null, draft: { state: 'draft' }, deleted: { state: 'deleted' } } as const;
const MARK = markOf('unowned');

/** Hides a dataset. A private dataset loses its owner when its organization is purged. */
async function hide(id: string, change: { state: string } | null): Promise<void> {
  const as = { as: sysadmin };
  if (change) return world.result('package_patch', { id, ...change }, as);
  const owner = await world.make.organization();
  await world.result('package_patch', { id, owner_org: owner.id, private: true }, as);
  await world.result('organization_purge', { id: owner.id }, as);
}

/** Actions that change datasets, their resources, views, tables and relationships. The matrix denies them to members. */
const CHANGES = Object.entries(MATRIX).filter(
  ([name, { may }]) => 'public' in may && !may.public.includes('member') && name !== 'dataset_follower_list',
);

describe.each(Object.entries(HIDDEN))('an unowned %s dataset', (_state, hidden) => {
  let scene: Scene;
  const shown = () => world.result('package_show', { id: scene.dataset }, { as: sysadmin });

  beforeAll(async () => {
    const organization = (await world.make.organization({ members: { [other.id]: 'admin' } })).id;
    const group = (await world.make.group({ members: { [other.id]: 'admin' } })).id;
    // Every user may change the anchor, so that a refusal is due to the hidden dataset.
    const anchor = (await world.make.dataset({ ownerOrganization: null })).id;
    const stays = { organization, group, anchor };
    scene = await wholeScene({ world, sysadmin, other, stays, group: async () => group }, 'unowned');
    const link = { subject: scene.dataset, object: anchor, type: 'links_to' };
    await world.result('package_relationship_create', link, { as: sysadmin });
    // The settings let every user change the dataset while it is public.
    await world.result('package_patch', { id: scene.dataset, notes: MARK }, { as: other });
    await hide(scene.dataset, hidden);
  });

  it.each(CHANGES)('refuses %s by other users, and reveals nothing', async (name, rule) => {
    const before = await shown();
    const { status, text } = await world.action(name, rule.params(scene), { as: other });
    expect([[403, 404].includes(status), text.includes(MARK), text]).toEqual([true, false, text]);
    expect(await shown()).toEqual(before);
  });

  it('cannot be changed by other users in GraphQL or the legacy APIs', async () => {
    const before = await shown();
    const { body, text } = await world.full(
      `mutation ($dataset: ID!, $match: JSON!, $update: JSON!, $resource: ID!) {
        updateDataset(input: { dataset: $dataset, notes: "x" }) { dataset { title } errors { code } }
        reviseDataset(input: { match: $match, update: $update }) { revised { document } errors { code } }
        deleteDataset(input: { dataset: $dataset }) { dataset { title } errors { code } }
        updateResource(input: { resourceId: $resource, resource: { name: "x" } }) { resource { name } errors { code } }
      }`,
      { dataset: scene.dataset, match: { id: scene.dataset }, update: { notes: 'x' }, resource: scene.resource },
      { as: other },
    );
    const codes = Object.values<any>(body.data ?? {}).map(({ errors }) => errors[0]?.code);
    expect([codes, text.includes(MARK), text]).toEqual([Array(4).fill('NOT_AUTHORIZED'), false, text]);
    const headers = { authorization: other.key, 'content-type': 'application/json' };
    for (const [method, sent] of [
      ['PUT', { notes: 'x' }],
      ['POST', { notes: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      const answered = await world.request(`/api/2/rest/dataset/${scene.dataset}`, {
        method,
        headers,
        body: sent && JSON.stringify(sent),
      });
      expect([method, answered.status, answered.text.includes(MARK)]).toEqual([method, 403, false]);
    }
    expect(await shown()).toEqual(before);
  });

  it('can be changed by its creator, but not by others', async () => {
    const { id } = await world.result('package_create', { name: `own-${world.id()}` }, { as: maker });
    await hide(id, hidden);
    expect((await world.action('package_patch', { id, notes: 'theirs' }, { as: other })).status).toBe(403);
    const back = { id, notes: 'new', private: false, state: 'active' };
    expect(await world.result('package_patch', back, { as: maker })).toMatchObject(back);
  });
});
