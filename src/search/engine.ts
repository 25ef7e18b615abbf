/** What a search engine is asked, and what it answers. Engines carry out the same plans, and know ids: documents are read from the catalog. */
import type { DocumentRow } from '../catalog/document/record.ts';
import type { Sql, Timeout } from '../infra/postgres/db.ts';
import type { ExactField } from './query/fields.ts';
import type { SearchPlan } from './query/search.ts';
import type { Stem } from './words/stemmers.ts';

/** Which datasets there are for the caller. */
export interface Scope {
  /** Drafts: the caller's own, all of them for sysadmins. */
  readonly drafts: boolean;
  /** Private ones that the caller may read. */
  readonly private: boolean;
  /** Values of readerOf (catalog/document/readable.ts). */
  readonly reader: readonly [boolean, string | null, string[], string[]];
}

/** Whether there is nothing for the caller but what everybody may see. */
export const isPublic = ({ drafts, private: hidden }: Scope): boolean => !drafts && !hidden;

/** A plan with what an engine must know of the call. */
export interface Search {
  readonly plan: SearchPlan;
  readonly scope: Scope;
  readonly stem: Stem;
  readonly siteId: string;
  /** How long the engine may take. */
  readonly timeout: Timeout;
}

/** A facet to count. */
export interface FacetWish {
  readonly field: ExactField;
  /** Values at most; null is all. */
  readonly limit: number | null;
  /** Datasets that a value must have; 0 gives values of other public datasets too. */
  readonly least: number;
}

/** What to read of what a plan finds. */
export interface Wish {
  /** Null: no datasets. `after` are the keys of the dataset before the page. */
  readonly page: { readonly limit: number; readonly offset: number; readonly after: readonly string[] | null } | null;
  readonly count: boolean;
  readonly facets: readonly FacetWish[];
}

/** A dataset on a page, and its keys: its place in the order. */
export interface Hit {
  readonly id: string;
  readonly keys: string[];
  /** Its document, where the engine has read it in passing. */
  readonly row?: DocumentRow;
}

/** A value and how many datasets have it. */
export interface FacetCount {
  readonly value: string;
  readonly count: number;
  /** What a group or organization is called, where the engine has read it in passing. */
  readonly title?: string | undefined;
}

export interface Hits {
  readonly page: readonly Hit[];
  /** 0 where it was not asked for. */
  readonly count: number;
  /** For each facet asked for, its values, the most frequent first, equals by value. */
  readonly facets: FacetCount[][];
}

export interface Engine {
  /** Finds, counts only what the scope shows. @throws CatalogError SEARCH for what it cannot do, LIMIT for what takes too long, UNAVAILABLE where it does not answer */
  find(sql: Sql, search: Search, wish: Wish): Promise<Hits>;
}
