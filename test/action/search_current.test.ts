/** Search reflects every write in the next request: in every list, suggestion, facet and count. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let owner: { name: string };
let group: { name: string };
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  owner = await world.make.organization();
  group = await world.make.group();
  await world.make.dataset({ name: 'always-there', resources: [{ url: 'u', format: 'CSV' }] });
});
afterAll(() => world.end());

/** Occurrences of the dataset for a visitor, per list, suggestion, facet and count. */
async function met(name: string): Promise<Record<string, number>> {
  const found = await world.result('package_search', {
    q: 'quokka',
    'facet.field': ['tags', 'organization', 'groups', 'res_format', 'license_id', 'region'],
  });
  const everything = await world.result('package_search', { 'facet.field': ['tags', 'res_format'], rows: 0 });
  const graph = await world.graph(
    '{ search(query: "quokka") { totalCount nodes { name } facets(fields: ["tags"]) { values(first: 100) { nodes { name } } } } }',
  );
  const inGraph = graph.body.data.search;
  return {
    found: found.count,
    results: found.results.length,
    tags: found.facets.tags[`of ${name}`] ?? 0,
    organization: found.facets.organization[owner.name] ?? 0,
    groups: found.facets.groups[group.name] ?? 0,
    format: found.facets.res_format[`as ${name}`] ?? 0,
    license: found.facets.license_id['cc-by'] ?? 0,
    extra: found.facets.region.east ?? 0,
    tagsOfAll: everything.facets.tags[`of ${name}`] ?? 0,
    formatsOfAll: everything.facets.res_format[`as ${name}`] ?? 0,
    ofAll: everything.count - 1,
    datasets: (await world.result('package_autocomplete', { q: name })).length,
    listed: (await world.result('package_list')).filter((listed: string) => listed === name).length,
    tagSuggestions: (await world.result('tag_autocomplete', { query: `of ${name}` })).length,
    tagsFound: (await world.result('tag_search', { query: `of ${name}` })).count,
    tagList: (await world.result('tag_list')).filter((tag: string) => tag === `of ${name}`).length,
    formatSuggestions: (await world.result('format_autocomplete', { q: `as ${name}` })).length,
    resources: (await world.result('resource_search', { query: `name:file of ${name}` })).count,
    ofOwner: (await world.result('organization_show', { id: owner.name })).package_count,
    ofGroup: (await world.result('group_show', { id: group.name })).package_count,
    inGraph: inGraph.totalCount,
    nodes: inGraph.nodes.length,
    itemsInGraph: inGraph.facets[0].values.nodes.length,
  };
}

const all = (counts: Record<string, number>, count: number) =>
  Object.fromEntries(Object.keys(counts).map((place) => [place, count]));

it.each<[string, (name: string) => Promise<unknown>]>([
  ['deleted', (name) => world.result('package_delete', { id: name }, { as: admin })],
  ['made private', (name) => world.result('package_patch', { id: name, private: true }, { as: admin })],
  ['made a draft', (name) => world.result('package_patch', { id: name, state: 'draft' }, { as: admin })],
  ['purged', (name) => world.result('dataset_purge', { id: name }, { as: admin })],
])('finds a dataset immediately after creation, and no longer when it is %s', async (how, hide) => {
  const name = how.replaceAll(' ', '-');
  expect(await met(name)).toEqual(all(await met(name), 0));
  await world.result(
    'package_create',
    {
      name,
      title: 'Quokka',
      owner_org: owner.name,
      groups: [{ name: group.name }],
      license_id: 'cc-by',
      tags: [{ name: `of ${name}` }],
      extras: [{ key: 'region', value: 'east' }],
      resources: [{ url: 'http://files.example/q', name: `File of ${name}`, format: `as ${name}` }],
    },
    { as: admin },
  );
  const seen = await met(name);
  expect(seen).toEqual(all(seen, 1));
  await hide(name);
  expect(await met(name)).toEqual(all(seen, 0));
});
