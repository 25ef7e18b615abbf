/** File formats: what publishers call them, and their IRIs in the authority table of the Publications Office of the EU. */

const FILE_TYPE = 'http://publications.europa.eu/resource/authority/file-type/';
/** IANA's registry, as DCAT-AP names media types. */
const MEDIA_TYPE = 'https://www.iana.org/assignments/media-types/';

/** Codes of the authority table that publishers use as names of formats, too. */
const CODES =
  'ATOM BIN BMP CSS CSV DBF DOC DOCX DWG DXF ECW EPS EPUB GDB GEOJSON GIF GML GPKG GPX GRID GZIP HDF HTML ICS JPEG JPEG2000 ' +
  'JSON JSON_LD KML KMZ LAS LAZ MDB MRSID N3 NETCDF ODB ODC ODF ODG ODS ODT OWL PDF PNG PPS PPSX PPT PPTX RAR RDF RDFA ' +
  'RDF_N_QUADS RDF_N_TRIPLES RDF_TRIG RDF_TURTLE RDF_XML REST RSS RTF SDMX SHP SQL SVG TAR TAR_GZ TIFF TSV TXT WARC WFS_SRVC ' +
  'WMS_SRVC XHTML XLIFF XLS XLSB XLSM XLSX XML XSLT XYZ ZIP';

/** Other names, as they stand in catalogs. */
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

/** IRI of a format by the name that a publisher gave it (`csv`, `.TTL`, `RDF/XML`); null for one that the table does not have. */
export function fileTypeOf(format: string): string | null {
  const name = format
    .trim()
    .toUpperCase()
    .replace(/^\./, '')
    .replace(/[-\s/.]+/g, '_');
  const code = known.get(name);
  return code === undefined ? null : FILE_TYPE + code;
}

/** Trees of IANA's registry. Subtypes that begin with x- are registered by nobody. */
const REGISTERED =
  /^(application|audio|font|haptics|image|message|model|multipart|text|video)\/(?!x-)[a-z0-9][\w.+-]*$/i;

/** IRI of a media type, parameters left aside; null for what cannot be a registered one. */
export function mediaTypeIri(type: string): string | null {
  const name = type.split(';', 1)[0]!.trim().toLowerCase();
  return REGISTERED.test(name) ? MEDIA_TYPE + name : null;
}
