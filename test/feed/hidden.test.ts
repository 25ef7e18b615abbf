/** Related objects in subscriptions: filtered by the permissions at delivery time, not by those of an earlier cached result. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SHARED_FOR } from '../../src/graph/subscriptions/shared-results.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { clientOf, follow } from './sockets.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

it('a late subscriber does not see a hidden dataset in an earlier change of its organization', async () => {
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
  await new Promise((resolve) => setTimeout(resolve, SHARED_FOR)); // shared results may be cached for this long
  const late = clientOf(world.base);
  expect(namesOf(await follow(late, { query }).take(1))).toEqual([]);
  await Promise.all([client.dispose(), late.dispose()]);
});
