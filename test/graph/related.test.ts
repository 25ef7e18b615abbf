import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let ann: TestUser;
let insider: TestUser;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  [ann, insider] = await Promise.all([world.make.user({ name: 'ann' }), world.make.user({ name: 'insider' })]);
  const office = await world.make.organization({ members: { [insider.id]: 'member' } });
  for (const name of ['one', 'two']) await world.make.dataset({ name });
  await world.make.dataset({ name: 'secret', ownerOrganization: office.id, private: true });
  for (const [title, dataset] of [
    ['a', 'one'],
    ['b', 'one'],
    ['c', 'two'],
    ['d', null],
  ] as const)
    await create({ title, datasetId: dataset }, ann);
  await create({ title: 'hidden', datasetId: 'secret' }, insider);
  await world.database.db.relatedItem.updateMany({ where: { title: 'c' }, data: { viewCount: 2 } });
});
afterAll(() => world.end());

const create = async (input: Record<string, unknown>, as: TestUser) => {
  const mutation =
    'mutation ($input: CreateRelatedItemInput!) { createRelatedItem(input: $input) { relatedItem { id } errors { message } } }';
  return (await world.graph(mutation, { input: { type: 'idea', ...input } }, { as })).body.data.createRelatedItem;
};

it.each([
  ['null', 'abcd'],
  ['{ field: CREATED }', 'abcd'],
  ['{ field: CREATED, direction: DESC }', 'dcba'],
  ['{ field: VIEW_COUNT, direction: ASC }', 'abdc'],
  ['{ field: VIEW_COUNT }', 'cabd'],
])('pages of items in order %s hide items of private datasets', async (orderBy, expected) => {
  const query = `query ($after: String) { relatedItems(first: 3, orderBy: ${orderBy}, after: $after)
    { totalCount nodes { title } pageInfo { hasNextPage endCursor } } }`;
  const first = (await world.graph(query, {}, { as: ann })).body.data.relatedItems;
  expect(first).toMatchObject({ totalCount: 4, pageInfo: { hasNextPage: true } });
  const second = (await world.graph(query, { after: first.pageInfo.endCursor }, { as: ann })).body.data.relatedItems;
  expect(second.pageInfo.hasNextPage).toBe(false);
  expect([...first.nodes, ...second.nodes].map(({ title }) => title).join('')).toBe(expected);
  expect((await world.graph(query, {}, { as: insider })).body.data.relatedItems.totalCount).toBe(5);
});

it('loads related items of many datasets with as many statements as of one', async () => {
  const query = `query ($first: Int) { datasets(first: $first) { nodes { name
    relatedItems(first: 1) { totalCount nodes { title owner { name } dataset { name } } pageInfo { endCursor } } } } }`;
  const { nodes } = (await world.graph(query, { first: 2 })).body.data.datasets;
  expect(nodes).toMatchObject([
    {
      name: 'two',
      relatedItems: { totalCount: 1, nodes: [{ title: 'c', owner: { name: 'ann' }, dataset: { name: 'two' } }] },
    },
    {
      name: 'one',
      relatedItems: { totalCount: 2, nodes: [{ title: 'a', owner: { name: 'ann' }, dataset: { name: 'one' } }] },
    },
  ]);
  const next = '{ dataset(id: "one") { relatedItems(after: "CURSOR") { nodes { title } } } }';
  const after = next.replace('CURSOR', nodes[1].relatedItems.pageInfo.endCursor);
  expect((await world.graph(after)).body.data.dataset.relatedItems.nodes).toEqual([{ title: 'b' }]);
  const sent = async (first: number) => (await world.statementsOf(() => world.graph(query, { first }))).length;
  expect(await sent(2)).toBe(await sent(1));
});

it('returns an item as a node only to readers of its dataset', async () => {
  const { relatedItem } = await create({ title: 'node', datasetId: 'secret' }, insider);
  const query = 'query ($id: ID!) { node(id: $id) { ... on RelatedItem { title featured viewCount version } } }';
  const node = async (as: TestUser) => (await world.graph(query, { id: relatedItem.id }, { as })).body.data.node;
  expect(await node(insider)).toEqual({ title: 'node', featured: false, viewCount: 0, version: 1 });
  expect(await node(ann)).toBeNull();
});
