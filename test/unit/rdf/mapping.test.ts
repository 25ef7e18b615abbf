/** Mapping of field values to RDF terms. */
import { describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../facades/rdf/checksum.ts';
import { Graph } from '../../../facades/rdf/graph.ts';
import { mailIri, safeIri } from '../../../facades/rdf/iri.ts';
import { addDataset, TABLES } from '../../../facades/rdf/tables/index.ts';
import { nTriples } from '../../../facades/rdf/write/ntriples.ts';
import { fileTypeOf, mediaTypeIri } from '../../../src/infra/files/types.ts';

const DATASET = '<http://site/dataset/d>';

/** Statements about a dataset with these fields and extras, as N-Triples with short names. */
function said(fields: Record<string, unknown>, extras: Record<string, string> = {}): string[] {
  const graph = new Graph();
  const list = Object.entries(extras).map(([key, value]) => ({ key, value }));
  addDataset(graph, { id: 'i', name: 'd', ...fields, extras: list }, { siteUrl: 'http://site', tables: TABLES });
  return nTriples()
    .body(graph)
    .trim()
    .split('\n')
    .map((line) =>
      line
        .replaceAll('http://purl.org/dc/terms/', 'dct:')
        .replaceAll('http://www.w3.org/ns/dcat#', 'dcat:')
        .replaceAll('http://www.w3.org/2001/XMLSchema#', 'xsd:')
        .replaceAll('http://www.opengis.net/ont/geosparql#', 'gsp:')
        .replace(/ \.$/, ''),
    );
}

describe('addresses', () => {
  it.each([
    ['http://example.org/a b?c=d e', 'http://example.org/a%20b?c=d%20e'],
    [' https://example.org/漢字 ', 'https://example.org/漢字'],
    ['http://example.org/<x>|{y}"^`\\', 'http://example.org/%3Cx%3E%7C%7By%7D%22%5E%60%5C'],
    ['http://example.org/100%', 'http://example.org/100%25'],
    ['http://example.org/%20', 'http://example.org/%20'],
    ['urn:isbn:0451450523', 'urn:isbn:0451450523'],
    ['ftp://example.org/x', 'ftp://example.org/x'],
    ['example.org/x', null],
    ['/relative', null],
    ['n/a', null],
    ['dct:title', null],
    ['Note: see below', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['http:', null],
    ['http://', null],
    ['http:///x', null],
    ['http://[x/', null],
    ['http://a b/', null],
    ['http://example.org/\nhttp://example.com/', null],
    ['http://example.org/\ud800', null],
    [`http://example.org/${'x'.repeat(10_000)}`, null],
    ['', null],
    [7, null],
    [null, null],
  ])('%j is %j', (text, expected) => {
    expect(safeIri(text)).toBe(expected);
  });

  it.each([
    ['ann@example.org', 'mailto:ann@example.org'],
    ['mailto:ann@example.org', 'mailto:ann@example.org'],
    ['a&b@example.org', 'mailto:a%26b@example.org'],
    ['ann@example.org?subject=x', null],
    ['Ann <ann@example.org>', null],
    ['nobody', null],
    [null, null],
  ])('mail to %j is %j', (text, expected) => {
    expect(mailIri(text)).toBe(expected);
  });
});

it.each([
  ['2026', '"2026"^^<xsd:gYear>'],
  ['2026-02', '"2026-02"^^<xsd:gYearMonth>'],
  ['2026-02-28', '"2026-02-28"^^<xsd:date>'],
  ['2026-02-28T01:02:03.456789', '"2026-02-28T01:02:03.456789Z"^^<xsd:dateTime>'],
  ['2026-02-28 01:02', '"2026-02-28T01:02:00Z"^^<xsd:dateTime>'],
  ['2026-02-28T01:02:03+0900', '"2026-02-28T01:02:03+09:00"^^<xsd:dateTime>'],
])('%s is a date', (text, literal) => {
  expect(said({}, { issued: text })).toContain(`${DATASET} <dct:issued> ${literal}`);
});

it.each(['2026-02-30', '2026-13', 'yesterday', '28.2.2026', '2026-02-28T25:00:00Z'])(
  '%s is not a date, and is written unchanged',
  (text) => {
    const lines = said({ metadata_created: '2020-01-01T00:00:00' }, { issued: text });
    expect(lines).toContain(`${DATASET} <dct:issued> "2020-01-01T00:00:00Z"^^<xsd:dateTime>`);
    expect(lines.join('\n')).toContain(`#value> "${text}"`);
  },
);

it('writes translations with language tags beside the plain text', () => {
  const lines = said(
    { title: 'Rivers' },
    { title_translated: '{"de": "Flüsse", "pt_BR": "Rios", "no tag": "x", "fr": ""}' },
  );
  expect(lines.filter((line) => line.includes('<dct:title>')).map((line) => line.split('<dct:title> ')[1])).toEqual([
    '"Rivers"',
    '"Flüsse"@de',
    '"Rios"@pt-br',
  ]);
});

it('writes places as geometries, bounding boxes, names or URIs', () => {
  const shape = '{"type":"Point","coordinates":[1,2]}';
  expect(said({}, { spatial: shape }).join('\n')).toContain(
    `<http://www.w3.org/ns/locn#geometry> "${shape.replaceAll('"', '\\"')}"^^<gsp:geoJSONLiteral>`,
  );
  expect(said({}, { spatial: '1, 2, 3, 4' }).join('\n')).toContain(
    '<dcat:bbox> "POLYGON((1 2, 3 2, 3 4, 1 4, 1 2))"^^<gsp:wktLiteral>',
  );
  expect(said({}, { spatial: 'POINT(1 2)' }).join('\n')).toContain('"POINT(1 2)"^^<gsp:wktLiteral>');
  expect(said({}, { spatial: 'Wales' }).join('\n')).toContain('prefLabel> "Wales"');
  expect(said({}, { spatial_uri: 'http://place.example/w', spatial_text: 'Wales' })).toContain(
    `${DATASET} <dct:spatial> <http://place.example/w>`,
  );
});

it.each([
  '<http://www.opengis.net/def/crs/EPSG/0/4326> POINT (1 2)',
  'POINT Z (1 2 3)',
  'MULTIPOLYGON ZM (((1 2 3 4)))',
  'LineStringM(1 2 3)',
  'GEOMETRYCOLLECTION (POINT (1 2))',
])('%s is a geometry', (spatial) => {
  expect(said({}, { spatial: ` ${spatial}` }).join('\n')).toContain(`"${spatial}"^^<gsp:wktLiteral>`);
});

it('reads many spaces in a place in linear time', () => {
  const long = `POINT${' '.repeat(2_000_000)}x`; // hours in quadratic time
  expect(said({}, { spatial: long }).join('\n')).toContain('prefLabel> "POINT ');
  for (const text of [`<${'a'.repeat(2_000_000)}`, `${' '.repeat(2_000_000)}x`]) said({}, { spatial: text });
});

it('reads JSON lists, and omits values without a URI where a URI is required', () => {
  const lines = said(
    {},
    { theme: '["http://t.example/1", "water", "http://t.example/2"]', language: '["en", "http://l.example/x"]' },
  );
  expect(lines.filter((line) => line.includes('dcat:theme')).length).toBe(2);
  expect(lines).toContain(`${DATASET} <dct:language> <http://id.loc.gov/vocabulary/iso639-1/en>`);
  expect(lines).toContain(`${DATASET} <dct:language> <http://l.example/x>`);
});

it('writes no statements for missing fields', () => {
  expect(said({}).map((line) => line.split(' ')[1])).toEqual([
    '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>',
    '<http://www.w3.org/2002/07/owl#sameAs>',
    '<http://xmlns.com/foaf/0.1/homepage>',
    '<http://www.w3.org/2000/01/rdf-schema#label>',
    '<dct:identifier>',
  ]);
});

it.each([
  ['csv', 'CSV'],
  ['.TTL', 'RDF_TURTLE'],
  ['RDF/XML', 'RDF_XML'],
  ['Shapefile', 'SHP'],
  ['Esri REST thing', null],
  ['constructor', null],
])('the format %s is %s', (format, code) => {
  expect(fileTypeOf(format)).toBe(code && `http://publications.europa.eu/resource/authority/file-type/${code}`);
});

it('accepts only registered media types', () => {
  expect(mediaTypeIri('Text/CSV; charset=utf-8')).toBe('https://www.iana.org/assignments/media-types/text/csv');
  for (const type of ['application/x-zip', 'csv', 'text/', 'a/b']) expect(mediaTypeIri(type)).toBeNull();
});

it.each([
  ['d41d8cd98f00b204e9800998ecf8427e', null, 'md5'],
  [`SHA-256:${'A'.repeat(64)}`, null, 'sha256'],
  ['abcd', 'http://spdx.org/rdf/terms#checksumAlgorithm_sha1', 'sha1'],
  ['abc123', null, null],
  ['xyz', 'md5', null],
  ['abc', 'md5', null],
  ['', null, null],
])('the hash %s (%s) is of %s', (hash, algorithm, expected) => {
  expect(checksumOf(hash, algorithm)?.algorithm ?? null).toBe(expected);
});
