/** What subscribers are told of things besides the change: by the policy of when they are told, not of when others were. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KEPT_FOR } from '../../src/graph/subscriptions/shared-results.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { clientOf, follow } from './sockets.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

it('a dataset that was hidden is not told to who comes later and is told of an earlier change of its organization', async () => {
  const as = await world.make.sysadmin();
  const { id } = await world.result('organization_create', { name: 'office' }, { as });
  await world.result('package_create', { name: 'open', owner_org: id }, { as });
  const { next } = JSON.parse((await world.request('/changes')).text.trim().split('\n').at(-1)!);
  const query = `subscription { changes(after: "${next}", types: [ORGANIZATION]) {
    node { ... on Organization { datasets(first: 5) { nodes { name } } } } } }`;
  const client = clientOf(world.base);
  const staying = follow(client, { query });
  await world.result('organization_patch', { id, title: 'Office' }, { as });
  const namesOf = ([{ data }]: any[]) => data.changes.node.datasets.nodes.map(({ name }: { name: string }) => name);
  expect(namesOf(await staying.take(1))).toEqual(['open']);
  await world.result('package_patch', { id: 'open', private: true }, { as });
  await new Promise((resolve) => setTimeout(resolve, KEPT_FOR)); // what is kept for so long may be told for so long
  const late = clientOf(world.base);
  expect(namesOf(await follow(late, { query }).take(1))).toEqual([]);
  await Promise.all([client.dispose(), late.dispose()]);
});
