/** Unknown and empty options of legacy searches and suggestions. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

it.each(['/api/2', '/api/1', '/api/3', '/api'])(
  '%s/search/resource refuses a field that resources do not have',
  async (base) => {
    for (const query of ['bogus=', 'bogus=x', 'qjson={"bogus":"x"}', 'order_by=bogus']) {
      const { status, body } = await world.request(`${base}/search/resource?${query}`);
      expect([query, status, body]).toEqual([
        query,
        400,
        'Bad request - Bad search option: Field "bogus" not recognised in resource_search.',
      ]);
    }
  },
);

it('suggests organizations only for a non-empty text', async () => {
  await world.make.organization({ name: 'office' });
  const suggested = async (query: string) =>
    (await world.request(`/api/2/util/organization/autocomplete${query}`)).body;
  expect(await suggested('')).toEqual([]);
  expect(await suggested('?q=')).toEqual([]);
  expect(await suggested('?q=off')).toMatchObject([{ name: 'office' }]);
});
