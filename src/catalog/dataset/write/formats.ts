/** Short names of file formats, from registered media types and common file endings. */

/** Canonical name → other spellings, media types and endings, all in lower case. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  CSV: ['text/csv', 'text/comma-separated-values'],
  TSV: ['text/tab-separated-values', 'text/tsv'],
  XLS: ['application/vnd.ms-excel', 'application/msexcel', 'application/x-msexcel', 'excel'],
  XLSX: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ODS: ['application/vnd.oasis.opendocument.spreadsheet'],
  PDF: ['application/pdf', 'application/x-pdf'],
  TXT: ['text/plain', 'text', 'plain'],
  HTML: ['text/html', 'htm', 'webpage', 'web page'],
  XML: ['text/xml', 'application/xml'],
  JSON: ['application/json', 'text/json'],
  NDJSON: ['application/x-ndjson', 'jsonl'],
  GeoJSON: ['application/geo+json', 'application/vnd.geo+json'],
  KML: ['application/vnd.google-earth.kml+xml'],
  KMZ: ['application/vnd.google-earth.kmz'],
  GML: ['application/gml+xml'],
  SHP: ['shapefile', 'esri shapefile'],
  RDF: ['application/rdf+xml', 'rdf/xml', 'rdf+xml'],
  TTL: ['text/turtle', 'turtle'],
  N3: ['text/n3'],
  'JSON-LD': ['application/ld+json', 'jsonld'],
  DOC: ['application/msword', 'word'],
  DOCX: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ODT: ['application/vnd.oasis.opendocument.text'],
  PPT: ['application/vnd.ms-powerpoint', 'powerpoint'],
  PPTX: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ZIP: ['application/zip', 'application/x-zip-compressed'],
  GZ: ['application/gzip', 'application/x-gzip', 'gzip'],
  TAR: ['application/x-tar'],
  '7Z': ['application/x-7z-compressed'],
  RAR: ['application/x-rar-compressed'],
  PNG: ['image/png'],
  JPEG: ['image/jpeg', 'jpg'],
  GIF: ['image/gif'],
  TIFF: ['image/tiff', 'tif', 'geotiff'],
  SVG: ['image/svg+xml'],
  RSS: ['application/rss+xml'],
  ATOM: ['application/atom+xml'],
  ICS: ['text/calendar', 'ical', 'icalendar'],
  WMS: ['ogc wms'],
  WFS: ['ogc wfs'],
  API: [],
  PARQUET: ['application/vnd.apache.parquet'],
  SQLITE: ['application/vnd.sqlite3'],
  MP3: ['audio/mpeg'],
  MP4: ['video/mp4'],
  GTFS: [],
};

const canonical = new Map(
  Object.entries(FORMATS).flatMap(([name, others]) => [name.toLowerCase(), ...others].map((key) => [key, name])),
);

/** The canonical short name of a format; unknown formats are returned unchanged. */
export const cleanFormat = (format: string): string => canonical.get(format.toLowerCase()) ?? format;

/** The format of an address's file ending; empty when unknown. */
export function guessFormat(url: string): string {
  const ending = /\.([A-Za-z0-9]{1,10})(?:[?#]|$)/.exec(url.slice(url.lastIndexOf('/') + 1))?.[1];
  return (ending && canonical.get(ending.toLowerCase())) ?? '';
}
