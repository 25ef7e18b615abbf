/** Maps DCAT properties to record fields, the inverse of the tables in facades/rdf. Extras use the names known from DCAT extensions. */
import type { PrefixedName } from '../../kernel/namespaces.ts';
import {
  address,
  addresses,
  code,
  iri,
  iris,
  label,
  labels,
  mail,
  mediaType,
  named,
  of,
  type Reader,
  size,
  text,
  translations,
} from './readers.ts';

/** Properties in order of preference, the field, and the reader of its value. */
export type Row = readonly [properties: readonly PrefixedName[], field: string, reader: Reader];

const CONTACT: readonly PrefixedName[] = ['dcat:contactPoint', 'adms:contactPoint'];
const SCHEMA_START = 'http://schema.org/startDate';
const SCHEMA_END = 'http://schema.org/endDate';

/** Fields of the dataset. */
export const DATASET: readonly Row[] = [
  [['dct:title'], 'title', text],
  [['dct:description'], 'notes', text],
  [['dcat:landingPage'], 'url', address],
  [['dcat:version', 'owl:versionInfo'], 'version', text],
  [['dct:creator'], 'author', of(['foaf:name'], text)],
  [['dct:creator'], 'author_email', of(['foaf:mbox'], mail)],
  [['dct:contributor'], 'maintainer', of(['foaf:name'], text)],
  [['dct:contributor'], 'maintainer_email', of(['foaf:mbox'], mail)],
  [CONTACT, 'maintainer', of(['vcard:fn', 'vcard:organization-name'], text)],
  [CONTACT, 'maintainer_email', of(['vcard:hasEmail', 'vcard:email'], mail)],
];

/** Extras of the dataset; lists and objects become JSON. */
export const EXTRAS: readonly Row[] = [
  [['dct:issued'], 'issued', text],
  [['dct:modified'], 'modified', text],
  [['dct:title'], 'title_translated', translations],
  [['dct:description'], 'notes_translated', translations],
  [['dct:publisher'], 'publisher_uri', iri],
  [['dct:publisher'], 'publisher_name', of(['foaf:name'], text)],
  [['dct:publisher'], 'publisher_email', of(['foaf:mbox'], mail)],
  [['dct:publisher'], 'publisher_url', of(['foaf:homepage'], address)],
  [['dct:publisher'], 'publisher_type', of(['dct:type'], named)],
  [CONTACT, 'contact_uri', iri],
  [CONTACT, 'contact_name', of(['vcard:fn', 'vcard:organization-name'], text)],
  [CONTACT, 'contact_email', of(['vcard:hasEmail', 'vcard:email'], mail)],
  [CONTACT, 'contact_url', of(['vcard:hasURL'], address)],
  [['dcat:theme'], 'theme', iris],
  [['dct:language'], 'language', labels],
  [['dct:spatial'], 'spatial_uri', iri],
  [['dct:spatial'], 'spatial_text', of(['skos:prefLabel', 'rdfs:label', 'locn:geographicName'], text)],
  [['dct:spatial'], 'spatial', of(['locn:geometry', 'dcat:bbox', 'dcat:centroid'], text)],
  [['dct:spatial'], 'spatial_text', text],
  [['dct:temporal'], 'temporal_start', of(['dcat:startDate', SCHEMA_START], text)],
  [['dct:temporal'], 'temporal_end', of(['dcat:endDate', SCHEMA_END], text)],
  [['dct:accrualPeriodicity'], 'frequency', named],
  [['dct:accessRights'], 'access_rights', named],
  [['dct:conformsTo'], 'conforms_to', labels],
  [['dct:provenance'], 'provenance', label],
  [['foaf:page'], 'documentation', addresses],
  [['dct:type'], 'dcat_type', named],
  [['adms:identifier'], 'alternate_identifier', of(['skos:notation'], text)],
  [['adms:versionNotes'], 'version_notes', text],
  [['dct:source'], 'source', addresses],
  [['dct:isVersionOf'], 'is_version_of', addresses],
  [['dct:hasVersion'], 'has_version', addresses],
  [['dct:relation'], 'related_resource', addresses],
  [['dcat:inSeries'], 'in_series', addresses],
  [['dcatap:applicableLegislation'], 'applicable_legislation', addresses],
  [['dcatap:hvdCategory'], 'hvd_category', iris],
  [['dcat:temporalResolution'], 'temporal_resolution', text],
  [['dcat:spatialResolutionInMeters'], 'spatial_resolution_in_meters', text],
];

/** Fields of a resource, including custom ones. */
export const DISTRIBUTION: readonly Row[] = [
  [['dct:title'], 'name', text],
  [['dct:description'], 'description', text],
  [['dcat:downloadURL', 'dcat:accessURL'], 'url', address],
  [['dcat:accessURL'], 'access_url', address],
  [['dcat:downloadURL'], 'download_url', address],
  [['dct:format', 'dcat:mediaType'], 'format', code],
  [['dcat:mediaType', 'dct:format'], 'mimetype', mediaType],
  [['dcat:compressFormat'], 'compress_format', mediaType],
  [['dcat:packageFormat'], 'package_format', mediaType],
  [['dcat:byteSize'], 'size', size],
  [['spdx:checksum'], 'hash', of(['spdx:checksumValue'], text)],
  [['spdx:checksum'], 'hash_algorithm', of(['spdx:algorithm'], code)],
  [['dct:issued'], 'issued', text],
  [['dct:modified'], 'modified', text],
  [['dct:license'], 'license', named],
  [['dct:rights'], 'rights', named],
  [['dct:language'], 'language', labels],
  [['dct:conformsTo'], 'conforms_to', labels],
  [['foaf:page'], 'documentation', addresses],
  [['adms:status'], 'status', named],
  [['dcatap:availability'], 'availability', named],
  [['dcatap:applicableLegislation'], 'applicable_legislation', addresses],
];
