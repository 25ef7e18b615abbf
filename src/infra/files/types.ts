/**
 * Types of files: format names and their IRIs in the authority table of the Publications Office of the EU, media types
 * by file ending, and which of these browsers may show.
 */
import { parse } from 'content-type';

const FILE_TYPE = 'http://publications.europa.eu/resource/authority/file-type/';
/** IANA's registry. DCAT-AP identifies media types by its IRIs. */
const MEDIA_TYPE = 'https://www.iana.org/assignments/media-types/';

/** Codes of the authority table that are also common format names. */
const CODES =
  'ATOM BIN BMP CSS CSV DBF DOC DOCX DWG DXF ECW EPS EPUB GDB GEOJSON GIF GML GPKG GPX GRID GZIP HDF HTML ICS JPEG JPEG2000 ' +
  'JSON JSON_LD KML KMZ LAS LAZ MDB MRSID N3 NETCDF ODB ODC ODF ODG ODS ODT OWL PDF PNG PPS PPSX PPT PPTX RAR RDF RDFA ' +
  'RDF_N_QUADS RDF_N_TRIPLES RDF_TRIG RDF_TURTLE RDF_XML REST RSS RTF SDMX SHP SQL SVG TAR TAR_GZ TIFF TSV TXT WARC WFS_SRVC ' +
  'WMS_SRVC XHTML XLIFF XLS XLSB XLSM XLSX XML XSLT XYZ ZIP';

/** Other format names found in catalogs. */
const ALIASES: Readonly<Record<string, string>> = {
  GZ: 'GZIP',
  HTM: 'HTML',
  JP2: 'JPEG2000',
  JPG: 'JPEG',
  JSONLD: 'JSON_LD',
  NC: 'NETCDF',
  NT: 'RDF_N_TRIPLES',
  N_TRIPLES: 'RDF_N_TRIPLES',
  N_QUADS: 'RDF_N_QUADS',
  SHAPEFILE: 'SHP',
  TAB: 'TSV',
  TEXT: 'TXT',
  TGZ: 'TAR_GZ',
  TIF: 'TIFF',
  TRIG: 'RDF_TRIG',
  TTL: 'RDF_TURTLE',
  TURTLE: 'RDF_TURTLE',
  WFS: 'WFS_SRVC',
  WMS: 'WMS_SRVC',
};

const known: ReadonlyMap<string, string> = new Map([
  ...CODES.split(' ').map((code) => [code, code] as const),
  ...Object.entries(ALIASES),
]);

/** IRI of a publisher's format name (`csv`, `.TTL`, `RDF/XML`); null for one that the table does not have. */
export function fileTypeOf(format: string): string | null {
  const name = format
    .trim()
    .toUpperCase()
    .replace(/^\./, '')
    .replace(/[-\s/.]+/g, '_');
  const code = known.get(name);
  return code === undefined ? null : FILE_TYPE + code;
}

/** Trees of IANA's registry. Subtypes that begin with x- are not registered. */
const REGISTERED =
  /^(application|audio|font|haptics|image|message|model|multipart|text|video)\/(?!x-)[a-z0-9][\w.+-]*$/i;

/** IRI of a media type without its parameters; null for an invalid or unregistered tree. */
export function mediaTypeIri(type: string): string | null {
  const name = parse(type, { parameters: false }).type;
  return REGISTERED.test(name) ? MEDIA_TYPE + name : null;
}

/** Types that browsers show without running anything: these may be viewed inline. */
const SHOWN: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  json: 'application/json',
  geojson: 'application/geo+json',
  jsonld: 'application/ld+json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
};

/** Types that browsers always save. */
const SAVED: Readonly<Record<string, string>> = {
  xml: 'application/xml',
  rdf: 'application/rdf+xml',
  kml: 'application/vnd.google-earth.kml+xml',
  gml: 'application/gml+xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  ttl: 'text/turtle',
  n3: 'text/n3',
  nt: 'application/n-triples',
  ics: 'text/calendar',
  zip: 'application/zip',
  gz: 'application/gzip',
  tar: 'application/x-tar',
  '7z': 'application/x-7z-compressed',
  kmz: 'application/vnd.google-earth.kmz',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  parquet: 'application/vnd.apache.parquet',
  sqlite: 'application/vnd.sqlite3',
};

/** Types that browsers run: their files are served as unknown bytes. */
const RUN: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  svg: 'image/svg+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
};

/** The type of unknown bytes. */
export const UNKNOWN = 'application/octet-stream';

export interface MediaType {
  readonly type: string;
  /** False if a browser must save the file, because it could run the content, or is not known to be safe. */
  readonly shown: boolean;
}

const endingOf = (name: string): string => /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** The media type by a name's ending, for descriptions of the file; null for an unknown ending. */
export function describedType(name: string): string | null {
  const ending = endingOf(name);
  const types = [SHOWN, SAVED, RUN].find((table) => Object.hasOwn(table, ending));
  return types?.[ending] ?? null;
}

/** The type for serving a file, by its name. Pages, scripts and drawings with scripts are served as unknown bytes. */
export function mediaTypeOf(name: string): MediaType {
  const ending = endingOf(name);
  if (Object.hasOwn(SHOWN, ending)) return { type: SHOWN[ending]!, shown: true };
  return { type: (Object.hasOwn(SAVED, ending) && SAVED[ending]) || UNKNOWN, shown: false };
}
