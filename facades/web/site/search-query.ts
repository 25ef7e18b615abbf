/** Parameters of the search pages: URL → search input, and URLs of related searches. The names are those of CKAN. */

import type { DatasetSearchInput } from '../../../src/generated/operations.ts';
import { quoted } from '../../../src/kernel/text.ts';

export interface SearchQuery {
  readonly q: string;
  /** Empty: best match first. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
  /** Datasets of a page. */
  readonly size: number;
  /** Selected values by facet field, in the order of selection. */
  readonly filters: ReadonlyMap<string, readonly string[]>;
  /** Fields whose facets are expanded. */
  readonly expanded: ReadonlySet<string>;
}

const PAGE_SIZE = 20;
/** Values of a facet: shown first, and when expanded. */
export const FACET_VALUES = { short: 10, long: 500 } as const;
/** Limits of one URL; further values are ignored. */
const MAX_VALUES = 50;
const MAX_PAGE = 100_000;

type Query = Readonly<Record<string, unknown>>;

/** All texts of a parameter: it can be missing, single or repeated. */
export const texts = (value: unknown): string[] =>
  [value].flat().filter((text): text is string => typeof text === 'string' && text !== '');

export const first = (value: unknown): string => texts(value)[0] ?? '';

/** The number of a page, from 1. Anything else is page 1. */
export function pageNumber(value: unknown): number {
  const page = Number(first(value));
  return Number.isInteger(page) && page > 1 ? Math.min(page, MAX_PAGE) : 1;
}

/**
 * Reads the query of a URL. Unknown and invalid parameters are ignored, because bookmarks of other portals have many. `rows`: the maximum
 * length of a list.
 */
export function readSearch(query: Query, facets: readonly string[], rows: number): SearchQuery {
  return {
    q: first(query.q).trim(),
    sort: first(query.sort),
    page: pageNumber(query.page),
    size: Math.min(PAGE_SIZE, rows),
    filters: new Map(
      facets.flatMap((field) => {
        const values = [...new Set(texts(query[field]))].slice(0, MAX_VALUES);
        return values.length > 0 ? [[field, values] as const] : [];
      }),
    ),
    expanded: new Set(facets.filter((field) => first(query[`_${field}_limit`]) === '0')),
  };
}

/** `fixed`: further conditions, such as the organization of the page. `signedIn`: private datasets are included. */
export function searchInput(
  { q, sort, page, size, filters, expanded }: SearchQuery,
  facets: readonly string[],
  fixed: readonly (readonly [string, string])[],
  signedIn: boolean,
): DatasetSearchInput {
  const chosen = [...filters].flatMap(([field, values]) => values.map((value) => [field, value] as const));
  return {
    query: q || null,
    filters: [...fixed, ...chosen].map(([field, value]) => `${field}:${quoted(value)}`),
    sort: sort || null,
    rows: size,
    start: (page - 1) * size,
    facetFields: [...facets],
    facetLimit: (expanded.size > 0 ? FACET_VALUES.long : FACET_VALUES.short) + 1,
    includePrivate: signedIn,
  };
}

const encoded = (text: string): string =>
  /^[\w*.-]*$/.test(text)
    ? text
    : encodeURIComponent(text.toWellFormed()).replace(/%20|[!'()~]/g, (sign) =>
        sign === '%20' ? '+' : `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
      );

/** The query of a URL, as URLSearchParams writes it. It takes a tenth of the time, and pages have a hundred of them. */
export const queryOf = (params: readonly (readonly [name: string, value: string])[]): string =>
  params.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');

/** A URL with the parameters that are not empty. */
export function hrefOf(path: string, params: readonly (readonly [name: string, value: string])[]): string {
  const query = queryOf(params.filter(([, value]) => value !== ''));
  return query ? `${path}?${query}` : path;
}

/** Value of the parameter `page` in a URL: empty for page 1. */
export const pageParam = (page: number): string => (page > 1 ? String(page) : '');

/** URL of a search. Omits defaults, so that a search has one URL. */
export const searchHref = (path: string, { q, sort, page, filters, expanded }: SearchQuery): string =>
  hrefOf(path, [
    ['q', q],
    ...[...filters].flatMap(([field, values]) => values.map((value) => [field, value] as const)),
    ['sort', sort],
    ...[...expanded].map((field) => [`_${field}_limit`, '0'] as const),
    ['page', pageParam(page)],
  ]);

/**
 * Canonical path of a search page: without the parameters that only change the view. Search engines must not list free searches and
 * combinations of filters, because they are endless.
 */
export function searchMeta(path: string, search: SearchQuery): { path: string; isHidden: boolean } {
  const chosen = [...search.filters.values()].flat().length;
  return {
    path: searchHref(path, { ...search, sort: '', expanded: new Set() }),
    isHidden: search.q !== '' || chosen > 1,
  };
}

/** The search with a value added, or removed if it is selected. Starts at page 1. */
export function toggled(search: SearchQuery, field: string, value: string): SearchQuery {
  const filters = new Map(search.filters);
  const old = filters.get(field) ?? [];
  const values = old.includes(value) ? old.filter((one) => one !== value) : [...old, value];
  if (values.length > 0) filters.set(field, values);
  else filters.delete(field);
  return { ...search, filters, page: 1 };
}
