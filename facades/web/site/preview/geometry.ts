/** Shapes on the earth, as in GeoJSON. */
export interface Geometry {
  readonly type: 'Point' | 'LineString' | 'Polygon' | 'MultiPoint' | 'MultiLineString' | 'MultiPolygon';
  readonly coordinates: unknown;
}
