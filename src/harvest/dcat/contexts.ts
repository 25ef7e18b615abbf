/** JSON-LD contexts that feeds name by their address. They are never fetched: whoever answers there would say what a feed means. */
import { NAMESPACES } from '../../kernel/namespaces.ts';

const list = (id: string) => ({ '@id': id, '@container': '@set' });
const link = (id: string) => ({ '@id': id, '@type': '@id' });

/** DCAT-US 1.1 (`data.json`), as far as it is read here. */
const DCAT_US = {
  ...NAMESPACES,
  '@vocab': NAMESPACES.dcat,
  fn: 'vcard:fn',
  hasEmail: link('vcard:hasEmail'),
  name: 'foaf:name',
  accessLevel: 'dct:accessRights',
  accrualPeriodicity: 'dct:accrualPeriodicity',
  conformsTo: link('dct:conformsTo'),
  describedBy: link('foaf:page'),
  description: 'dct:description',
  format: 'dct:format',
  identifier: 'dct:identifier',
  isPartOf: 'dct:isPartOf',
  issued: 'dct:issued',
  language: list('dct:language'),
  license: link('dct:license'),
  modified: 'dct:modified',
  publisher: 'dct:publisher',
  references: link('foaf:page'),
  rights: 'dct:rights',
  spatial: 'dct:spatial',
  temporal: 'dct:temporal',
  title: 'dct:title',
  accessURL: link('dcat:accessURL'),
  downloadURL: link('dcat:downloadURL'),
  landingPage: link('dcat:landingPage'),
};

/** By their https addresses. */
export const KNOWN_CONTEXTS: Readonly<Record<string, object>> = {
  'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld': { '@context': DCAT_US },
  'https://www.w3.org/ns/hydra/core': { '@context': { ...NAMESPACES } },
};
