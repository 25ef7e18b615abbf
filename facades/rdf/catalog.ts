/** The catalog as a document of any length: what is said of the catalog, then one dataset after the other. */
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

/** Where a page stands among the others; addresses, null where there is no such page. */
export interface View {
  readonly page: string;
  readonly first: string;
  readonly previous: string | null;
  readonly next: string | null;
  readonly last: string;
  readonly total: number;
  readonly size: number;
}

/** What is said of the catalog itself. Without `view` it is whole. */
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

/** By Hydra's words of today and by those that older readers of CKAN's feeds look for. */
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

/** The text of a catalog, dataset by dataset: nothing is read before it is wanted, and nothing is kept. */
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
