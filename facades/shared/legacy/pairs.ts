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
 * The extras of a dictionary: an object of values, or the Action API's list of pairs. Undefined when left out; null values stay.
 * @throws CatalogError VALIDATION
 */
export function pairsOf({ extras }: Raw): Pair[] | undefined {
  if (extras == null) return undefined;
  if (Array.isArray(extras) && extras.every(isDictionary))
    return extras.map(({ key, value, deleted }) => ({ key: asText(key ?? ''), value: deleted ? null : text(value) }));
  if (isDictionary(extras)) return Object.entries(extras).map(([key, value]) => ({ key, value: text(value) }));
  throw invalid([{ path: ['extras'], message: 'Must be an object of keys and values' }]);
}

const isDictionary = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string | null => (value == null ? null : asText(value));
