/** Builds the catalog as a document of any length: the catalog's own statements, then dataset by dataset. */
import type { RdfSiteQuery } from '../../src/generated/operations.ts';
import { Graph } from './graph.ts';
import { describe, type Mapping, Source, type Tables } from './mapping.ts';
import { addDataset, type DatasetDocument } from './tables/index.ts';
import { iri, literal, type NamedNode, name, TYPE } from './terms.ts';
import { ALL_PREFIXES, type Writer } from './write/writer.ts';

export interface Site {
  readonly siteUrl: string;
  readonly tables: Tables;
}

/** Position of a page, and URLs of related pages; null for missing pages. */
export interface View {
  readonly page: string;
  readonly first: string;
  readonly previous: string | null;
  readonly next: string | null;
  readonly last: string;
  readonly total: number;
  readonly size: number;
}

/** Statements about the catalog itself. Without `view` it is the whole catalog. */
export function catalogGraph(site: RdfSiteQuery['site'], { siteUrl, tables }: Site, view: View | null): Graph {
  const graph = new Graph([], 'c');
  const mapping: Mapping = { graph, siteUrl, tables, license: () => undefined };
  const catalog = describe(tables.catalog, new Source({ ...site }), mapping) as NamedNode;
  const publisher = graph.blank();
  graph.add(catalog, name('dct:publisher'), publisher);
  graph.add(publisher, TYPE, name('foaf:Agent'));
  graph.add(publisher, name('foaf:name'), literal(site.title));
  if (view) addView(graph, catalog, view);
  return graph;
}

/** Paging properties of current Hydra, and those that older readers of CKAN's feeds use. */
function addView(graph: Graph, catalog: NamedNode, view: View): void {
  const page = iri(view.page);
  const number = (value: number) => literal(String(value), name('xsd:integer'));
  graph.add(catalog, TYPE, name('hydra:Collection'));
  graph.add(catalog, name('hydra:totalItems'), number(view.total));
  graph.add(catalog, name('hydra:view'), page);
  graph.add(page, TYPE, name('hydra:PartialCollectionView'));
  graph.add(page, TYPE, name('hydra:PagedCollection'));
  graph.add(page, name('hydra:totalItems'), number(view.total));
  graph.add(page, name('hydra:itemsPerPage'), number(view.size));
  for (const way of ['first', 'previous', 'next', 'last'] as const) {
    const address = view[way];
    if (address === null) continue;
    graph.add(page, name(`hydra:${way}`), iri(address));
    graph.add(page, name(`hydra:${way}Page`), iri(address));
  }
}

/** Text of a catalog, dataset by dataset. Reads on demand and holds no datasets. */
export async function* catalogText(
  writer: Writer,
  head: Graph,
  documents: AsyncIterable<DatasetDocument> | Iterable<DatasetDocument>,
  site: Site,
): AsyncGenerator<string> {
  yield writer.head(ALL_PREFIXES) + writer.body(head);
  const catalog = iri(`${site.siteUrl}/catalog`);
  let count = 0;
  for await (const document of documents) {
    count += 1;
    const graph = new Graph([], `d${count}b`);
    graph.add(catalog, name('dcat:dataset'), addDataset(graph, document, site)!);
    yield writer.body(graph);
  }
  yield writer.tail();
}
