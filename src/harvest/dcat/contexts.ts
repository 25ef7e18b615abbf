/**
 * Built-in JSON-LD contexts for URLs that feeds refer to. Contexts are never fetched, because the remote server could then change the
 * meaning of a feed.
 */
import { NAMESPACES } from '../../kernel/namespaces.ts';

const list = (id: string) => ({ '@id': id, '@container': '@set' });
const link = (id: string) => ({ '@id': id, '@type': '@id' });

/** The supported part of DCAT-US 1.1 (`data.json`). */
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

/** Contexts by https URL. */
export const KNOWN_CONTEXTS: Readonly<Record<string, object>> = {
  'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld': { '@context': DCAT_US },
  'https://www.w3.org/ns/hydra/core': { '@context': { ...NAMESPACES } },
};
