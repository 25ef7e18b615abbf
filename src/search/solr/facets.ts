/** Converts facets to Solr's JSON facets, and the results back. */
import type { FacetCount, FacetPage, FacetWish } from '../engine.ts';
import { firstDayOf, type Period } from '../query/dates.ts';
import { selected } from '../query/facets.ts';
import type { SolrAnswer } from './client.ts';
import { PUBLIC_QUERY } from './labels.ts';
import { solrField } from './names.ts';
import type { Writing } from './writing.ts';

/** Includes values of other public datasets, which no hit has. */
const givesOthers = ({ field, least }: FacetWish): boolean =>
  least === 0 && (field.kind === 'value' || field.kind === 'vocabulary');

/**
 * Whether Solr's own page is the requested one. Otherwise all values are counted, and the page is selected here. Solr's
 * number of values includes those below the minimum.
 */
const isNative = (wish: FacetWish): boolean =>
  !givesOthers(wish) &&
  wish.least <= 1 &&
  !wish.period &&
  wish.order !== 'value' &&
  !wish.isReversed &&
  wish.contains === undefined &&
  wish.after === undefined;

/** Solr's order is ours: most frequent first, ties by value. */
export function facetRequest(wishes: readonly FacetWish[], { vocabularies }: Writing): Record<string, object> {
  const request: Record<string, object> = {};
  wishes.forEach((wish, index) => {
    const known = wish.field.kind === 'constant' ? null : solrField(wish.field, vocabularies);
    if (known === null) return;
    const all = { type: 'terms', field: known.name, limit: -1 };
    request[`f${index}`] = {
      ...all,
      mincount: wish.period ? 1 : Math.max(1, wish.least),
      ...(wish.limit !== null && isNative(wish) && { limit: wish.limit, numBuckets: true }),
    };
    if (givesOthers(wish)) request[`g${index}`] = { ...all, domain: { query: PUBLIC_QUERY } };
  });
  return request;
}

export function facetPages(
  wishes: readonly FacetWish[],
  { response, facets = {} }: SolrAnswer,
  { siteId }: Writing,
): FacetPage[] {
  const answerOf = (name: string) => (typeof facets[name] === 'object' ? facets[name] : { buckets: [] });
  const counts = (name: string): FacetCount[] =>
    answerOf(name).buckets.map(({ val, count }) => ({ value: String(val), count }));
  return wishes.map((wish, index) => {
    const { field, least, period } = wish;
    if (field.kind === 'constant') {
      const value = field.of === 'siteId' ? siteId : 'package';
      return selected(response.numFound >= Math.max(1, least) ? [{ value, count: response.numFound }] : [], wish);
    }
    const found = counts(`f${index}`);
    if (isNative(wish)) return { values: found, total: answerOf(`f${index}`).numBuckets ?? found.length };
    if (period) return selected(periodsOf(found, period), wish);
    const has = new Set(found.map(({ value }) => value));
    const others = counts(`g${index}`).flatMap(({ value }) => (has.has(value) ? [] : [{ value, count: 0 }]));
    return selected([...found, ...others], wish);
  });
}

/** Counts per period from counts per instant. Solr's own ranges would have to know the first and the last one. */
function periodsOf(instants: readonly FacetCount[], period: Period): FacetCount[] {
  const counts = new Map<string, number>();
  for (const { value, count } of instants) {
    const day = firstDayOf(new Date(value), period);
    counts.set(day, (counts.get(day) ?? 0) + count);
  }
  return Array.from(counts, ([value, count]) => ({ value, count }));
}
