/** Converts facets to Solr's JSON facets, and the results back. */
import type { FacetCount, FacetWish } from '../engine.ts';
import { mostFrequent } from '../postgres/facets.ts';
import type { SolrAnswer } from './client.ts';
import { PUBLIC_QUERY } from './labels.ts';
import { solrField } from './names.ts';
import type { Writing } from './writing.ts';

/** Includes values of other public datasets, which no hit has. */
const givesOthers = ({ field, least }: FacetWish): boolean =>
  least === 0 && (field.kind === 'value' || field.kind === 'vocabulary');

/** Solr's order is ours: most frequent first, ties by value. Requests one more value, because the empty text is dropped. */
export function facetRequest(wishes: readonly FacetWish[], { vocabularies }: Writing): Record<string, object> {
  const request: Record<string, object> = {};
  wishes.forEach((wish, index) => {
    const known = wish.field.kind === 'constant' ? null : solrField(wish.field, vocabularies);
    if (known === null) return;
    const all = { type: 'terms', field: known.name, limit: -1 };
    request[`f${index}`] = {
      ...all,
      mincount: Math.max(1, wish.least),
      ...(wish.limit !== null && !givesOthers(wish) && { limit: wish.limit + 1 }),
    };
    if (givesOthers(wish)) request[`g${index}`] = { ...all, domain: { query: PUBLIC_QUERY } };
  });
  return request;
}

export function facetCounts(
  wishes: readonly FacetWish[],
  { response, facets = {} }: SolrAnswer,
  { siteId }: Writing,
): FacetCount[][] {
  const counts = (name: string): FacetCount[] => {
    const found = facets[name];
    return typeof found === 'object' ? found.buckets.map(({ val, count }) => ({ value: String(val), count })) : [];
  };
  return wishes.map((wish, index) => {
    const { field, limit, least } = wish;
    if (field.kind === 'constant') {
      const value = field.of === 'siteId' ? siteId : 'package';
      return response.numFound >= Math.max(1, least) && limit !== 0 ? [{ value, count: response.numFound }] : [];
    }
    const found = counts(`f${index}`);
    if (!givesOthers(wish)) return limit === null ? found : found.slice(0, limit);
    const has = new Set(found.map(({ value }) => value));
    const others = counts(`g${index}`).flatMap(({ value }) => (has.has(value) ? [] : [{ value, count: 0 }]));
    return mostFrequent([...found, ...others], limit);
  });
}
