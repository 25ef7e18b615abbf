/** Media types of files by the ending of their name, and which of them a browser may show. Facts of registered types. */

/** Shown by browsers without running anything: these may be looked at in place. */
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
  tif: 'image/tiff',
  tiff: 'image/tiff',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

/** Saved by browsers, whatever they think of them. */
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

/** Types that browsers run: files of them are served as bytes of which nothing is known. */
const RUN: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  svg: 'image/svg+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
};

/** Bytes of which nothing else is known. */
export const UNKNOWN = 'application/octet-stream';

export interface MediaType {
  readonly type: string;
  /** False where a browser must save the file: it could run what is in it, or is not known not to. */
  readonly shown: boolean;
}

const endingOf = (name: string): string => /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** The media type of a file by the ending of its name, for descriptions of the file; null for an unknown ending. */
export function describedType(name: string): string | null {
  const ending = endingOf(name);
  const types = [SHOWN, SAVED, RUN].find((table) => Object.hasOwn(table, ending));
  return types?.[ending] ?? null;
}

/** The type of a file by its name. Pages, scripts and drawings with scripts are bytes like everything that is not known. */
export function mediaTypeOf(name: string): MediaType {
  const ending = endingOf(name);
  if (Object.hasOwn(SHOWN, ending)) return { type: SHOWN[ending]!, shown: true };
  return { type: (Object.hasOwn(SAVED, ending) && SAVED[ending]) || UNKNOWN, shown: false };
}
