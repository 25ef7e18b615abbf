/** What legacy dictionaries do with null, and with extras: pairs in the graph, an object on the wire. */
import { invalid } from '../../../src/kernel/errors.ts';
import { asText, type Raw } from '../wire/readers.ts';

export interface Pair {
  readonly key: string;
  readonly value: string | null;
}

/** A dictionary without what is null: in legacy dictionaries that counts as left out, as recorded. */
export const withoutNulls = (raw: Raw): Raw =>
  Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));

/** Pairs as one object. */
export const dictionaryOf = (pairs: readonly Pair[]): Record<string, string | null> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value]));

/**
 * The extras of a dictionary: by the contract an object of values. Of a list, each item is a pair of a key and a value, and an object's
 * pair are its own two keys, as recorded: it is not the Action API's list. Undefined when left out; null values stay.
 * @throws CatalogError VALIDATION
 */
export function pairsOf({ extras }: Raw): Pair[] | undefined {
  if (extras == null) return undefined;
  const pairs = Array.isArray(extras)
    ? extras.map((item) => (isDictionary(item) ? Object.keys(item).sort() : item))
    : [];
  if (Array.isArray(extras) && pairs.every(isPair))
    return pairs.map(([key, value]) => ({ key: asText(key), value: text(value) }));
  if (isDictionary(extras)) return Object.entries(extras).map(([key, value]) => ({ key, value: text(value) }));
  throw invalid([{ path: ['extras'], message: 'Must be an object of keys and values' }]);
}

const isDictionary = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPair = (item: unknown): item is [unknown, unknown] => Array.isArray(item) && item.length === 2;

const text = (value: unknown): string | null => (value == null ? null : asText(value));
