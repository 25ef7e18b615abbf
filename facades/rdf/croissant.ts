/** Describes a dataset in Croissant 1.0, for machine learning tools: its files, and the columns of its tables. */
import type { RdfCroissantQuery } from '../../src/generated/operations.ts';
import { mediaTypeOf, UNKNOWN } from '../../src/infra/files/types.ts';
import { checksumOf } from './checksum.ts';
import { safeIri } from './iri.ts';

export type CroissantDataset = NonNullable<RdfCroissantQuery['dataset']>;
type Resource = CroissantDataset['resources'][number];

/** The context of the standard. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  equivalentProperty: 'cr:equivalentProperty',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileProperty: 'cr:fileProperty',
  fileObject: 'cr:fileObject',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  parentField: 'cr:parentField',
  path: 'cr:path',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  samplingRate: 'cr:samplingRate',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
} as const;

/** PostgreSQL type → schema.org type; all others are text. */
const TYPES: Readonly<Record<string, string>> = {
  bool: 'sc:Boolean',
  date: 'sc:Date',
  float4: 'sc:Float',
  float8: 'sc:Float',
  int2: 'sc:Integer',
  int4: 'sc:Integer',
  int8: 'sc:Integer',
  numeric: 'sc:Float',
  timestamp: 'sc:DateTime',
  timestamptz: 'sc:DateTime',
};

export const croissant = (dataset: CroissantDataset, siteUrl: string) => ({
  '@context': CONTEXT,
  '@type': 'sc:Dataset',
  conformsTo: 'http://mlcommons.org/croissant/1.0',
  name: dataset.title,
  ...given('description', dataset.notes),
  url: `${siteUrl}/dataset/${dataset.name}`,
  ...given('license', dataset.licenseUrl ?? dataset.licenseTitle),
  ...given(
    'keywords',
    dataset.tags.map((tag) => tag.displayName),
  ),
  ...given('version', dataset.label),
  ...given('creator', dataset.author && { '@type': 'sc:Person', name: dataset.author }),
  ...given(
    'publisher',
    dataset.organization && {
      '@type': 'sc:Organization',
      name: dataset.organization.title || dataset.organization.name,
    },
  ),
  datePublished: dataset.createdAt,
  dateModified: dataset.modifiedAt,
  // Links and tables change without a known checksum, and readers require a checksum for every file of a dataset that is not live.
  isLiveDataset: true,
  distribution: dataset.resources.flatMap((resource) => [
    ...fileOf(resource, siteUrl),
    ...(resource.table ? [tableFile(resource, siteUrl)] : []),
  ]),
  ...given('recordSet', dataset.resources.flatMap(recordsOf)),
});

const given = (key: string, value: unknown): Record<string, unknown> =>
  value == null || value === '' || (Array.isArray(value) && value.length === 0) ? {} : { [key]: value };

/** Empty when the URL is that of the resource's own table, which is described as a table. */
function fileOf(resource: Resource, siteUrl: string): object[] {
  const address = safeIri(resource.url);
  if (address === null || (resource.table && address === dumpOf(resource, siteUrl))) return [];
  const { algorithm, digits } = checksumOf(resource.hash, null) ?? {};
  return [
    {
      '@type': 'cr:FileObject',
      '@id': resource.databaseId,
      name: resource.name || resource.databaseId,
      ...given('description', resource.description),
      contentUrl: address,
      encodingFormat: encodingOf(resource),
      ...given('contentSize', resource.size === null ? null : `${resource.size} B`),
      ...(algorithm === 'sha256' || algorithm === 'md5' ? { [algorithm]: digits } : {}),
    },
  ];
}

/** Media type for readers: the declared one, otherwise that of the format, otherwise the format's name. */
function encodingOf({ mimetype, format }: Resource): string {
  if (mimetype && /^[\w.+-]+\/[\w.+-]+/.test(mimetype)) return mimetype;
  const { type } = mediaTypeOf(`file.${format}`);
  return type === UNKNOWN ? format || type : type;
}

const dumpOf = ({ databaseId }: Resource, siteUrl: string): string =>
  `${siteUrl}/datastore/dump/${encodeURIComponent(databaseId)}`;

const tableId = (resource: Resource): string => `${resource.databaseId}/table.csv`;

const tableFile = (resource: Resource, siteUrl: string) => ({
  '@type': 'cr:FileObject',
  '@id': tableId(resource),
  name: `${resource.name || resource.databaseId} (table)`,
  contentUrl: `${dumpOf(resource, siteUrl)}?format=csv`,
  encodingFormat: 'text/csv',
});

function recordsOf(resource: Resource): object[] {
  if (!resource.table) return [];
  const { fields, primaryKey } = resource.table;
  const id = (field: string) => ({ '@id': `${resource.databaseId}/records/${field}` });
  return [
    {
      '@type': 'cr:RecordSet',
      '@id': `${resource.databaseId}/records`,
      name: resource.name || resource.databaseId,
      ...given('description', resource.description),
      key: (primaryKey.length > 0 ? primaryKey : ['_id']).map(id),
      field: fields.map((field) => ({
        '@type': 'cr:Field',
        ...id(field.id),
        name: field.id,
        ...given('description', aboutField(field.info)),
        dataType: TYPES[field.type] ?? 'sc:Text',
        source: { fileObject: { '@id': tableId(resource) }, extract: { column: field.id } },
      })),
    },
  ];
}

/** Description of a column from the data dictionary. */
function aboutField(info: unknown): string | null {
  const { label, notes } = (info ?? {}) as { label?: unknown; notes?: unknown };
  return [label, notes].filter((text) => typeof text === 'string' && text !== '').join('. ') || null;
}
