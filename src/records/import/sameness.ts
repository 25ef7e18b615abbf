/** Compares a record with the stored object, both as inputs of the same mutation. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../kernel/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Sort keys of input lists whose order has no meaning. */
const SORTED: Readonly<Record<string, string>> = {
  tags: 'name',
  extras: 'key',
  groups: 'id',
  users: 'user',
  parents: 'parent',
};

/** Texts that default to empty. */
const FILLED = new Set(['description', 'hash']);

/**
 * True when `present` contains everything in `input`. Keys missing in `input` are ignored, except custom keys of a resource, which are
 * replaced as a whole.
 */
export function isStored(input: Fields, present: Fields): boolean {
  return Object.entries(input).every(([key, value]) => value === undefined || isValueStored(key, value, present[key]));
}

function isValueStored(key: string, input: unknown, present: unknown): boolean {
  if (Array.isArray(input) && Array.isArray(present)) {
    const [left, right] = [sorted(key, input), sorted(key, present)];
    return left.length === right.length && left.every((item, index) => isItemStored(item, right[index]));
  }
  const filled = FILLED.has(key) ? '' : null;
  return isDeepStrictEqual(input ?? filled, present ?? filled);
}

function isItemStored(input: unknown, present: unknown): boolean {
  if (!isObject(input) || !isObject(present)) return isDeepStrictEqual(input, present);
  return isDeepStrictEqual(input.extras ?? {}, present.extras ?? {}) && isStored(input, present);
}

function sorted(key: string, items: readonly unknown[]): readonly unknown[] {
  const by = SORTED[key];
  const keyOf = (item: unknown): string => (by && isObject(item) ? String(item[by]) : '');
  return by ? [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0)) : items;
}
