/** Deletions through every API: the feed, activity streams, lists and searches report all of them alike. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let member: TestUser;
let office: string;
beforeAll(async () => {
  world = await createWorld();
  [admin, member] = [await world.make.sysadmin(), await world.make.user()];
  office = (await world.make.organization({ members: { [member.id]: 'member' } })).id;
});
afterAll(() => world.end());

const lines = async (after: string, as: TestUser | null): Promise<any[]> => {
  const headers: Record<string, string> = as ? { authorization: as.key } : {};
  const { text } = await world.request(`/changes?limit=1000${after && `&after=${after}`}`, { headers });
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};
const end = async (): Promise<string> => (await lines('', null)).at(-1)!.next;

/** A word of letters that no other object contains. */
const newWord = () =>
  world
    .id()
    .replace(/[^a-z0-9]/g, '')
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!);

/** Changes of one object after a cursor, as each reader sees them. */
async function visibleChange(after: string, objectId: string) {
  const told: Record<string, unknown> = {};
  for (const [name, as] of Object.entries({ visitor: null, member, admin }))
    told[name] = (await lines(after, as))
      .filter((line) => line.objectId === objectId)
      .map(({ operation, isGone, objectType }) => ({ operation, isGone, objectType }));
  return told;
}

const activities = async (kind: string, id: string): Promise<string[]> =>
  (await world.result(`${kind}_activity_list`, { id }, { as: admin })).map(
    (activity: { activity_type: string }) => activity.activity_type,
  );

const send = async (method: string, path: string, body: object) => {
  const headers = { authorization: admin.key, 'content-type': 'application/json' };
  const answered = await world.request(path, { method, headers, body: JSON.stringify(body) });
  if (answered.status !== 200) throw new Error(`${method} ${path}: ${answered.status} ${answered.text}`);
};
const mutate = async (mutation: string, input: object) => {
  const type = mutation[0]!.toUpperCase() + mutation.slice(1);
  const query = `mutation ($input: ${type}Input!) { it: ${mutation}(input: $input) { errors { message } } }`;
  const { body, text } = await world.graph(query, { input }, { as: admin });
  if (body.errors || body.data.it.errors.length > 0) throw new Error(`${mutation}: ${text}`);
};
const act = (name: string, params: object) => world.result(name, { ...params }, { as: admin });

describe('deleting datasets by', () => {
  const ways: Record<string, (id: string) => Promise<unknown>> = {
    package_delete: (id) => act('package_delete', { id }),
    package_update: (id) =>
      act('package_update', { id, state: 'deleted', owner_org: office, tags: [{ name: 'gone' }] }),
    package_patch: (id) => act('package_patch', { id, state: 'deleted' }),
    package_revise: (id) => act('package_revise', { match: { id }, update: { state: 'deleted' } }),
    bulk_update_delete: (id) => act('bulk_update_delete', { org_id: office, datasets: [id] }),
    'legacy DELETE': (id) => send('DELETE', `/api/2/rest/dataset/${id}`, {}),
    'legacy PUT': (id) => send('PUT', `/api/2/rest/dataset/${id}`, { state: 'deleted' }),
    deleteDataset: (dataset) => mutate('deleteDataset', { dataset }),
    updateDataset: (dataset) => mutate('updateDataset', { dataset, state: 'DELETED' }),
  };

  it.each(Object.entries(ways))('%s', async (_way, remove) => {
    const word = newWord();
    const { id } = await world.make.dataset({ title: word, ownerOrganization: office, tags: [{ name: word }] });
    const found = async () => [
      (await act('package_search', { q: word })).count,
      (await act('package_autocomplete', { q: word })).length,
      (await act('tag_list', { query: word })).length,
      (await act('organization_show', { id: office })).package_count,
    ];
    const [one, , , owned] = await found();
    expect(one).toBe(1);
    const after = await end();
    await remove(id);
    const gone = { operation: 'DELETED', objectType: 'DATASET' };
    expect(await visibleChange(after, id)).toEqual({
      visitor: [{ ...gone, isGone: true }],
      member: [{ ...gone, isGone: false }],
      admin: [{ ...gone, isGone: false }],
    });
    expect(await activities('package', id)).toEqual(['deleted package', 'new package']);
    expect(await found()).toEqual([0, 0, 0, owned - 1]);
    const back = await end();
    await act('package_patch', { id, state: 'active' });
    // Readers who could not see the deleted dataset get it as a new one.
    expect(await visibleChange(back, id)).toMatchObject({
      visitor: [{ operation: 'CREATED' }],
      member: [{ operation: 'RESTORED' }],
    });
    expect((await found())[0]).toBe(1);
    expect((await found())[3]).toBe(owned);
  });
});

describe.each(['group', 'organization'] as const)('deleting the %s by', (kind) => {
  const Kind = kind[0]!.toUpperCase() + kind.slice(1);
  const ways: Record<string, (id: string) => Promise<unknown>> = {
    delete: (id) => act(`${kind}_delete`, { id }),
    update: (id) => act(`${kind}_update`, { id, state: 'deleted', title: 'Gone' }),
    patch: (id) => act(`${kind}_patch`, { id, state: 'deleted' }),
    'legacy DELETE': (id) => send('DELETE', `/api/2/rest/group/${id}`, {}),
    'legacy PUT': (id) => send('PUT', `/api/2/rest/group/${id}`, { state: 'deleted' }),
    'graph delete': (id) => mutate(`delete${Kind}`, { [kind]: id }),
    'graph update': (id) => mutate(`update${Kind}`, { [kind]: id, state: 'DELETED' }),
  };

  it.each(Object.entries(ways))('%s', async (way, remove) => {
    const word = newWord();
    const { id } = await act(`${kind}_create`, { name: word, users: [{ name: member.name, capacity: 'admin' }] });
    await world.make.dataset(kind === 'group' ? { groups: [{ id: id }] } : { ownerOrganization: id });
    const facet = kind === 'group' ? 'groups' : 'organization';
    const found = async () => {
      const { facets } = await act('package_search', { q: '*:*', 'facet.field': [facet], 'facet.limit': -1 });
      return [
        facets[facet][word] ?? 0,
        (await act(`${kind}_list`, {})).filter((name: string) => name === word).length,
        (await act(`${kind}_autocomplete`, { q: word })).length,
      ];
    };
    expect(await found()).toEqual([1, 1, 1]);
    const after = await end();
    await remove(id);
    const gone = { operation: 'DELETED', objectType: kind.toUpperCase() };
    expect(await visibleChange(after, id)).toEqual({
      visitor: [{ ...gone, isGone: true }],
      member: [{ ...gone, isGone: true }],
      admin: [{ ...gone, isGone: false }],
    });
    expect(await found()).toEqual([0, 0, 0]);
    // Activity streams report a deleted group only after an update of its state, as CKAN does.
    const isDelete = /delete/i.test(way);
    expect((await activities(kind, id)).includes(`deleted ${kind}`)).toBe(!isDelete);
    const back = await end();
    await act(`${kind}_patch`, { id, state: 'active' });
    expect(await visibleChange(back, id)).toMatchObject({
      visitor: [{ operation: 'CREATED' }],
      admin: [{ operation: 'RESTORED' }],
    });
    expect((await found()).slice(1)).toEqual([1, 1]);
  });
});
