/** Compares a record with the stored object, both as inputs of the same mutation. Pure. */
import { isDeepStrictEqual } from 'node:util';

type Fields = Readonly<Record<string, unknown>>;

/** Sort keys of input lists whose order has no meaning. */
const SORTED: Readonly<Record<string, string>> = {
  tags: 'name',
  extras: 'key',
  groups: 'databaseId',
  users: 'name',
  parents: 'name',
};

/** Texts that default to empty. */
const FILLED = new Set(['description', 'hash']);

/**
 * True when `present` contains everything in `wanted`. Keys missing in `wanted` are ignored, except custom keys of a resource, which are
 * replaced as a whole.
 */
export function isStored(wanted: Fields, present: Fields): boolean {
  return Object.entries(wanted).every(([key, value]) => value === undefined || isValueStored(key, value, present[key]));
}

function isValueStored(key: string, wanted: unknown, present: unknown): boolean {
  if (Array.isArray(wanted) && Array.isArray(present)) {
    const [left, right] = [sorted(key, wanted), sorted(key, present)];
    return left.length === right.length && left.every((item, index) => isItemStored(item, right[index]));
  }
  const filled = FILLED.has(key) ? '' : null;
  return isDeepStrictEqual(wanted ?? filled, present ?? filled);
}

function isItemStored(wanted: unknown, present: unknown): boolean {
  if (!isFields(wanted) || !isFields(present)) return isDeepStrictEqual(wanted, present);
  return isDeepStrictEqual(wanted.extras ?? {}, present.extras ?? {}) && isStored(wanted, present);
}

function sorted(key: string, items: readonly unknown[]): readonly unknown[] {
  const by = SORTED[key];
  const keyOf = (item: unknown): string => (by && isFields(item) ? String(item[by]) : '');
  return by ? [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0)) : items;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
