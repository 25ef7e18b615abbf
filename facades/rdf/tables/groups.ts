/** Maps organizations to agents and groups to concepts: a short form inside datasets, and a full form as documents. */
import { type Reader, type Source, type Table, WHOLE } from '../mapping.ts';
import { address, date, each, linked, mail, others, text, translations, urn } from '../readers.ts';
import { iri, type Term } from '../terms.ts';

type Kind = 'organization' | 'group';

const subject =
  (kind: Kind) =>
  (source: Source, { siteUrl }: { readonly siteUrl: string }) =>
    iri(`${siteUrl}/${kind}/${encodeURIComponent(String(source.get('name')))}`);

/** An organization inside a dataset. */
export const organization: Table = {
  types: ['foaf:Organization', 'foaf:Agent'],
  subject: subject('organization'),
  rows: [
    [['title', 'name'], 'foaf:name', text],
    ['title_translated', 'foaf:name', translations],
  ],
};

/** A group inside a dataset. */
export const group: Table = {
  types: ['skos:Concept'],
  subject: subject('group'),
  rows: [
    [['title', 'display_name', 'name'], 'skos:prefLabel', text],
    ['title_translated', 'skos:prefLabel', translations],
  ],
};

/** The parent group or organization. */
const above: Reader = (parent, { siteUrl }): Term[] => [
  iri(`${siteUrl}/${parent.group.isOrganization ? 'organization' : 'group'}/${encodeURIComponent(parent.group.name)}`),
];

/** The feed of its datasets. */
const datasets =
  (filter: string): Reader =>
  (groupName, { siteUrl }) => [iri(`${siteUrl}/catalog?fq=${filter}:${encodeURIComponent(groupName)}`)];

export const organizationPage: Table = {
  ...organization,
  rows: [
    ...organization.rows,
    ['databaseId', 'owl:sameAs', urn],
    ['name', 'dct:identifier', text],
    ['description', 'dct:description', text],
    [['homepage', 'website', 'url'], 'foaf:homepage', linked('foaf:Document')],
    [['email', 'mail', 'contact_email'], 'foaf:mbox', mail],
    ['imageDisplayUrl', 'foaf:depiction', address],
    ['createdAt', 'dct:issued', date],
    ['parents', 'org:subOrganizationOf', each(above)],
    ['name', 'rdfs:seeAlso', datasets('organization')],
    [WHOLE, 'dct:relation', others],
  ],
};

export const groupPage: Table = {
  ...group,
  rows: [
    ...group.rows,
    ['databaseId', 'owl:sameAs', urn],
    ['name', 'dct:identifier', text],
    ['description', 'skos:definition', text],
    ['imageDisplayUrl', 'foaf:depiction', address],
    ['createdAt', 'dct:issued', date],
    ['parents', 'skos:broader', each(above)],
    ['name', 'rdfs:seeAlso', datasets('groups')],
    [WHOLE, 'dct:relation', others],
  ],
};
