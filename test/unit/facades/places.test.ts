/** Map geometries: well-known text and GeoJSON from untrusted input. */
import { describe, expect, it } from '@jest/globals';
import { readGeoJson, readGeometry } from '../../../facades/web/site/preview/features.ts';
import { toGeoJson } from '../../../facades/web/site/preview/map.ts';
import { readWkt } from '../../../facades/web/site/preview/wkt.ts';

const place = (name: string) => ({
  geometry: { type: 'Point' as const, coordinates: [1, 2] },
  properties: { ':href': 'https://evil.example', name },
  record: name,
});

it('truncates GeoJSON at a number of bytes', () => {
  const places = Array.from({ length: 10 }, (_, n) => place(String(n)));
  const all = toGeoJson({ places, isCut: false, omitted: 0 }, '/record/');
  expect(JSON.parse(all)).toMatchObject({ isCut: false, features: places.map(() => ({ type: 'Feature' })) });
  expect(JSON.parse(all).features[3].properties).toEqual({ ':href': '/record/3', name: '3' });
  const bytes = Buffer.byteLength(JSON.stringify(JSON.parse(all).features[0]));
  for (const [max, count] of [
    [10 * bytes, 10],
    [10 * bytes - 1, 9],
    [bytes - 1, 0],
  ] as const) {
    const cut = JSON.parse(toGeoJson({ places, isCut: false, omitted: 0 }, '/record/', max));
    expect([max, cut.features.length, cut.isCut]).toEqual([max, count, count < 10]);
  }
});

it('accepts positions of two to four numbers', () => {
  const point = (...coordinates: unknown[]) => readGeometry({ type: 'Point', coordinates });
  expect(point(1, 2, 3, 4)).not.toBeNull();
  for (const more of [['x'], [[[]]], [3, 4, 5]]) expect(point(1, 2, ...more)).toBeNull();
});

describe('well-known text', () => {
  it.each([
    ['POINT (1 2)', { type: 'Point', coordinates: [1, 2] }],
    ['SRID=4326;POINT Z(-1.5e1 2 3 4)', { type: 'Point', coordinates: [-15, 2] }],
    [
      'LINESTRING(1 2, 3 4)',
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'MULTIPOINT(1 2, 3 4)',
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'MULTIPOINT ( (1 2), ( 3 4 ) )',
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [
      'POLYGON((0 0,1 0,1 1,0 0))',
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
    ],
    [
      'MULTIPOLYGON(((0 0,1 0,1 1,0 0)))',
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 0],
            ],
          ],
        ],
      },
    ],
  ])('%s is read', (text, geometry) => {
    expect(readGeometry(text)).toEqual(geometry);
  });

  it.each([
    'POINT EMPTY',
    'POINT(1)',
    'POINT(1 2 3 4 5)',
    'POINT(1 2',
    'POINT(1 2))',
    'POINT(1..2 3)',
    'MULTIPOINT((1 2)(3 4))',
    'LINESTRING(1 2 (3 4))',
    'POINT(200 2)',
    'CIRCLE(1 2)',
  ])('%s has no geometry', (text) => {
    expect(readGeometry(text)).toBeNull();
  });

  const MANY = 4_000_000; // a search that restarts at each character would take hours
  it.each([
    `POINT(${'1'.repeat(MANY)})`,
    `MULTIPOINT((${' '.repeat(MANY)}(`,
    `MULTIPOINT(${'('.repeat(MANY)}`,
    `POINT(${'1 '.repeat(MANY)}`,
    `POINT(1${' '.repeat(MANY)}(`,
  ])('is read in linear time (%#)', (text) => {
    expect(readGeometry(text)).toBeNull();
    expect(readWkt('POINT(1 2)')).not.toBeNull();
  });
});

it('abbreviates nested lists and objects in GeoJSON properties', () => {
  const depth = 200_000;
  const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const text = `{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},
    "properties":{"deep":${deep},"object":{"a":1},"number":5,"yes":true,"none":null}}`;
  expect(readGeoJson(text, 5)?.places[0]?.properties).toEqual({
    deep: '[…]',
    object: '{…}',
    number: '5',
    yes: 'true',
  });
  const nested = `{"type":"Point","coordinates":${deep}}`;
  expect(readGeometry(nested)).toBeNull();
});
