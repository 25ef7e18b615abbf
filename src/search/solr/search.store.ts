/** Executes a plan on Solr: page, count and facets of one moment, in one request. */
import type { Sql } from '../../infra/postgres/db.ts';
import { spanOfSql } from '../../infra/postgres/traced.ts';
import type { Engine, Hits, Search, Wish } from '../engine.ts';
import { vocabularyFields } from '../postgres/facets.sql.ts';
import { inReadingOrder } from '../postgres/order.ts';
import type { ExactField } from '../query/fields.ts';
import type { Condition } from '../query/plan.ts';
import type { SearchPlan } from '../query/search.ts';
import { SyntaxFault } from '../query/syntax.ts';
import { textMatches } from '../query/words.ts';
import { type Solr, solrAt } from './client.ts';
import { facetPages, facetRequest, spanRequest, spansOf } from './facets.ts';
import { scopeQueries } from './labels.ts';
import { afterQuery, type Key, keyFields, keyOut, keysOf, sortText } from './order.ts';
import { scoreFunction } from './score.ts';
import { conditionQuery } from './where.ts';
import { lookupsOf } from './words.ts';
import { bool, none, Params, type Writing } from './writing.ts';

/** Maximum words for one pattern inside a phrase, as on PostgreSQL. */
const MAX_WORDS = 1_000;
/** Maximum words of a field scanned for a fuzzy term. */
const MAX_SCANNED = 100_000;

/** The engine at these URLs. It follows the catalog within a second (feed.ts). */
export const solrEngine = (urls: readonly string[]): Engine => ({
  find: (sql, search, wish) => find(solrAt(urls, spanOfSql(sql)), sql, search, wish),
});

async function find(solr: Solr, sql: Sql, search: Search, wish: Wish): Promise<Hits> {
  const { plan, scope, stem, siteId } = search;
  const params = new Params();
  const writing: Writing = {
    params,
    stem,
    siteId,
    vocabularies: await vocabularyFields(sql, vocabulariesOf(plan, wish)),
    lookups: await lookUp(solr, search),
    matches: new Map(),
  };
  const condition = conditionQuery(plan.condition, writing) ?? none(params);
  // Backward pages are in orders without missing values, which Solr puts last in both directions.
  const keys = wish.page
    ? inReadingOrder(
        keysOf(plan.sort, () => scoreFunction(plan, writing), writing),
        wish.page,
      )
    : [];
  const after = wish.page?.after ? [afterQuery(keys, wish.page, writing)] : [];
  const found = { query: bool('filter', [condition, ...after], params), filter: scopeQueries(scope, writing) };
  const spanned = spanRequest(wish.facets, writing);
  const spans = spanned
    ? spansOf(wish.facets, await solr.query({ ...found, limit: 0, facet: spanned, params: params.all }, search.timeout))
    : new Map();
  const answer = await solr.query(
    {
      ...found,
      fields: ['id', ...keyFields(keys)],
      sort: keys.length > 0 ? sortText(keys) : undefined,
      offset: Math.min(wish.page?.offset ?? 0, MAX_OFFSET),
      limit: wish.page?.limit ?? 0,
      facet: facetRequest(wish.facets, writing, spans),
      params: params.all,
    },
    search.timeout,
  );
  return {
    page: answer.response.docs.map((doc) => ({ id: String(doc.id), keys: positionOf(doc, keys) })),
    count: wish.count ? answer.response.numFound : 0,
    facets: facetPages(wish.facets, answer, writing),
  };
}

/** Maximum offset: Solr counts in 32 bits, and no result is that deep. */
const MAX_OFFSET = 1_000_000_000;

const positionOf = (doc: Readonly<Record<string, unknown>>, keys: readonly Key[]): string[] =>
  keys.map((_key, index) => keyOut(doc[`k${index}`]));

async function lookUp(solr: Solr, { plan, stem, timeout }: Search): Promise<Writing['lookups']> {
  const lookups = new Map(textMatches(plan.condition, plan.scores).flatMap((match) => lookupsOf(match, stem)));
  const found = await Promise.all(
    [...lookups].map(async ([key, { field, beginning, fits }]): Promise<[string, string[]]> => {
      const words = (await solr.terms(field, beginning, MAX_SCANNED, timeout)).filter(fits);
      if (words.length > MAX_WORDS)
        throw new SyntaxFault(`a pattern or fuzzy term matches more than ${MAX_WORDS} words`, 1);
      return [key, words];
    }),
  );
  return new Map(found);
}

/** Names of the vocabularies used in the search. */
function vocabulariesOf(plan: SearchPlan, { facets }: Wish): string[] {
  const names = new Set<string>();
  const take = (field: ExactField) => field.kind === 'vocabulary' && names.add(field.of);
  const walk = (part: Condition): void => {
    if (part.kind === 'exact') take(part.field);
    else if (part.kind === 'not') walk(part.of);
    else if (part.kind !== 'text' && 'of' in part) part.of.forEach(walk);
  };
  walk(plan.condition);
  for (const { of } of plan.scores) for (const { match } of of) if (match.kind === 'exact') take(match.field);
  for (const { field } of facets) take(field);
  return [...names];
}
