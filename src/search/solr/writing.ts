/** Context for writing a plan for Solr. Caller input goes into parameters, never into the text of a query. */
import type { Match } from '../query/plan.ts';
import type { Stem } from '../words/stemmers.ts';

/** Parameters of one request: queries and values that other queries refer to. */
export class Params {
  readonly all: Record<string, string> = {};
  readonly #known = new Map<string, string>();

  /** Name of the parameter that holds the text, with a `$` prefix. */
  bind(text: string): string {
    let name = this.#known.get(text);
    if (name === undefined) {
      name = `p${this.#known.size}`;
      this.#known.set(text, name);
      this.all[name] = text;
    }
    return `$${name}`;
  }
}

export interface Writing {
  readonly params: Params;
  readonly stem: Stem;
  readonly siteId: string;
  /** Names of vocabularies → fields of search_value. */
  readonly vocabularies: ReadonlyMap<string, string>;
  /** Index words found by lookups, by `lookupKey`. */
  readonly lookups: ReadonlyMap<string, readonly string[]>;
  /** Queries already written per match, shared by conditions and scores. */
  readonly matches: Map<Match, string | null>;
}

export const ALL = '*:*';
export const none = (params: Params): string => `{!bool must_not=${params.bind(ALL)}}`;

/** Combines several queries. */
export function bool(occur: 'filter' | 'must' | 'should', queries: readonly string[], params: Params): string {
  if (queries.length === 1) return queries[0]!;
  return `{!bool ${queries.map((query) => `${occur}=${params.bind(query)}`).join(' ')}}`;
}

export const not = (query: string, params: Params): string =>
  `{!bool filter=${params.bind(ALL)} must_not=${params.bind(query)}}`;

/** Text in which Solr's parser reads every character literally. */
export const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}\p{M}]/gu, '\\$&');

/** A query in Solr's own syntax on one field. */
export const inField = (field: string, text: string, params: Params): string =>
  `{!lucene df=${field} v=${params.bind(text)}}`;
