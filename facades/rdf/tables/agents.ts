/** Agents and contacts: creators, maintainers, publishers. Uses field names of the catalog, and of extras known from DCAT extensions. */
import { safeIri } from '../iri.ts';
import type { Source, Table } from '../mapping.ts';
import { address, either, mail, node, text, thing, translations } from '../readers.ts';
import { iri } from '../terms.ts';

/** The IRI in a field. */
export const subjectIn = (field: string) => (source: Source) => {
  const safe = safeIri(source.get(field));
  return safe === null ? null : iri(safe);
};

const person = (role: string): Table => ({
  types: ['foaf:Agent'],
  rows: [
    [role, 'foaf:name', text],
    [`${role}_email`, 'foaf:mbox', mail],
  ],
});

export const author = person('author');
export const maintainer = person('maintainer');

/** An agent described by extras: `publisher_name`, `creator_uri` … */
const agent = (role: string): Table => ({
  types: ['foaf:Agent'],
  subject: subjectIn(`${role}_uri`),
  rows: [
    [`${role}_name`, 'foaf:name', text],
    [`${role}_name_translated`, 'foaf:name', translations],
    [`${role}_email`, 'foaf:mbox', mail],
    [`${role}_url`, 'foaf:homepage', address],
    [`${role}_type`, 'dct:type', thing('skos:Concept', 'skos:prefLabel')],
    [`${role}_identifier`, 'dct:identifier', text],
  ],
});

export const creator = either(node(agent('creator')), node(author));

/** The publisher in the extras, otherwise the owning organization. */
export const publisher = either(node(agent('publisher')), (source: Source, mapping) =>
  node(mapping.tables.organization)(source.get('organization'), mapping),
);

export const contact: Table = {
  types: ['vcard:Kind'],
  subject: subjectIn('contact_uri'),
  rows: [
    [['contact_name', 'maintainer', 'author'], 'vcard:fn', text],
    [['contact_email', 'maintainer_email', 'author_email'], 'vcard:hasEmail', mail],
    ['contact_url', 'vcard:hasURL', address],
    ['contact_identifier', 'vcard:hasUID', text],
  ],
};
