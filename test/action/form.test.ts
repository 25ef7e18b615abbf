/** Multipart forms: strings for every value, lists as JSON or flattened, and files for parameters that accept none. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

async function post(action: string, fields: Record<string, string | Blob>) {
  const body = new FormData();
  for (const [key, value] of Object.entries(fields)) body.append(key, value);
  return (
    await world.request(`/api/3/action/${action}`, { method: 'POST', body, headers: { authorization: admin.key } })
  ).body;
}

it('accepts lists as JSON strings', async () => {
  const { result } = await post('package_create', {
    name: 'as-json',
    private: 'False',
    extras: '[{"key": "a", "value": "1"}]',
    tags: ' [{"name": "water"}]',
    resources: '[{"url": "http://x.example/y", "name": "[1]"}]',
    notes: '[this is a text]',
  });
  expect(result).toMatchObject({
    private: false,
    extras: [{ key: 'a', value: '1' }],
    tags: [{ name: 'water' }],
    resources: [{ url: 'http://x.example/y', name: '[1]' }],
    notes: '[this is a text]',
  });
});

it('accepts flattened lists, in the order of their indexes', async () => {
  const { result } = await post('package_create', {
    name: 'flattened',
    resources__10__url: 'http://x.example/last',
    resources__2__url: 'http://x.example/first',
    resources__2__name: 'First',
    tags__0__name: 'water',
    extras__0__key: 'a',
    extras__0__value: '1',
  });
  expect(result.resources.map(({ url }: { url: string }) => url)).toEqual([
    'http://x.example/first',
    'http://x.example/last',
  ]);
  expect(result).toMatchObject({
    extras: [{ key: 'a', value: '1' }],
    tags: [{ name: 'water' }],
    resources: [{ name: 'First' }, {}],
  });
});

it('names an invalid list in the error, and preserves keys that belong to no list', async () => {
  expect((await post('group_create', { name: 'broken', extras: '[{"key"' })).error).toMatchObject({
    extras: expect.anything(),
  });
  const { id } = await world.make.dataset();
  const made = await post('resource_create', { package_id: id, url: 'http://x.example/', odd__0__key: 'kept' });
  expect(made.result).toMatchObject({ odd__0__key: 'kept' });
});

it('refuses files for parameters that accept none, nested ones too', async () => {
  for (const field of ['upload', 'resources__0__upload', 'resources'])
    expect((await post('package_create', { name: 'with-file', [field]: new Blob(['x']) })).error).toMatchObject({
      [field]: ['This parameter does not accept files'],
    });
});
