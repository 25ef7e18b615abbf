/** Searches as connections. Keyset pagination makes page 1,000 as cheap as page 1. */
import { createHash } from 'node:crypto';
import type { DatasetRecord } from '../../catalog/document/record.ts';
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../kernel/connection.ts';
import { invalidField } from '../../kernel/errors.ts';
import { searchPlan } from '../query/search.ts';
import { type DatasetConditions, filtersOf, type SearchOrder, sortText } from './conditions.rules.ts';
import { type FacetValues, searchFacets } from './facet-values.service.ts';
import { findHits, foundFrom } from './found.service.ts';
import { type HighlightRecord, highlighter } from './highlights.ts';
import { dateHistogram, type HistogramArgs, type HistogramPage } from './histogram.service.ts';
import { type ScopeArgs, searchFor } from './scope.service.ts';

export interface SearchConnectionArgs extends PageArgs, ScopeArgs {
  readonly query?: string | null;
  readonly filters?: readonly string[] | null;
  readonly where?: DatasetConditions | null;
  readonly orderBy?: readonly SearchOrder[] | null;
}

export interface SearchEdge {
  readonly cursor: string;
  readonly node: DatasetRecord;
  readonly highlights: () => HighlightRecord[];
}

export interface SearchPage extends Omit<Connection<DatasetRecord>, 'edges'> {
  readonly edges: SearchEdge[];
  readonly facets: (args: { readonly fields: readonly string[] }) => FacetValues[];
  readonly dateHistogram: (args: HistogramArgs) => Promise<HistogramPage>;
}

/** A page of search results. @throws CatalogError SEARCH, VALIDATION, LIMIT */
export async function searchConnection(call: Call, args: SearchConnectionArgs): Promise<SearchPage> {
  const page = keyset(args, ['string', 'string'], call.settings['catalog.limits.rows']);
  const sort = sortText(args.orderBy ?? []);
  const filters = [...(args.filters ?? []), ...filtersOf(args.where ?? {})];
  const plan = searchPlan({ q: args.query, filters, sort }, call.request.now);
  const search = await searchFor(call, plan, args);
  const mark = markOf(args.query, filters, sort);
  const from = page.from && placeOf(page, mark);
  const found = await foundFrom(call, search, { limit: page.limit + 1, from, backward: page.backward });
  const { nodes, edges, ...rest } = connection(
    found,
    page,
    ({ keys }) => [mark, JSON.stringify(keys)],
    async () => (await findHits(call, search, { page: null, count: true, facets: [] })).count,
  );
  const highlightsOf = highlighter(search);
  return {
    ...rest,
    nodes: nodes.map(({ dataset }) => dataset),
    edges: edges.map(({ cursor, node: { dataset } }) => ({
      cursor,
      node: dataset,
      highlights: () => highlightsOf(dataset.body),
    })),
    facets: ({ fields }) => searchFacets(call, search, fields),
    dateHistogram: (given) => dateHistogram(call, search, given),
  };
}

/** Distinguishes the cursors of different searches. */
const markOf = (query: string | null | undefined, filters: readonly string[], sort: string): string =>
  createHash('sha1')
    .update(JSON.stringify([query ?? '', filters, sort]))
    .digest('base64url')
    .slice(0, 10);

function placeOf({ from, backward }: Keyset, expected: string): string[] {
  const [mark, place] = from as readonly [string, string];
  try {
    const keys: unknown = JSON.parse(place);
    if (mark === expected && Array.isArray(keys) && keys.every((key) => typeof key === 'string')) return keys;
  } catch {
    /** the error below covers it */
  }
  throw invalidField(backward ? 'before' : 'after', 'Not a valid cursor for this search');
}
