import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' }, { counts: true });
  [ann, bob] = await Promise.all([world.make.user({ name: 'ann' }), world.make.user({ name: 'bob' })]);
  const office = await world.make.organization({ members: { [bob.id]: 'member' } });
  await world.make.dataset({ name: 'levels' });
  await world.make.dataset({ name: 'secret', ownerOrganization: office.id, private: true });
});
afterAll(() => world.end());

const rate = async (dataset: unknown, rating: unknown, as: TestUser | null = ann) => {
  const { status, body } = await world.action('rating_create', { package: dataset, rating }, { as });
  return body.success ? body.result : { status, message: body.error.message };
};

it('stores one rating per user, and returns average and count', async () => {
  expect(await rate('levels', 4)).toEqual({ 'rating average': 4, 'rating count': 1 });
  expect(await rate('levels', 1, bob)).toEqual({ 'rating average': 2.5, 'rating count': 2 });
  expect(await rate('levels', 5)).toEqual({ 'rating average': 3, 'rating count': 2 });
  expect((await world.result('user_show', { id: 'ann' })).number_of_edits).toBe(0);
});

it('requires a signed-in user who may read the dataset', async () => {
  expect(await rate('levels', 3, null)).toMatchObject({ status: 403 });
  expect(await rate('secret', 3)).toMatchObject({ status: 403 });
  expect(await rate('secret', 3, bob)).toEqual({ 'rating average': 3, 'rating count': 1 });
});

it.each([
  [undefined, undefined, 'You must supply a package id or name (parameter "package").'],
  ['levels', undefined, 'You must supply a rating (parameter "rating").'],
  ['levels', 'x', 'Rating must be an integer value.'],
  ['levels', 3.5, 'Rating must be an integer value.'],
  ['levels', [3], 'Rating must be an integer value.'],
  ['levels', 6, 'Rating must be between 1 and 5.'],
  ['levels', 0, 'Rating must be between 1 and 5.'],
  ['levels', 1e300, 'Rating must be between 1 and 5.'],
  ['levels', '3', 'Rating must be between 1 and 5.'],
  ['nope', 3, "Not found: 'nope'"],
])('refuses dataset %p with rating %p', async (dataset, rating, message) => {
  expect(await rate(dataset, rating)).toEqual({ status: 409, message });
});

it('GraphQL datasets show average and own rating, with a fixed number of statements', async () => {
  const query = '{ datasets(first: 5) { nodes { name ratingCount ratingAverage viewerRating } } }';
  await world.make.dataset({ name: 'unrated' });
  const { body } = await world.graph(query, {}, { as: ann });
  expect(body.data.datasets.nodes).toEqual([
    { name: 'unrated', ratingCount: 0, ratingAverage: null, viewerRating: null },
    { name: 'levels', ratingCount: 2, ratingAverage: 3, viewerRating: 5 },
  ]);
  const sent = async (first: number) =>
    (await world.statementsOf(() => world.graph(query.replace('5', String(first)), {}, { as: ann }))).length;
  expect(await sent(2)).toBe(await sent(1));
});

it('GraphQL returns a refused rating in the errors field', async () => {
  const mutation =
    'mutation { rateDataset(input: { dataset: "levels", rating: 9 }) { dataset { name } errors { code message } } }';
  expect((await world.graph(mutation, {}, { as: ann })).body.data.rateDataset).toEqual({
    dataset: null,
    errors: [{ code: 'VALIDATION', message: 'Rating must be between 1 and 5.' }],
  });
});
