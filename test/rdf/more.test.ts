/** Organizations, groups, mapping modules of the site, and Croissant. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadTables } from '../../facades/rdf/templates.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-templates-'));
const moduleNamed = (name: string, text: string): string => {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return file;
};

let world: World;
let admin: TestUser;
beforeAll(async () => {
  const national = moduleNamed(
    'national',
    `export default {
      dataset: [['update_cycle', 'dct:accrualPeriodicity', (value, { graph }) => {
        const made = graph.blank();
        return [made];
      }], ['steward', 'http://example.org/terms/steward', 'text'], ['number', 'http://example.org/terms/number', (n) => 'No. ' + n]],
      distribution: (rows, { text }) => [...rows.filter(([field]) => field !== 'description'), ['description', 'dct:abstract', text]],
    };`,
  );
  world = await createWorld({ 'catalog.extra_template_paths': [national] });
  await world.datastore();
  admin = await world.make.sysadmin();
  await world.result(
    'organization_create',
    {
      name: 'town',
      title: 'Town & Co',
      description: 'All *about* us',
      extras: [
        { key: 'homepage', value: 'http://town.example/' },
        { key: 'region', value: 'north' },
      ],
    },
    { as: admin },
  );
  await world.result('group_create', { name: 'water', title: 'Water', groups: [{ name: 'town' }] }, { as: admin });
  await world.make.dataset({
    name: 'rivers',
    title: 'Rivers',
    ownerOrganization: 'town',
    groups: [{ id: (await world.result('group_show', { id: 'water' })).id }],
    extras: [
      { key: 'steward', value: 'Ann' },
      { key: 'number', value: '7' },
      { key: 'other', value: 'kept' },
    ],
    resources: [{ url: 'http://example.org/a.csv', description: 'Levels', format: 'CSV', hash: 'a'.repeat(64) }],
  });
  await world.make.dataset({ name: 'hushhush', ownerOrganization: 'town', private: true });
});
afterAll(async () => {
  await world.end();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  world.request(path, { headers, redirect: 'manual' });

describe('an organization', () => {
  it('is a foaf:Agent, by suffix and by Accept', async () => {
    const { status, text, headers } = await get('/organization/town.ttl');
    expect(status).toBe(200);
    expect(text).toContain('a foaf:Organization, foaf:Agent');
    expect(text).toContain('foaf:name "Town & Co"');
    expect(text).toContain('foaf:homepage <http://town.example/>');
    expect(text).toContain('rdfs:label "region"');
    expect(text).toContain('rdfs:seeAlso <http://catalog.test/catalog?fq=organization:town>');
    const again = await get('/organization/town', { accept: 'text/turtle' });
    expect(again.text).toBe(text);
    expect(again.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect((await get('/organization/town.ttl', { 'if-none-match': headers.get('etag')! })).status).toBe(304);
  });

  it('has a page that lists public datasets', async () => {
    const { text, status } = await get('/organization/town');
    expect(status).toBe(200);
    expect(text).toContain('<h1>Town &amp; Co</h1>');
    expect(text).toContain('href="/dataset/rivers"');
    expect(text).not.toContain('hushhush');
    expect(text).toContain('href="/organization/town.rdf"');
  });

  it('is not served as a group, and redirects from its id', async () => {
    for (const path of ['/group/town.ttl', '/group/town', '/organization/nothing.rdf', '/organization/nothing'])
      expect({ path, status: (await get(path)).status }).toEqual({ path, status: 404 });
    const { id } = await world.result('organization_show', { id: 'town' });
    expect((await get(`/organization/${id}`)).headers.get('location')).toBe('/organization/town');
  });
});

it('describes a group as a concept below its parent', async () => {
  const { text } = await get('/group/water.ttl');
  expect(text).toContain('a skos:Concept');
  expect(text).toContain('skos:prefLabel "Water"');
  expect(text).toContain('skos:broader <http://catalog.test/organization/town>');
  expect(await get('/group/water')).toMatchObject({ status: 200 });
});

describe('a mapping module', () => {
  it('adds and replaces rows', async () => {
    const { text } = await get('/dataset/rivers.ttl');
    expect(text).toContain('<http://example.org/terms/steward> "Ann"');
    expect(text).toContain('<http://example.org/terms/number> "No. 7"');
    expect(text).toContain('dct:abstract "Levels"');
    expect(text).not.toContain('dct:description "Levels"');
    expect(text).toContain('rdfs:label "other"');
    expect(text).not.toContain('rdfs:label "steward"');
    expect(await get('/dataset/rivers.rdf')).toMatchObject({ status: 200 });
  });

  it.each([
    ['nothing', 'export const x = 1;', 'the default export must be an object of tables'],
    ['unknown', 'export default { river: [] };', 'there is no table river'],
    ['form', 'export default { dataset: {} };', 'dataset must be a list of rows, or a function'],
    ['row', "export default { dataset: [['a', 'dct:title']] };", 'dataset, row 1: must be [fields, predicate, reader]'],
    ['prefix', "export default { dataset: [['a', 'xyz:title', 'text']] };", 'xyz:title: the prefix must be one of'],
    [
      'local',
      "export default { dataset: [['a', 'http://example.org/1', 'text']] };",
      'RDF/XML has no name for this predicate',
    ],
    [
      'reader',
      "export default { dataset: [['a', 'dct:title', 'texxt']] };",
      'there is no reader texxt; there are: text',
    ],
    ['syntax', 'export default {', 'Unexpected end of input'],
  ])('that is invalid (%s) prevents the start of the server', async (name, text, fault) => {
    const file = moduleNamed(name, text);
    await expect(loadTables([file])).rejects.toThrow(`catalog.extra_template_paths: ${file}: `);
    await expect(loadTables([file])).rejects.toThrow(fault);
  });

  it('that does not exist prevents the start of the server', async () => {
    await expect(loadTables(['/nowhere/at-all.mjs'])).rejects.toThrow('/nowhere/at-all.mjs');
  });
});

describe('Croissant', () => {
  it('describes files, and tables with their columns', async () => {
    const { resources } = await world.result('package_show', { id: 'rivers' });
    const id = resources[0].id;
    await world.result(
      'datastore_create',
      {
        resource_id: id,
        force: true,
        primary_key: ['station'],
        fields: [
          { id: 'station', type: 'text', info: { label: 'Station' } },
          { id: 'level', type: 'numeric' },
        ],
        records: [{ station: 'Kew', level: 1.5 }],
      },
      { as: admin },
    );
    const { body, headers, status } = await get('/dataset/rivers/croissant');
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'application/ld+json' });
    expect(body).toMatchObject({
      '@type': 'sc:Dataset',
      conformsTo: 'http://mlcommons.org/croissant/1.0',
      name: 'Rivers',
      url: 'http://catalog.test/dataset/rivers',
      isLiveDataset: true,
      distribution: [
        {
          '@type': 'cr:FileObject',
          '@id': id,
          contentUrl: 'http://example.org/a.csv',
          encodingFormat: 'text/csv',
          sha256: 'a'.repeat(64),
        },
        { '@id': `${id}/table.csv`, contentUrl: `http://catalog.test/datastore/dump/${id}?format=csv` },
      ],
      recordSet: [
        {
          key: [{ '@id': `${id}/records/station` }],
          field: [
            { name: '_id', dataType: 'sc:Integer' },
            { name: 'station', dataType: 'sc:Text', description: 'Station' },
            {
              name: 'level',
              dataType: 'sc:Float',
              source: { fileObject: { '@id': `${id}/table.csv` }, extract: { column: 'level' } },
            },
          ],
        },
      ],
    });
  });

  it('gives every file a media type, and lists a table without a file once', async () => {
    const files = [
      { url: 'http://example.org/1', format: 'CSV' },
      { url: 'http://example.org/2', format: 'XLSX', mimetype: 'text/x-odd' },
      { url: 'http://example.org/3', format: 'HTML' },
      { url: 'http://example.org/4', mimetype: 'a web page' },
    ];
    const { id } = await world.result('package_create', { name: 'formats', resources: files }, { as: admin });
    const { resource_id } = await world.result(
      'datastore_create',
      { resource: { package_id: id, name: 'Levels' }, records: [{ level: 1 }] },
      { as: admin },
    );
    const { distribution } = (await get('/dataset/formats/croissant')).body;
    expect(distribution.map((file: Record<string, string>) => [file.encodingFormat, file.name])).toEqual([
      ['text/csv', expect.any(String)],
      ['text/x-odd', expect.any(String)],
      ['HTML', expect.any(String)],
      ['application/octet-stream', expect.any(String)],
      ['text/csv', 'Levels (table)'],
    ]);
    expect(distribution.at(-1)['@id']).toBe(`${resource_id}/table.csv`);
  });

  it('is available only to users who may see the dataset', async () => {
    expect(await get('/dataset/hushhush/croissant')).toMatchObject({ status: 403 });
    expect(await get('/dataset/hushhush/croissant', { authorization: admin.key })).toMatchObject({ status: 200 });
    expect(await get('/dataset/nothing/croissant')).toMatchObject({ status: 404 });
  });
});
