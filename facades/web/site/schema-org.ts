/** Describes a dataset in schema.org for search engines. */
import type { PageDatasetQuery } from '../../../src/generated/operations.ts';

export type Dataset = NonNullable<PageDatasetQuery['dataset']>;

const isAddress = (text: string | null): text is string =>
  /^https?:\/\/[^/?#]/i.test(text ?? '') && URL.canParse(text!);

/** Omits the key when the value is missing or empty. */
const some = <T>(key: string, value: T | null | undefined): Record<string, T> =>
  value == null || value === '' || (Array.isArray(value) && value.length === 0) ? {} : { [key]: value };

const named = (type: string, name: string | null) => (name ? { '@type': type, name } : null);

/** `address` is the URL of the page. */
export const schemaOrg = (dataset: Dataset, address: string, siteTitle: string) => ({
  '@context': 'https://schema.org/',
  '@type': 'Dataset',
  '@id': address,
  url: address,
  name: dataset.title,
  identifier: [dataset.name, `urn:uuid:${dataset.databaseId}`],
  ...some('description', dataset.notes),
  ...some(
    'keywords',
    dataset.tags.map((tag) => tag.displayName),
  ),
  ...some('sameAs', isAddress(dataset.url) ? dataset.url : null),
  ...some('version', dataset.label),
  ...some('license', dataset.licenseUrl ?? dataset.licenseTitle),
  datePublished: dataset.createdAt,
  dateModified: dataset.modifiedAt,
  ...some('creator', named('Person', dataset.author)),
  ...some('maintainer', named('Person', dataset.maintainer)),
  ...some('publisher', named('Organization', dataset.organization?.title || dataset.organization?.name || null)),
  includedInDataCatalog: { '@type': 'DataCatalog', name: siteTitle, url: new URL('/', address).href },
  ...some(
    'distribution',
    dataset.resources.map((resource) => ({
      '@type': 'DataDownload',
      ...some('name', resource.name),
      ...some('description', resource.description),
      ...some('contentUrl', isAddress(resource.url) ? resource.url : null),
      ...some('encodingFormat', resource.mimetype ?? resource.format),
      ...some('contentSize', resource.size === null ? null : `${resource.size} B`),
      ...some('dateModified', resource.lastModified),
    })),
  ),
});

/** JSON that is safe inside a script element: contains neither an end tag nor a comment start. */
export const scriptText = (json: unknown): string => JSON.stringify(json).replace(/</g, '\\u003c');
