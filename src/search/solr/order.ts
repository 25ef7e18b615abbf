/** Writes sort keys in Solr's syntax: a stable order, and the filter for hits after a cursor. */

import { invalidCursor } from '../../kernel/connection.ts';
import { quoted } from '../../kernel/text.ts';
import type { WishedPage } from '../engine.ts';
import type { SortKey } from '../query/sort.ts';
import { type SolrField, solrField } from './names.ts';
import { bool, inField, none, not, type Writing } from './writing.ts';

/** A key that Solr sorts by and returns. */
export interface Key {
  readonly by: string;
  readonly descending: boolean;
  readonly type: SolrField['type'] | 'score';
}

const NUMBER: Key = { by: 'number', descending: false, type: 'int' };

/** The last key is the dataset's number, which keeps ties stable. */
export function keysOf(sort: readonly SortKey[], scoreOf: () => string | null, writing: Writing): Key[] {
  const keys = sort.flatMap(({ by, descending }): Key[] => {
    if (by === 'score') {
      const score = scoreOf();
      return score === null ? [] : [{ by: writing.params.bind(score), descending, type: 'score' }];
    }
    const field = by.kind === 'constant' ? null : solrField(by, writing.vocabularies);
    return field === null ? [] : [{ by: field.name, descending, type: field.type }];
  });
  return [...keys, NUMBER];
}

export const sortText = (keys: readonly Key[]): string =>
  keys.map(({ by, descending }) => `${by} ${descending ? 'desc' : 'asc'}`).join(',');

/** Fields to request so that each hit includes its keys. */
export const keyFields = (keys: readonly Key[]): string[] => keys.map(({ by }, index) => `k${index}:${by}`);

/** A key as stored in a cursor: `=` and the value, or nothing when the dataset has none. */
export const keyOut = (value: unknown): string => (value === undefined || value === null ? '' : `=${value}`);

const FORMS: Readonly<Record<Key['type'], RegExp>> = {
  text: /^(=.*)?$/s,
  int: /^=-?\d{1,9}$/,
  instant: /^=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/,
  score: /^=-?\d{1,17}(\.\d{1,20})?(E-?\d{1,2}|e[+-]?\d{1,2})?$/,
};

const isPosition = (value: string, { type }: Key): boolean =>
  FORMS[type].test(value) && (type !== 'instant' || !Number.isNaN(Date.parse(value.slice(1))));

/** Filter for hits after the position of these values. @throws CatalogError VALIDATION for values that are not a position in this order */
export function afterQuery(keys: readonly Key[], { after, backward }: WishedPage, writing: Writing): string {
  if (after?.length !== keys.length || keys.some((key, index) => !isPosition(after[index]!, key)))
    throw invalidCursor({ backward });
  const steps = keys.flatMap((key, index) => {
    const later = laterQuery(key, after[index]!, writing);
    if (later === null) return [];
    const equal = keys.slice(0, index).map((before, position) => equalQuery(before, after[position]!, writing));
    return [bool('filter', [...equal, later], writing.params)];
  });
  return steps.length === 0 ? none(writing.params) : bool('should', steps, writing.params);
}

function equalQuery({ by, type }: Key, given: string, { params }: Writing): string {
  const value = given.slice(1);
  if (given === '') return not(inField(by, '[* TO *]', params), params);
  return type === 'score' ? `{!frange l=${value} u=${value} v=${by}}` : `{!term f=${by} v=${params.bind(value)}}`;
}

/** Datasets without a value come last in both directions. */
function laterQuery({ by, type, descending }: Key, given: string, { params }: Writing): string | null {
  if (given === '') return null;
  const value = given.slice(1);
  if (type === 'score') return `{!frange ${descending ? `u=${value} incu=false` : `l=${value} incl=false`} v=${by}}`;
  if (descending && value === '') return not(inField(by, '[* TO *]', params), params); // nothing precedes it
  const range = inField(by, descending ? `[* TO ${quoted(value)}}` : `{${quoted(value)} TO *]`, params);
  if (type !== 'text') return range;
  return bool('should', [range, not(inField(by, '[* TO *]', params), params)], params);
}
