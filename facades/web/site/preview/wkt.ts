/** Reads geometries from well-known text (WKT). */
import type { Geometry } from './geometry.ts';

const TYPES: Readonly<Record<string, Geometry['type']>> = {
  POINT: 'Point',
  LINESTRING: 'LineString',
  POLYGON: 'Polygon',
  MULTIPOINT: 'MultiPoint',
  MULTILINESTRING: 'MultiLineString',
  MULTIPOLYGON: 'MultiPolygon',
};

const START = /^\s*(?:SRID=4326;)?\s*([A-Z]+)\s*(?:Z|M|ZM)?\s*(?=\()/i;
const BOUNDARY = /([(),])/;
const MAX_POSITION_LENGTH = 200;

/** Null for other texts. Positions are longitude, latitude. */
export function readWkt(text: string): Geometry | null {
  const [head, name = ''] = START.exec(text.slice(0, 100)) ?? [];
  const type = TYPES[name.toUpperCase()];
  if (head === undefined || type === undefined) return null;
  const body = text.slice(head.length).trim();
  if (body === '' || /[^-\d.e+\s,()]/i.test(body)) return null; // a search for what is wrong does not backtrack
  // Each position becomes a list, and so does each pair of brackets. Multipoints have positions with or without brackets.
  const maxDepth = type === 'MultiPoint' ? 1 : Number.POSITIVE_INFINITY;
  let depth = 0;
  const json = body.split(BOUNDARY).map((part) => {
    if (part === '(') return ++depth > maxDepth ? '' : '[';
    if (part === ')') return depth-- > maxDepth ? '' : ']';
    return part === ',' ? part : positionIn(part);
  });
  try {
    const coordinates = JSON.parse(json.join('')) as unknown[];
    return { type, coordinates: type === 'Point' ? coordinates[0] : coordinates };
  } catch {
    return null;
  }
}

/** `1 2 3` as `[1,2]`. Ignores heights and measures. Empty for a space between brackets. */
function positionIn(part: string): string {
  const text = part.trim();
  if (text === '') return '';
  if (text.length > MAX_POSITION_LENGTH) return 'invalid';
  const numbers = text.split(/\s+/);
  const isPosition =
    numbers.length >= 2 && numbers.length <= 4 && numbers.every((number) => Number.isFinite(Number(number)));
  return isPosition ? `[${Number(numbers[0])},${Number(numbers[1])}]` : 'invalid';
}
