/** Maps a resource to dcat:Distribution. */
import { checksumOf } from '../checksum.ts';
import type { Reader, Source, Table } from '../mapping.ts';
import { WHOLE } from '../mapping.ts';
import {
  address,
  addresses,
  byteCount,
  date,
  decimal,
  duration,
  each,
  either,
  format,
  language,
  linked,
  mediaType,
  node,
  ownLicense,
  text,
  thing,
  translations,
} from '../readers.ts';
import { iri, literal, name, TYPE } from '../terms.ts';

const checksum: Reader = (source: Source, { graph }) => {
  const found = checksumOf(source.get('hash'), source.get('hash_algorithm'));
  if (!found) return [];
  const made = graph.blank();
  graph.add(made, TYPE, name('spdx:Checksum'));
  graph.add(made, name('spdx:algorithm'), name(`spdx:checksumAlgorithm_${found.algorithm}`));
  graph.add(made, name('spdx:checksumValue'), literal(found.digits, name('xsd:hexBinary')));
  return [made];
};

/** URL of a resource that is certainly a file: a stored one, or one declared as such. */
const fileAddress: Reader = (source: Source, mapping) =>
  source.get('url_type') === 'upload' || /^file\b/.test(String(source.get('resource_type') ?? ''))
    ? address(source.get('url'), mapping)
    : [];

const service: Table = {
  types: ['dcat:DataService'],
  rows: [
    ['title', 'dct:title', text],
    ['description', 'dct:description', text],
    ['endpoint_url', 'dcat:endpointURL', addresses],
    ['endpoint_description', 'dcat:endpointDescription', addresses],
    ['license', 'dct:license', linked('dct:LicenseDocument')],
    ['access_rights', 'dct:accessRights', thing('dct:RightsStatement')],
    ['conforms_to', 'dct:conformsTo', each(thing('dct:Standard'))],
  ],
};

export const distribution: Table = {
  types: ['dcat:Distribution'],
  subject: (source, { siteUrl }) => {
    const [dataset, resource] = [source.get('package_id'), source.get('id')].map((id) =>
      encodeURIComponent(String(id)),
    );
    return iri(`${siteUrl}/dataset/${dataset}/resource/${resource}`);
  },
  rows: [
    [['access_url', 'url'], 'dcat:accessURL', address],
    ['format', 'dct:format', format],
    ['name', 'dct:title', text],
    ['name_translated', 'dct:title', translations],
    ['description', 'dct:description', text],
    ['description_translated', 'dct:description', translations],
    [['download_url', WHOLE], 'dcat:downloadURL', (value, mapping) => either(address, fileAddress)(value, mapping)],
    ['mimetype', 'dcat:mediaType', mediaType],
    ['compress_format', 'dcat:compressFormat', mediaType],
    ['package_format', 'dcat:packageFormat', mediaType],
    [
      ['license', WHOLE],
      'dct:license',
      (value, mapping) => either(linked('dct:LicenseDocument'), ownLicense)(value, mapping),
    ],
    ['rights', 'dct:rights', thing('dct:RightsStatement')],
    [['issued', 'created'], 'dct:issued', date],
    [['modified', 'last_modified'], 'dct:modified', date],
    ['size', 'dcat:byteSize', byteCount],
    [WHOLE, 'spdx:checksum', checksum],
    ['language', 'dct:language', each(language)],
    ['conforms_to', 'dct:conformsTo', each(thing('dct:Standard'))],
    ['documentation', 'foaf:page', each(linked('foaf:Document'))],
    ['status', 'adms:status', thing('skos:Concept', 'skos:prefLabel')],
    ['availability', 'dcatap:availability', thing('skos:Concept', 'skos:prefLabel')],
    ['applicable_legislation', 'dcatap:applicableLegislation', each(linked('eli:LegalResource'))],
    ['temporal_resolution', 'dcat:temporalResolution', duration],
    ['spatial_resolution_in_meters', 'dcat:spatialResolutionInMeters', decimal],
    ['access_services', 'dcat:accessService', each(node(service))],
  ],
};
