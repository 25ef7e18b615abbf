/** Describes datasets, the catalog and organizations in schema.org for search engines. */
import type { GroupHeadFragment, PageDatasetQuery } from '../../../src/generated/operations.ts';

export type Dataset = Omit<PageDatasetQuery['dataset'], 'usageSummary'>;

/** The site, as descriptions refer to it. */
export interface CatalogSite {
  readonly siteTitle: string;
  /** Without a trailing slash. */
  readonly siteUrl: string;
}

/** Characters of a description that search engines read. */
const MAX_DESCRIPTION = 5_000;

const isAddress = (text: string | null): text is string =>
  /^https?:\/\/[^/?#]/i.test(text ?? '') && URL.canParse(text!);

/** Omits the key when the value is missing or empty. */
const some = <T>(key: string, value: T | null | undefined): Record<string, T> =>
  value == null || value === '' || (Array.isArray(value) && value.length === 0) ? {} : { [key]: value };

const named = (type: string, name: string | null) => (name ? { '@type': type, name } : null);

/** The catalog as a reference of other descriptions. */
const catalogOf = ({ siteTitle, siteUrl }: CatalogSite) => ({
  '@type': 'DataCatalog',
  '@id': `${siteUrl}/`,
  name: siteTitle,
  url: `${siteUrl}/`,
});

/** `address` is the URL of the page. */
export const schemaOrg = (dataset: Dataset, address: string, site: CatalogSite) => ({
  '@context': 'https://schema.org/',
  '@type': 'Dataset',
  '@id': address,
  url: address,
  name: dataset.localTitle,
  identifier: [dataset.name, `urn:uuid:${dataset.databaseId}`],
  ...some('description', dataset.localNotes?.slice(0, MAX_DESCRIPTION)),
  ...some(
    'keywords',
    dataset.tags.map((tag) => tag.localName),
  ),
  ...some('sameAs', isAddress(dataset.url) ? dataset.url : null),
  ...some('version', dataset.label),
  ...some('license', dataset.licenseUrl ?? dataset.licenseTitle),
  datePublished: dataset.createdAt,
  dateModified: dataset.modifiedAt,
  ...some('creator', named('Person', dataset.author)),
  ...some('maintainer', named('Person', dataset.maintainer)),
  ...some(
    'publisher',
    dataset.organization && {
      '@type': 'Organization',
      '@id': `${site.siteUrl}/organization/${encodeURIComponent(dataset.organization.name)}`,
      name: dataset.organization.localTitle || dataset.organization.name,
    },
  ),
  includedInDataCatalog: catalogOf(site),
  ...some(
    'distribution',
    dataset.resources.map((resource) => ({
      '@type': 'DataDownload',
      ...some('name', resource.localName),
      ...some('description', resource.localDescription),
      ...some('contentUrl', isAddress(resource.url) ? resource.url : null),
      ...some('encodingFormat', resource.mimetype ?? resource.format),
      ...some('contentSize', resource.size === null ? null : `${resource.size} B`),
      ...some('dateModified', resource.lastModified),
    })),
  ),
});

/** The catalog itself, with its search. */
export const schemaOrgCatalog = (site: CatalogSite, description: string) => ({
  '@context': 'https://schema.org/',
  ...catalogOf(site),
  ...some('description', description),
  potentialAction: {
    '@type': 'SearchAction',
    target: { '@type': 'EntryPoint', urlTemplate: `${site.siteUrl}/dataset?q={search_term_string}` },
    'query-input': 'required name=search_term_string',
  },
});

/** `address` is the URL of the organization's page. */
export const schemaOrgOrganization = (
  { localName, localDescription, imageDisplayUrl }: GroupHeadFragment,
  address: string,
) => ({
  '@context': 'https://schema.org/',
  '@type': 'Organization',
  '@id': address,
  url: address,
  name: localName,
  ...some('description', localDescription.slice(0, MAX_DESCRIPTION)),
  ...some('logo', isAddress(imageDisplayUrl) ? imageDisplayUrl : null),
});

/** JSON that is safe inside a script element: contains neither an end tag nor a comment start. */
export const scriptText = (json: unknown): string => JSON.stringify(json).replace(/</g, '\\u003c');
