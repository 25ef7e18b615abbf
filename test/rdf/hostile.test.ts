/** Malformed addresses of linked data never cause a server error. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { HOSTILE } from '../helpers/hostile.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.make.dataset({ name: 'rivers' });
});
afterAll(() => world.end());

const encoded = (value: unknown): string =>
  encodeURIComponent(
    (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed().slice(0, 2_000),
  );
const values = [...Object.values(HOSTILE).map(encoded), '%00', '%ff', '..%2f..', '%0d%0aset-cookie:x', 'rivers%00.rdf'];

it.each([
  '/dataset/{}.rdf',
  '/dataset/{}',
  '/dataset/{}/croissant',
  '/dataset/rivers/resource/{}',
  '/organization/{}.ttl',
  '/group/{}',
  '/catalog.ttl?q={}',
  '/catalog.rdf?fq={}',
  '/catalog.nt?page={}',
  '/catalog.nt?rows={}',
  '/catalog.jsonld?modified_since={}',
  '/catalog.n3?after={}',
  '/catalog.ttl?all={}',
])('%s', async (path) => {
  for (const value of values)
    for (const accept of ['text/turtle', 'text/html']) {
      const { status } = await world.request(path.replace('{}', value), { headers: { accept }, redirect: 'manual' });
      expect({ value: value.slice(0, 100), accept, fine: status < 500 }).toEqual({
        value: value.slice(0, 100),
        accept,
        fine: true,
      });
    }
});

it('answers malformed Accept headers', async () => {
  for (const accept of [
    ',,,;;',
    'text/turtle;q=nan',
    '*/*;q=0',
    `${'a/b,'.repeat(2_000)}text/turtle`,
    'text/turtle;q=9999999999',
  ])
    expect((await world.request('/dataset/rivers', { headers: { accept } })).status).toBeLessThan(500);
});
