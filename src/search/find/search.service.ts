/** Searches datasets: parameters → plan → datasets the caller may read. */
import type { DatasetRecord } from '../../catalog/document/record.ts';
import type { Call } from '../../kernel/call.ts';
import { position } from '../../kernel/connection.ts';
import { invalidField, limitAt } from '../../kernel/errors.ts';
import type { Search } from '../engine.ts';
import { searchPlan } from '../query/search.ts';
import { type FacetRecord, facetWishes, nameFacets } from './facets.service.ts';
import { findHits, foundDatasets } from './found.service.ts';
import { type HighlightRecord, highlighter } from './highlights.ts';
import { searchFor } from './scope.service.ts';

export interface SearchArgs {
  readonly query?: string | null;
  readonly filters?: readonly string[] | null;
  readonly sort?: string | null;
  readonly rows?: number | null;
  readonly start?: number | null;
  readonly facetFields?: readonly string[] | null;
  readonly facetLimit?: number | null;
  readonly facetMinCount?: number | null;
  readonly includeDrafts?: boolean | null;
  readonly includePrivate?: boolean | null;
  readonly parser?: string | null;
  readonly queryFields?: string | null;
  readonly minimumMatch?: string | null;
  readonly tie?: string | null;
  readonly addFunctions?: string | null;
  readonly multiplyFunctions?: string | null;
}

export interface SearchMatch {
  readonly node: DatasetRecord;
  readonly highlights: () => HighlightRecord[];
}

export interface SearchRecord {
  readonly count: number;
  readonly sort: string;
  readonly results: DatasetRecord[];
  readonly matches: SearchMatch[];
  readonly facets: FacetRecord[];
}

const USUAL_ROWS = 10;

/** Datasets by offset. @throws CatalogError SEARCH, VALIDATION, LIMIT */
export async function datasetSearch(call: Call, args: SearchArgs): Promise<SearchRecord> {
  const page = pageOf(call, args);
  const { names, facets } = facetWishes(call, {
    fields: args.facetFields ?? [],
    limit: args.facetLimit,
    minCount: args.facetMinCount,
  });
  const search = await searchOf(call, args);
  const found = await findHits(call, search, { page, count: true, facets });
  const results = (await foundDatasets(call, search, found.page)).map(({ dataset }) => dataset);
  const highlightsOf = highlighter(search);
  return {
    count: found.count,
    sort: search.plan.sortText,
    results,
    matches: results.map((node) => ({ node, highlights: () => highlightsOf(node.body) })),
    facets: await nameFacets(call, names, found.facets),
  };
}

function pageOf(call: Call, { rows, start }: SearchArgs) {
  const max = call.settings['catalog.limits.rows'];
  const limit = rows ?? Math.min(USUAL_ROWS, max);
  if (limit > max) throw limitAt('rows', `Must be at most ${max} (got ${limit}; catalog.limits.rows)`);
  if (limit < 0) throw invalidField('rows', 'Must be a natural number');
  if ((start ?? 0) < 0) throw invalidField('start', 'Must be a natural number');
  const { offset } = position({ limit: 0, offset: start }, max);
  return { limit, offset, after: null };
}

/** The plan and its scope. @throws CatalogError SEARCH, VALIDATION */
async function searchOf(call: Call, args: SearchArgs): Promise<Search> {
  const plan = searchPlan(
    {
      q: args.query,
      filters: args.filters,
      sort: args.sort,
      defType: args.parser,
      qf: args.queryFields,
      mm: args.minimumMatch,
      tie: args.tie,
      bf: args.addFunctions,
      boost: args.multiplyFunctions,
    },
    call.request.now,
  );
  return searchFor(call, plan, args);
}
