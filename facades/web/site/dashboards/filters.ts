/** Conditions of a dashboard, read from its address. */
import type { DatasetConditions, QualityCheckName, QualityRating } from '../../../../src/generated/operations.ts';
import type { Faults } from '../form.tsx';
import { first, hrefOf } from '../search-query.ts';
import type { PlainKey, Texts } from '../texts.ts';
import { dayIn, endOfDay, INTERVALS, type Interval, iso, startOf, startsBetween } from './periods.ts';

/** Maximum number of periods in a chart: one page of the graph. */
export const MAX_PERIODS = 100;
/** Periods of a chart without a start. */
const PERIODS: Readonly<Record<Interval, number>> = { DAY: 30, WEEK: 26, MONTH: 24, YEAR: 10 };
const MAX_NAME = 200;

export const FILTERS = ['organization', 'from', 'to', 'interval', 'check', 'rating'] as const;
export type FilterName = (typeof FILTERS)[number];
/** The type demands each check once. Dashboards list them in this order. */
const LISTED: Readonly<Record<QualityCheckName, true>> = {
  KEYWORDS: true,
  CATEGORIES: true,
  SPATIAL: true,
  TEMPORAL: true,
  ACCESS_URL_WORKS: true,
  DOWNLOAD_URL: true,
  DOWNLOAD_URL_WORKS: true,
  FORMAT: true,
  MEDIA_TYPE: true,
  FORMAT_VOCABULARY: true,
  NON_PROPRIETARY: true,
  MACHINE_READABLE: true,
  DCAT_AP: true,
  LICENSE: true,
  LICENSE_VOCABULARY: true,
  ACCESS_RIGHTS: true,
  ACCESS_RIGHTS_VOCABULARY: true,
  CONTACT_POINT: true,
  PUBLISHER: true,
  RIGHTS: true,
  BYTE_SIZE: true,
  ISSUED: true,
  MODIFIED: true,
};
export const CHECKS = Object.keys(LISTED) as QualityCheckName[];
export const RATINGS = ['EXCELLENT', 'GOOD', 'SUFFICIENT', 'BAD'] as const satisfies readonly QualityRating[];

/** Values of the address; empty for none. */
export type FilterTexts = Readonly<Record<FilterName, string>>;

/** Instants in ms, inclusive. */
export interface Span {
  readonly from: number | null;
  readonly to: number | null;
}

export interface Filters {
  readonly texts: FilterTexts;
  /** Name of an organization; empty for all. */
  readonly organization: string;
  /** The requested days. */
  readonly span: Span;
  readonly interval: Interval;
  /** A check that datasets do not meet. Null: any. */
  readonly check: QualityCheckName | null;
  readonly rating: QualityRating | null;
  /** Starts of the periods of charts over time. */
  readonly starts: readonly number[];
  /** The span of these charts: the requested one, or the last periods. */
  readonly shown: { readonly from: number; readonly to: number };
}

type Query = Readonly<Record<string, unknown>>;

/** Reads the address. Wrong values are faults of their fields, and have no effect. `usual`: the interval without one. */
export function readFilters(
  query: Query,
  now: Date,
  { t }: Texts,
  usual: Interval = 'MONTH',
): { filters: Filters; faults: Faults } {
  const texts = Object.fromEntries(FILTERS.map((name) => [name, first(query[name]).trim()])) as FilterTexts;
  const faults: Record<string, string> = {};
  const day = (name: 'from' | 'to'): number | null => {
    const found = dayIn(texts[name]);
    if (texts[name] !== '' && found === null) faults[name] = t('charts.faultDay');
    return found;
  };
  const [from, until] = [day('from'), day('to')];
  const oneOf = <Name extends string>(name: FilterName, all: readonly Name[], fault: PlainKey): Name | null => {
    const found = all.find((it) => it === texts[name].toUpperCase()) ?? null;
    if (texts[name] !== '' && found === null) faults[name] = t(fault);
    return found;
  };
  const interval = oneOf('interval', INTERVALS, 'charts.faultInterval') ?? usual;
  const check = oneOf('check', CHECKS, 'charts.faultChoice');
  const rating = oneOf('rating', RATINGS, 'charts.faultChoice');
  if (texts.organization.length > MAX_NAME) faults.organization = t('charts.faultName', { most: MAX_NAME });
  const to = until === null ? null : endOfDay(until);
  const last = to ?? endOfDay(startOf('DAY', now.getTime())); // of a day, so that a page stays the same for a day
  const since = from ?? startOf(interval, last, 1 - PERIODS[interval]);
  if (since > last) faults.from = t('charts.faultOrder');
  const starts = startsBetween(interval, since, last, MAX_PERIODS);
  if (starts.length > MAX_PERIODS) faults.interval = t('charts.faultPeriods', { most: MAX_PERIODS });
  const span = { from, to };
  const shown = { from: since, to: last };
  const filters = { texts, organization: texts.organization, span, interval, check, rating, starts, shown };
  return { filters, faults };
}

/** The address of a page with these filters. */
export const filtersHref = (path: string, texts: Partial<FilterTexts>): string =>
  hrefOf(
    path,
    FILTERS.map((name) => [name, texts[name] ?? ''] as const),
  );

/** The datasets of the filters, and of a further time of creation or change. */
export function conditionsOf(
  { organization, span }: Filters,
  { created = span, modified }: { created?: Span; modified?: Span } = {},
): DatasetConditions {
  return {
    ...(organization && { organizations: [organization] }),
    ...(created.from !== null && { createdFrom: iso(created.from) }),
    ...(created.to !== null && { createdTo: iso(created.to) }),
    ...(modified && modified.from !== null && { modifiedFrom: iso(modified.from) }),
    ...(modified && modified.to !== null && { modifiedTo: iso(modified.to) }),
  };
}

/** A time in Lucene syntax; null for any time. */
const rangeOf = (field: string, span: Span | undefined): string | null =>
  span === undefined || (span.from === null && span.to === null)
    ? null
    : `${field}:[${span.from === null ? '*' : iso(span.from)} TO ${span.to === null ? '*' : iso(span.to)}]`;

export interface SearchParts {
  readonly created?: Span;
  readonly modified?: Span;
  /** Further values by field, such as `res_format`. */
  readonly values?: readonly (readonly [field: string, value: string])[];
  /** Further conditions in Lucene syntax. */
  readonly queries?: readonly string[];
}

/** The search page of the datasets that a number counts. `facets`: fields that are parameters of the search page. */
export function searchAddress(
  { organization, span }: Filters,
  facets: readonly string[],
  { created = span, modified, values = [], queries = [] }: SearchParts,
): string {
  const all = [...(organization ? [['organization', organization] as const] : []), ...values];
  const isParameter = ([field]: readonly [string, string]) => facets.includes(field);
  const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;
  const parts = [
    ...queries,
    ...all.filter((one) => !isParameter(one)).map(([field, value]) => `${field}:${quoted(value)}`),
    ...[rangeOf('metadata_created', created), rangeOf('metadata_modified', modified)].filter((it) => it !== null),
  ];
  return hrefOf('/dataset', [['q', parts.join(' AND ')], ...all.filter(isParameter)]);
}
