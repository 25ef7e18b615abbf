/** Converts facets to Solr's JSON facets, and the results back. */
import { DAY } from '../../kernel/time.ts';
import type { FacetCount, FacetPage, FacetWish } from '../engine.ts';
import { firstDayOf, nextPeriod, type Period } from '../query/dates.ts';
import { selected } from '../query/facets.ts';
import type { SolrAnswer } from './client.ts';
import { PUBLIC_QUERY } from './labels.ts';
import { solrField } from './names.ts';
import type { Writing } from './writing.ts';

/** Includes values of other public datasets, which no hit has. */
const givesOthers = ({ field, least }: FacetWish): boolean =>
  least === 0 && (field.kind === 'value' || field.kind === 'vocabulary');

/**
 * Whether Solr's own page is the requested one: the first of an order that Solr has. Otherwise all values are counted, and the page is
 * selected here, because Solr knows no start after a value. Solr's number of values includes those below the minimum. Solr sorts instants
 * and numbers by what they mean, not by code points: 49Z comes before 49.009Z.
 */
const isNative = (wish: FacetWish): boolean =>
  !(wish.field.kind === 'column' && wish.field.type !== 'text') &&
  !givesOthers(wish) &&
  wish.least <= 1 &&
  !wish.period &&
  (wish.order === 'value' || !wish.isReversed) &&
  wish.contains === undefined &&
  wish.after === undefined;

/** Maximum number of periods that Solr counts itself: it has a counter for each, from the first to the last. */
const MAX_PERIODS = 50_000;
/** Minimum length of periods, to estimate their number. */
const DAYS: Readonly<Record<Period, number>> = { DAY: 1, WEEK: 7, MONTH: 28, YEAR: 365 };

/** First and last instant of each facet with periods, by its position. Null without hits, and for too many periods. */
export type Spans = ReadonlyMap<number, { readonly start: string; readonly end: string } | null>;

/** The request for the spans. Null if no facet has periods. */
export function spanRequest(wishes: readonly FacetWish[], { vocabularies }: Writing): Record<string, string> | null {
  const bounds = wishes.flatMap(({ field, period }, index) => {
    const name = period && field.kind !== 'constant' ? solrField(field, vocabularies)?.name : undefined;
    return name ? [[`l${index}`, `min(${name})`] as const, [`h${index}`, `max(${name})`] as const] : [];
  });
  return bounds.length === 0 ? null : Object.fromEntries(bounds);
}

export function spansOf(wishes: readonly FacetWish[], { facets = {} }: SolrAnswer): Spans {
  const spans = new Map<number, { start: string; end: string } | null>();
  for (const [index, { period }] of wishes.entries()) {
    if (!period) continue;
    const [first, last] = [`l${index}`, `h${index}`].map((name) => new Date(facets[name] as string | number));
    const count = (last!.getTime() - first!.getTime()) / DAY / DAYS[period];
    const start = () => `${firstDayOf(first!, period)}T00:00:00Z`;
    const end = () => nextPeriod(firstDayOf(last!, period), period).toISOString();
    const isCountable = count < MAX_PERIODS && last!.getUTCFullYear() < 9999;
    spans.set(index, isCountable ? { start: start(), end: end() } : null);
  }
  return spans;
}

const GAPS: Readonly<Record<Period, string>> = { DAY: '+1DAY', WEEK: '+7DAYS', MONTH: '+1MONTH', YEAR: '+1YEAR' };

/** Solr's orders of texts are ours: most frequent first, ties by value; or by value. */
export function facetRequest(
  wishes: readonly FacetWish[],
  { vocabularies }: Writing,
  spans: Spans,
): Record<string, object> {
  const request: Record<string, object> = {};
  wishes.forEach((wish, index) => {
    const known = wish.field.kind === 'constant' ? null : solrField(wish.field, vocabularies);
    if (known === null) return;
    const span = spans.get(index);
    if (span && wish.period) {
      request[`f${index}`] = { type: 'range', field: known.name, ...span, gap: GAPS[wish.period], mincount: 1 };
      return;
    }
    const all = { type: 'terms', field: known.name, limit: -1 };
    request[`f${index}`] = {
      ...all,
      ...(wish.order === 'value' && { sort: { index: wish.isReversed ? 'desc' : 'asc' } }),
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
