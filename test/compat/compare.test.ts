import { expect, it } from '@jest/globals';
import { compareDatasets } from './compare.ts';

const dataset = {
  id: '1',
  name: 'rivers',
  notes: 'x',
  revision_id: 'r1',
  groups: [{ id: 'a' }, { id: 'b' }],
  resources: [{ id: 'x', url: 'http://a.example', revision_id: 'r1' }],
};

it('counts equal fields, and ignores those that the server owns', () => {
  const came = {
    ...dataset,
    revision_id: 'r2',
    groups: [{ id: 'b' }, { id: 'a' }],
    resources: [{ ...dataset.resources[0], revision_id: 'r2', datastore_active: false, webstore_url: null }],
  };
  expect(compareDatasets([dataset], [came])).toEqual({ datasets: 1, resources: 1, fields: 7, differences: [] });
});

it('reports every difference with its path', () => {
  const came = { ...dataset, notes: 'y', extra: 1, resources: [{ ...dataset.resources[0], url: 'http://b.example' }] };
  expect(
    compareDatasets([dataset, { ...dataset, name: 'lost' }], [came, { ...dataset, name: 'new' }]).differences,
  ).toEqual([
    'rivers: notes: "x" → "y"',
    'rivers: resources.url: "http://a.example" → "http://b.example"',
    'rivers: extra: (absent) → 1',
    'lost: did not come out',
    'new: did not go in',
  ]);
});
