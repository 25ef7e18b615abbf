/** Searches as connections. Keyset pagination makes page 1,000 as cheap as page 1. */
import { createHash } from 'node:crypto';
import type { DatasetRecord } from '../../catalog/document/record.ts';
import type { Call } from '../../kernel/call.ts';
import {
  type Connection,
  connection,
  invalidCursor,
  type Keyset,
  keyset,
  once,
  type PageArgs,
} from '../../kernel/connection.ts';
import type { Search } from '../engine.ts';
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

/** The datasets of a page. */
export interface SearchedPage extends Omit<Connection<DatasetRecord>, 'edges' | 'totalCount'> {
  readonly edges: SearchEdge[];
}

export interface SearchPage {
  /** Read on request: counts and facets need no datasets. */
  readonly page: () => Promise<SearchedPage>;
  readonly totalCount: () => Promise<number>;
  readonly facets: (args: { readonly fields: readonly string[] }) => FacetValues[];
  readonly dateHistogram: (args: HistogramArgs) => Promise<HistogramPage>;
}

/** Search results. @throws CatalogError SEARCH, VALIDATION, LIMIT */
export async function searchConnection(call: Call, args: SearchConnectionArgs): Promise<SearchPage> {
  const page = keyset(args, ['string', 'string'], call.settings['catalog.limits.rows']);
  const sort = sortText(args.orderBy ?? []);
  const filters = [...(args.filters ?? []), ...filtersOf(args.where ?? {})];
  const plan = searchPlan({ q: args.query, filters, sort }, call.request.now);
  const search = await searchFor(call, plan, args);
  const mark = markOf(args.query, filters, sort);
  const from = page.from && positionOf(page, mark);
  const count = async () => (await findHits(call, search, { page: null, count: true, facets: [] })).count;
  return {
    page: once(() => readPage(call, search, page, from, mark)),
    totalCount: once(count),
    facets: ({ fields }) => searchFacets(call, search, fields),
    dateHistogram: (given) => dateHistogram(call, search, given),
  };
}

async function readPage(
  call: Call,
  search: Search,
  page: Keyset,
  from: string[] | null,
  mark: string,
): Promise<SearchedPage> {
  const found = await foundFrom(call, search, { limit: page.limit + 1, from, backward: page.backward });
  const { nodes, edges, pageInfo } = connection(
    found,
    page,
    ({ keys }) => [mark, JSON.stringify(keys)],
    async () => found.length,
  );
  const highlightsOf = highlighter(search);
  return {
    pageInfo,
    nodes: nodes.map(({ dataset }) => dataset),
    edges: edges.map(({ cursor, node: { dataset } }) => ({
      cursor,
      node: dataset,
      highlights: () => highlightsOf(dataset.body),
    })),
  };
}

/** Distinguishes the cursors of different searches. */
const markOf = (query: string | null | undefined, filters: readonly string[], sort: string): string =>
  createHash('sha1')
    .update(JSON.stringify([query ?? '', filters, sort]))
    .digest('base64url')
    .slice(0, 10);

function positionOf({ from, backward }: Keyset, expected: string): string[] {
  const [mark, position] = from as readonly [string, string];
  try {
    const keys: unknown = JSON.parse(position);
    if (mark === expected && Array.isArray(keys) && keys.every((key) => typeof key === 'string')) return keys;
  } catch {
    /** the error below covers it */
  }
  throw invalidCursor({ backward }, 'search');
}
