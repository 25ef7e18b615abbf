/**
 * Maps a dataset to dcat:Dataset: the contract's properties exactly, then those of DCAT-AP 3. Additional fields are extras, or fields of a
 * declared type, with names from DCAT extensions; other extras become dct:relation.
 */
import { type Mapping, type Reader, type Source, type Table, WHOLE } from '../mapping.ts';
import {
  address,
  date,
  decimal,
  duration,
  each,
  language,
  linked,
  node,
  others,
  ownLicense,
  text,
  texts,
  thing,
  translations,
  urn,
} from '../readers.ts';
import { iri, literal, name, TYPE } from '../terms.ts';
import { contact, creator, maintainer, publisher } from './agents.ts';
import { period, place } from './extent.ts';
import { relationships } from './relationships.ts';

/** IRI of the dataset. */
const datasetIri = (siteUrl: string, datasetName: string) =>
  iri(`${siteUrl}/dataset/${encodeURIComponent(datasetName)}`);

const self: Reader = (value, { siteUrl }) => [datasetIri(siteUrl, value)];
const tagName: Reader = (tag, mapping) => text(tag?.display_name ?? tag?.name, mapping);

/** A group, as a concept for the dataset's theme. */
const theme: Reader = (group, mapping) => node(mapping.tables.group)(group, mapping);

const identifier: Reader = (value, { graph }) => {
  const made = graph.blank();
  graph.add(made, TYPE, name('adms:Identifier'));
  graph.add(made, name('skos:notation'), literal(String(value)));
  return [made];
};

/** The license by URL, otherwise by name. */
export function licenseOf(source: Source, mapping: Mapping) {
  const [known] = linked('dct:LicenseDocument')(source.get('license_url'), mapping);
  return known ?? thing('dct:LicenseDocument')(source.get('license_title') ?? source.get('license_id'), mapping)[0];
}

const distributions: Reader = (resource, mapping) => node(mapping.tables.distribution)(resource, mapping);

export const dataset: Table = {
  types: ['dcat:Dataset'],
  subject: (source, { siteUrl }) => datasetIri(siteUrl, String(source.get('name'))),
  rows: [
    // properties of the contract
    ['id', 'owl:sameAs', urn],
    ['notes', 'dct:description', text],
    ['tags', 'dcat:keyword', each(tagName)],
    ['name', 'foaf:homepage', self],
    ['name', 'rdfs:label', text],
    ['name', 'dct:identifier', text],
    ['title', 'dct:title', text],
    ['resources', 'dcat:distribution', each(distributions)],
    [WHOLE, 'dct:creator', creator],
    [WHOLE, 'dct:contributor', node(maintainer)],
    ['license_url', 'dct:rights', address],
    // properties of DCAT-AP 3
    ['title_translated', 'dct:title', translations],
    [['notes_translated', 'description_translated'], 'dct:description', translations],
    [['tags_translated', 'keywords_translated'], 'dcat:keyword', translations],
    [['issued', 'metadata_created'], 'dct:issued', date],
    [['modified', 'metadata_modified'], 'dct:modified', date],
    [WHOLE, 'dct:publisher', publisher],
    [WHOLE, 'dcat:contactPoint', node(contact)],
    [WHOLE, 'dct:license', ownLicense],
    ['url', 'dcat:landingPage', linked('foaf:Document')],
    ['groups', 'dcat:theme', each(theme)],
    ['theme', 'dcat:theme', each(address)],
    [['dcat_version', 'version'], 'dcat:version', text],
    ['version_notes', 'adms:versionNotes', text],
    [['identifier', 'guid'], 'adms:identifier', identifier],
    ['alternate_identifier', 'adms:identifier', each(identifier)],
    ['language', 'dct:language', each(language)],
    [WHOLE, 'dct:spatial', node(place)],
    [WHOLE, 'dct:temporal', node(period)],
    ['frequency', 'dct:accrualPeriodicity', thing('dct:Frequency')],
    ['conforms_to', 'dct:conformsTo', each(thing('dct:Standard'))],
    ['access_rights', 'dct:accessRights', thing('dct:RightsStatement')],
    ['provenance', 'dct:provenance', thing('dct:ProvenanceStatement')],
    ['documentation', 'foaf:page', each(linked('foaf:Document'))],
    ['dcat_type', 'dct:type', each(thing('skos:Concept', 'skos:prefLabel'))],
    ['has_version', 'dct:hasVersion', each(address)],
    ['is_version_of', 'dct:isVersionOf', each(address)],
    ['is_referenced_by', 'dct:isReferencedBy', each(address)],
    ['source', 'dct:source', each(address)],
    ['related_resource', 'dct:relation', each(address)],
    ['in_series', 'dcat:inSeries', each(address)],
    ['applicable_legislation', 'dcatap:applicableLegislation', each(linked('eli:LegalResource'))],
    ['hvd_category', 'dcatap:hvdCategory', each(address)],
    ['temporal_resolution', 'dcat:temporalResolution', duration],
    ['spatial_resolution_in_meters', 'dcat:spatialResolutionInMeters', decimal],
    ['keywords', 'dcat:keyword', texts],
    ...relationships,
    [WHOLE, 'dct:relation', others],
  ],
};
