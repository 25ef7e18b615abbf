/** Null values and extras of legacy dictionaries: pairs in the graph, an object on the wire. */
import { invalidField } from '../../../src/kernel/errors.ts';
import { isObject } from '../../../src/kernel/json.ts';
import { asText, type Raw } from '../../../src/records/form/readers.ts';

export interface Pair {
  readonly key: string;
  readonly value: string | null;
}

/** A dictionary without null values, which count as omitted by the contract. */
export const withoutNulls = (raw: Raw): Raw =>
  Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));

/** Pairs as one object. */
export const dictionaryOf = (pairs: readonly Pair[]): Record<string, string | null> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value]));

/**
 * Extras of a dictionary. The contract's form is an object; a list of key-value pairs is accepted too. Refuses the Action API's list of
 * `{key, value}`, because extras called `key` are never meant. Undefined when omitted; keeps null values.
 * @throws CatalogError VALIDATION
 */
export function pairsOf({ extras }: Raw): Pair[] | undefined {
  if (extras == null) return undefined;
  if (isObject(extras)) return Object.entries(extras).map(([key, value]) => ({ key, value: text(value) }));
  if (!Array.isArray(extras) || !extras.every(isPair)) throw wrong('Must be an object of keys and values');
  const pairs = extras.map(([key, value]) => ({ key: asText(key), value: text(value) }));
  const twice = pairs.find(({ key }, index) => pairs.findIndex((other) => other.key === key) !== index);
  if (twice) throw wrong(`"${twice.key}" has more than one value`);
  return pairs;
}

/**
 * Extras of a new dataset. By the contract, a list of one object is one pair: the object's two keys. Of several such objects all but
 * one would be lost, so they are refused.
 * @throws CatalogError VALIDATION
 */
export function pairsOfNew({ extras }: Raw): Pair[] | undefined {
  const [only, ...more] = Array.isArray(extras) ? extras : [];
  return pairsOf({ extras: isObject(only) && more.length === 0 ? [Object.keys(only).sort()] : extras });
}

const wrong = (message: string) => invalidField('extras', message);

const isPair = (item: unknown): item is [unknown, unknown] => Array.isArray(item) && item.length === 2;

const text = (value: unknown): string | null => (value == null ? null : asText(value));
