/** The default tables, without the site's mapping modules, and functions to apply them. */
import type { Graph } from '../graph.ts';
import { describe, type Mapping, Source, type Table, type Tables } from '../mapping.ts';
import { language, linked, text } from '../readers.ts';
import { iri, type Term } from '../terms.ts';
import { dataset, licenseOf } from './dataset.ts';
import { distribution } from './distribution.ts';
import { group, groupPage, organization, organizationPage } from './groups.ts';

const catalog: Table = {
  types: ['dcat:Catalog'],
  subject: (_source, { siteUrl }) => iri(`${siteUrl}/catalog`),
  rows: [
    ['title', 'dct:title', text],
    ['description', 'dct:description', text],
    ['url', 'foaf:homepage', linked('foaf:Document')],
    ['defaultLocale', 'dct:language', language],
  ],
};

export const TABLES: Tables = { dataset, distribution, organization, organizationPage, group, groupPage, catalog };

/** A dataset in the format of package_show. */
export interface DatasetDocument {
  readonly name: string;
  readonly extras?: readonly { readonly key: string; readonly value: string }[];
  readonly [field: string]: unknown;
}

/** Adds a dataset and its parts to a graph. */
export function addDataset(
  graph: Graph,
  document: DatasetDocument,
  { siteUrl, tables }: { siteUrl: string; tables: Tables },
) {
  const source = new Source(
    document,
    (document.extras ?? []).map(({ key, value }) => [key, value] as const),
  );
  let license: Term | null | undefined = null;
  const mapping: Mapping = {
    graph,
    siteUrl,
    tables,
    license() {
      if (license === null) license = licenseOf(source, mapping);
      return license;
    },
  };
  return describe(tables.dataset, source, mapping);
}
