/** Interface of search engines. Engines execute the same plans and return ids; documents are read from the catalog. */
import type { Reader } from '../catalog/document/readable.ts';
import type { DocumentRow } from '../catalog/document/record.ts';
import type { Sql, Timeout } from '../infra/postgres/db.ts';
import type { Period } from './query/dates.ts';
import type { ExactField } from './query/fields.ts';
import type { SearchPlan } from './query/search.ts';
import type { Stem } from './words/stemmers.ts';

/** Datasets visible to the caller. */
export interface Scope {
  /** Include drafts: the caller's own, or all of them for sysadmins. */
  readonly drafts: boolean;
  /** Include private datasets the caller may read. */
  readonly private: boolean;
  /** Values of readerOf (catalog/document/readable.ts). */
  readonly reader: Reader;
}

/** Whether the scope contains public datasets only. */
export const isPublic = ({ drafts, private: hidden }: Scope): boolean => !drafts && !hidden;

/** A plan plus the parts of the call that an engine needs. */
export interface Search {
  readonly plan: SearchPlan;
  readonly scope: Scope;
  readonly stem: Stem;
  readonly siteId: string;
  /** Time limit for the engine. */
  readonly timeout: Timeout;
}

/** A facet to count. */
export interface FacetWish {
  readonly field: ExactField;
  /** For a field of instants: its periods in UTC are counted. Their values are first days, such as 2026-01-01. */
  readonly period?: Period;
  /** Maximum number of values; null means all. */
  readonly limit: number | null;
  /** Minimum number of datasets per value; 0 includes values of other public datasets. */
  readonly least: number;
  /** Most frequent first, ties by value; or by value. By count if omitted. */
  readonly order?: 'count' | 'value';
  readonly isReversed?: boolean;
  /** Text in the values, ignoring case. */
  readonly contains?: string;
  /** The last value of the page before, in this order. */
  readonly after?: { readonly value: string; readonly count: number };
}

/** `after` is the key of the dataset before the page, in reading order: the opposite order if the page is read backwards. */
export interface WishedPage {
  readonly limit: number;
  readonly offset: number;
  readonly after: readonly string[] | null;
  readonly backward?: boolean;
}

/** The parts of a result to return. */
export interface Wish {
  /** Null: no datasets. */
  readonly page: WishedPage | null;
  readonly count: boolean;
  readonly facets: readonly FacetWish[];
}

/** A dataset on a page, and its keys: its position in the order. */
export interface Hit {
  readonly id: string;
  readonly keys: string[];
  /** Its document, when the engine has read it anyway. */
  readonly row?: DocumentRow;
}

/** A value and its number of datasets. */
export interface FacetCount {
  readonly value: string;
  readonly count: number;
  /** Title of a group or organization, when the engine has read it anyway. */
  readonly title?: string | undefined;
}

/** A page of a facet's values. */
export interface FacetPage {
  readonly values: FacetCount[];
  /** Number of values on all pages. */
  readonly total: number;
}

export interface Hits {
  readonly page: readonly Hit[];
  /** 0 when not requested. */
  readonly count: number;
  /** Values per requested facet, in the requested order. */
  readonly facets: readonly FacetPage[];
}

export interface Engine {
  /**
   * Finds and counts datasets within the scope only.
   * @throws CatalogError SEARCH for unsupported queries, LIMIT on timeout, UNAVAILABLE when the engine does not respond
   */
  find(sql: Sql, search: Search, wish: Wish): Promise<Hits>;
}
