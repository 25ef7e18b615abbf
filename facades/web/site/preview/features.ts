/** Reads the features of a map from columns of a table, or from GeoJSON. No I/O. */
import { dataFields, type PreviewRecord, type Table } from './at.ts';
import { isNumber } from './cell.tsx';
import type { Geometry } from './geometry.ts';
import { readWkt } from './wkt.ts';

export interface Feature {
  readonly geometry: Geometry;
  /** Values to show, by name. */
  readonly properties: Readonly<Record<string, string>>;
  /** Number of the record; null in a file. */
  readonly record: string | null;
}

/** The first features of some data. */
export interface Features {
  readonly places: readonly Feature[];
  readonly isCut: boolean;
  /** Places whose shape is too large, or cannot be read. */
  readonly omitted: number;
  /** Whether the file is too large to be read. */
  readonly isTooLarge?: boolean;
}

/** The columns of a table with geometries. */
export type Columns =
  | { readonly kind: 'pair'; readonly latitude: string; readonly longitude: string }
  | { readonly kind: 'geometry'; readonly column: string };

/** Positions of one place, and properties that are shown of it. */
const MAX_POSITIONS = 20_000;
const MAX_NUMBERS = 4;
const MAX_PROPERTIES = 8;
const MAX_CHARACTERS = 120;

const LATITUDE = /^(lat|latitude|y_?wgs84|geo_?lat\w*|breite\w*)$/i;
const LONGITUDE = /^(lon|lng|long|longitude|x_?wgs84|geo_?l(on|ng)\w*|l(ä|ae)nge\w*)$/i;
const GEOMETRY = /^(wkt|geom|the_geom|geometry|geo_?json|geo_?shape|shape)$/i;

/** Columns with places, by their names; null if there are none. */
export function findColumns(table: Table): Columns | null {
  const fields = dataFields(table);
  const latitude = fields.find((field) => isNumber(field) && LATITUDE.test(field.id));
  const longitude = fields.find((field) => isNumber(field) && LONGITUDE.test(field.id));
  if (latitude && longitude) return { kind: 'pair', latitude: latitude.id, longitude: longitude.id };
  const geometry = fields.find(({ id }) => GEOMETRY.test(id));
  return geometry ? { kind: 'geometry', column: geometry.id } : null;
}

/** Columns of a map view, as CKAN's Recline names them; null if it names none of the table. */
export function columnsOfView(fields: Readonly<Record<string, unknown>>, table: Table): Columns | null {
  const known = (name: unknown): name is string => table.fields.some(({ id }) => id === name);
  const { latitude_field: latitude, longitude_field: longitude, geojson_field: column } = fields;
  if (fields.map_field_type === 'geojson') return known(column) ? { kind: 'geometry', column } : null;
  return known(latitude) && known(longitude) ? { kind: 'pair', latitude, longitude } : null;
}

/** Places of records. Ignores records without one. */
export function featuresOf(records: readonly PreviewRecord[], columns: Columns): Pick<Features, 'places' | 'omitted'> {
  let omitted = 0;
  const hidden = new Set([
    '_id',
    ...(columns.kind === 'pair' ? [columns.latitude, columns.longitude] : [columns.column]),
  ]);
  const places = records.flatMap((record): Feature[] => {
    const geometry =
      columns.kind === 'pair'
        ? pointOf(record[columns.longitude], record[columns.latitude])
        : readGeometry(record[columns.column]);
    if (!geometry) {
      if (columns.kind === 'geometry' && hasValue(record[columns.column])) omitted += 1;
      return [];
    }
    const shown = Object.entries(record).filter(([name]) => !hidden.has(name));
    return [{ geometry, properties: propertiesOf(Object.fromEntries(shown)), record: String(record._id) }];
  });
  return { places, omitted };
}

const hasValue = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

function pointOf(longitude: unknown, latitude: unknown): Geometry | null {
  if (longitude === null || latitude === null || longitude === '' || latitude === '') return null;
  return checked({ type: 'Point', coordinates: [Number(longitude), Number(latitude)] });
}

/** A geometry of GeoJSON or WKT, as text or value. */
export function readGeometry(value: unknown): Geometry | null {
  if (typeof value !== 'string') return checked(value);
  if (!value.trimStart().startsWith('{')) return checked(readWkt(value));
  try {
    return checked(JSON.parse(value) as unknown);
  } catch {
    return null;
  }
}

/** Depth of the list of positions. */
const DEPTH: Readonly<Record<Geometry['type'], number>> = {
  Point: 0,
  LineString: 1,
  MultiPoint: 1,
  Polygon: 2,
  MultiLineString: 2,
  MultiPolygon: 3,
};

/** A geometry with positions on the earth; null for anything else. */
function checked(value: unknown): Geometry | null {
  if (typeof value !== 'object' || value === null) return null;
  const { type, coordinates } = value as { type?: unknown; coordinates?: unknown };
  if (typeof type !== 'string' || !Object.hasOwn(DEPTH, type)) return null;
  const kind = type as Geometry['type'];
  const left = { positions: MAX_POSITIONS };
  return arePositions(coordinates, DEPTH[kind], left) ? { type: kind, coordinates } : null;
}

function arePositions(value: unknown, depth: number, left: { positions: number }): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  if (depth > 0) return value.every((item) => arePositions(item, depth - 1, left));
  left.positions -= 1;
  // Further numbers are heights and measures.
  if (value.length > MAX_NUMBERS || !value.every((number) => typeof number === 'number')) return false;
  const [longitude, latitude] = value as unknown[];
  const isWithin = (number: unknown, bound: number) => typeof number === 'number' && Math.abs(number) <= bound;
  return left.positions >= 0 && isWithin(longitude, 180) && isWithin(latitude, 90);
}

/** The first places of a GeoJSON text, and whether there are more. Null for any other text. */
export function readGeoJson(text: string, max: number): Features | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { type, features } = value as { type?: unknown; features?: unknown };
  const all: unknown[] = type === 'FeatureCollection' && Array.isArray(features) ? features : [value];
  let omitted = 0;
  const places = all.slice(0, max).flatMap((feature): Feature[] => {
    const { geometry = feature, properties } = (feature ?? {}) as { geometry?: unknown; properties?: unknown };
    const found = checked(geometry);
    if (!found && hasValue(geometry)) omitted += 1;
    return found ? [{ geometry: found, properties: propertiesOf(properties), record: null }] : [];
  });
  return places.length === 0 && all.length > 0 && !isFeature(value)
    ? null
    : { places, isCut: all.length > max, omitted };
}

const isFeature = (value: object): boolean =>
  /^(FeatureCollection|Feature)$/.test(String((value as { type?: unknown }).type));

function propertiesOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && item !== '')
      .slice(0, MAX_PROPERTIES)
      .map(([name, item]) => [name.slice(0, MAX_CHARACTERS), cut(wordOf(item))]),
  );
}

/** A value in words. Lists and objects are not written out: they can be nested deeper than a program can follow. */
const wordOf = (item: unknown): string =>
  Array.isArray(item) ? '[…]' : typeof item === 'object' ? '{…}' : String(item);

const cut = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);

/** Latitude and longitude of a point; null for other shapes. */
export function positionOf({ type, coordinates }: Geometry): string | null {
  if (type !== 'Point') return null;
  const [longitude, latitude] = coordinates as [number, number];
  return `${latitude.toFixed(4)}, ${longitude.toFixed(4)}`;
}
