/** Spatial and temporal coverage: places and periods. */

import type { Reader, Table } from '../mapping.ts';
import { date, parsed, text } from '../readers.ts';
import { literal, name } from '../terms.ts';
import { subjectIn } from './agents.ts';

const WKT = /^(?:<[^>]*>\s*)?(?:(?:MULTI)?(?:POINT|LINESTRING|POLYGON)(?:\s*(?:ZM|Z|M))?|GEOMETRYCOLLECTION)\s*\(/i;
/** Characters in which a geometry begins, with the IRI of its reference system. */
const MAX_START = 1_000;
const KINDS = ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'GeometryCollection'];

/** GeoJSON or WKT, unchanged. */
const geometry: Reader = (value) => {
  const shape = parsed(value) as { type?: unknown } | null;
  if (typeof shape === 'object' && shape !== null)
    return KINDS.includes(String(shape.type))
      ? [literal(typeof value === 'string' ? value : JSON.stringify(value), name('gsp:geoJSONLiteral'))]
      : [];
  return typeof value === 'string' && WKT.test(value.trimStart().slice(0, MAX_START))
    ? [literal(value.trim(), name('gsp:wktLiteral'))]
    : [];
};

/** A geometry, or west, south, east and north as a list or comma-separated, converted to a polygon. */
const box: Reader = (value, mapping) => {
  const list = parsed(value);
  const sides = (Array.isArray(list) ? list : typeof value === 'string' ? value.split(',') : []).map((side) =>
    String(side).trim() === '' ? Number.NaN : Number(side),
  );
  if (sides.length !== 4 || !sides.every(Number.isFinite)) return geometry(value, mapping);
  const [west, south, east, north] = sides;
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return [literal(`POLYGON((${corners.map((corner) => corner.join(' ')).join(', ')}))`, name('gsp:wktLiteral'))];
};

const isShape: Reader = (value, mapping) => [...geometry(value, mapping), ...box(value, mapping)];

/** `spatial` is a geometry or the name of a place. */
const placeName: Reader = (value, mapping) => (isShape(value, mapping).length > 0 ? [] : text(value, mapping));
/** Four numbers in `spatial` are a bounding box. */
const boxAlone: Reader = (value, mapping) => (geometry(value, mapping).length > 0 ? [] : box(value, mapping));

export const place: Table = {
  types: ['dct:Location'],
  subject: subjectIn('spatial_uri'),
  rows: [
    [['spatial_text', 'spatial', 'spatial_coverage'], 'skos:prefLabel', placeName],
    [['spatial_geom', 'spatial'], 'locn:geometry', geometry],
    [['spatial_bbox', 'spatial'], 'dcat:bbox', boxAlone],
    ['spatial_centroid', 'dcat:centroid', geometry],
  ],
};

export const period: Table = {
  types: ['dct:PeriodOfTime'],
  rows: [
    [['temporal_start', 'temporal_coverage_from', 'temporal_coverage-from'], 'dcat:startDate', date],
    [['temporal_end', 'temporal_coverage_to', 'temporal_coverage-to'], 'dcat:endDate', date],
  ],
};
