/** Records of catalogs with the same content are equal lines. */
import { expect, it } from '@jest/globals';
import { portable } from '../../../src/records/portable.ts';

const dataset = (id: string, mine: object) => ({
  name: 'rivers',
  revision_id: id,
  metadata_modified: `2026-11-22T09:00:00.${id}`,
  tags: [{ id, name: 'fact', vocabulary_id: id }],
  resources: [{ id: 'r', url: 'http://example.org/a.csv', revision_id: id, ...mine }],
});

it('omits values that each catalog assigns, and whether a table is loaded', () => {
  const here = portable(dataset('1', { datastore_active: true }), new Map([['1', 'genre']]));
  const there = portable(dataset('2', { datastore_active: false }), new Map([['2', 'genre']]));
  expect(here).toEqual(there);
  expect(here).toMatchObject({ tags: [{ name: 'fact', vocabulary_id: 'genre' }], resources: [{ id: 'r' }] });
});

it('distinguishes different datasets', () => {
  const none = new Map<string, string>();
  expect(portable(dataset('1', { name: 'Levels' }), none)).not.toEqual(portable(dataset('1', {}), none));
});

it('omits the number of datasets of an organization, which includes private ones', () => {
  const organization = { name: 'town', package_count: 3, users: [{ name: 'ann' }] };
  expect(portable(organization, new Map())).toEqual({ name: 'town' });
});
