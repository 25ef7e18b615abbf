/** Finds datasets: parameters → plan → what the caller may see of what it finds. */
import { mayReadDataset } from '../../catalog/dataset/dataset.policy.ts';
import { readerOf } from '../../catalog/document/readable.ts';
import type { DatasetRecord } from '../../catalog/document/record.ts';
import type { Call } from '../../kernel/call.ts';
import { position } from '../../kernel/connection.ts';
import { CatalogError, invalidField, type Problem, refuse } from '../../kernel/errors.ts';
import { type FacetWish, findDatasets, type Scope, type Search } from '../postgres/search.store.ts';
import { searchPlan } from '../query/search.ts';
import { SyntaxFault, searchFault } from '../query/syntax.ts';
import { stemsOf } from '../words/stemmers.ts';
import { type FacetRecord, nameFacets } from './facets.service.ts';
import { facetFieldsOf } from './search.rules.ts';

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

export interface SearchRecord {
  readonly count: number;
  readonly sort: string;
  readonly results: DatasetRecord[];
  readonly facets: FacetRecord[];
}

const USUAL_ROWS = 10;

/** Datasets by position. @throws CatalogError SEARCH, VALIDATION, LIMIT */
export async function datasetSearch(call: Call, args: SearchArgs): Promise<SearchRecord> {
  const page = pageOf(call, args);
  const problems: Problem[] = [];
  const fields = facetFieldsOf(args.facetFields ?? [], problems);
  refuse(problems);
  const search = await searchOf(call, args);
  const facets = fields.map(({ field }) => facetWish(call, field, args));
  const found = await supported(findDatasets(call.sql, search, { page, count: true, facets }));
  return {
    count: found.count,
    sort: search.plan.sortText,
    results: found.datasets.filter((dataset) => mayReadDataset(call.actor, dataset, call.settings) === null),
    facets: await nameFacets(
      call,
      fields.map(({ name }) => name),
      found.facets,
    ),
  };
}

function pageOf(call: Call, { rows, start }: SearchArgs) {
  const max = call.settings['catalog.limits.rows'];
  const limit = rows ?? Math.min(USUAL_ROWS, max);
  if (limit > max)
    throw new CatalogError('LIMIT', `rows: at most ${max} (catalog.limits.rows)`, [
      { path: ['rows'], message: `At most ${max} (catalog.limits.rows)` },
    ]);
  if (limit < 0) throw invalidField('rows', 'Must be a natural number');
  if ((start ?? 0) < 0) throw invalidField('start', 'Must be a natural number');
  const { offset } = position({ limit: 0, offset: start }, max);
  return { limit, offset, after: null };
}

function facetWish(call: Call, field: FacetWish['field'], { facetLimit, facetMinCount }: SearchArgs): FacetWish {
  const limit = facetLimit ?? call.settings['search.facets.limit'];
  return { field, limit: limit < 0 ? null : limit, least: Math.max(0, facetMinCount ?? 1) };
}

/** The plan and who asks. */
async function searchOf(call: Call, args: SearchArgs): Promise<Search> {
  return {
    plan: searchPlan(
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
      call.now,
    ),
    scope: scopeOf(call, args),
    stem: await stemsOf(call.settings['catalog.locale_default']),
    siteId: call.settings['catalog.site_id'],
  };
}

/** Visitors have no drafts, and may not ask for private datasets. */
function scopeOf({ actor }: Call, { includeDrafts, includePrivate }: SearchArgs): Scope {
  const isSomebody = actor.sysadmin || actor.userId !== null;
  if (includePrivate && !isSomebody) throw invalidField('includePrivate', 'Only for users who are signed in');
  return { drafts: Boolean(includeDrafts) && isSomebody, private: Boolean(includePrivate), reader: readerOf(actor) };
}

/** What the engine cannot do is the query's fault. */
async function supported<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof SyntaxFault) throw searchFault('q', thrown.message);
    throw thrown;
  }
}
