/** Turns an engine's hits into datasets. Checks the read policy again, so that a lagging index reveals nothing. */
import { mayReadDataset } from '../../catalog/dataset/dataset.policy.ts';
import { datasetsByIds } from '../../catalog/dataset/dataset.service.ts';
import { DatasetRecord } from '../../catalog/document/record.ts';
import { type Call, logOf } from '../../kernel/call.ts';
import { CatalogError } from '../../kernel/errors.ts';
import type { Engine, Hit, Hits, Scope, Search, Wish } from '../engine.ts';
import { postgres } from '../postgres/search.sql.ts';
import { SyntaxFault, searchFault } from '../query/syntax.ts';
import { solrEngine } from '../solr/search.store.ts';

export interface FoundDataset {
  readonly dataset: DatasetRecord;
  /** Its position in the order. */
  readonly keys: readonly string[];
}

/** Runs the search on the configured engine. @throws CatalogError SEARCH, UNAVAILABLE */
export async function findHits(call: Call, search: Search, wish: Wish): Promise<Hits> {
  try {
    return await engineOf(call).find(call.sql, search, wish);
  } catch (thrown) {
    if (thrown instanceof SyntaxFault) throw searchFault('query', thrown.message);
    if (thrown instanceof CatalogError && thrown.cause) logOf(call).warn({ err: thrown.cause }, 'search failed');
    throw thrown;
  }
}

function engineOf({ settings }: Call): Engine {
  const urls = settings['catalog.search.solr_url'];
  return urls.length === 0 ? postgres : solrEngine(urls);
}

/** The datasets of a page, in order. Omits datasets that were removed, or hidden from the caller, after indexing. */
export async function foundDatasets(call: Call, { scope }: Search, page: readonly Hit[]): Promise<FoundDataset[]> {
  const missing = page.flatMap(({ id, row }) => (row ? [] : [id]));
  const read = missing.length > 0 ? await datasetsByIds(call, missing) : [];
  const records = new Map(read.flatMap((record) => (record ? [[record.id, record]] : [])));
  return page.flatMap(({ id, keys, row }) => {
    const dataset = row ? new DatasetRecord(row) : records.get(id);
    return dataset && isInScope(call, scope, dataset) ? [{ dataset, keys }] : [];
  });
}

function isInScope({ actor, settings }: Call, scope: Scope, dataset: DatasetRecord): boolean {
  if (dataset.state !== 'active' && !(dataset.state === 'draft' && scope.drafts)) return false;
  return (scope.private || !dataset.private) && mayReadDataset(actor, dataset, settings) === null;
}

/** A page by keyset, in reading order: the requested number of datasets, or all after the cursor. Replaces omitted datasets by later ones. */
export async function foundFrom(
  call: Call,
  search: Search,
  { limit, from, backward }: { limit: number; from: readonly string[] | null; backward: boolean },
): Promise<FoundDataset[]> {
  const found: FoundDataset[] = [];
  for (let after = from; ; ) {
    const highlights = limit - found.length;
    const { page } = await findHits(call, search, {
      page: { limit: highlights, offset: 0, after, backward },
      count: false,
      facets: [],
    });
    found.push(...(await foundDatasets(call, search, page)));
    if (page.length < highlights || found.length >= limit) return found;
    after = page.at(-1)!.keys;
  }
}
