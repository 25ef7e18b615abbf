import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

it.each([
  ['group_list', { order_by: 'name' }],
  ['current_package_list_with_resources', { limit: '2', page: '1' }],
  ['resource_search', { fields: '{"format": "csv"}' }],
])('%s works with a deprecated parameter, and sends a Deprecation header (ruling 16)', async (name, params) => {
  const { headers, body } = await world.action(name, params, { get: true });
  expect(body.success).toBe(true);
  expect(headers.get('deprecation')).toBe('true');
});

it('sends no Deprecation header without such a parameter', async () => {
  const { headers } = await world.action('group_list', { sort: 'name asc' }, { get: true });
  expect(headers.get('deprecation')).toBeNull();
});
