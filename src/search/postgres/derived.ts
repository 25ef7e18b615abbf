/** Caches values computed from the columns of a database until these change. The charts of a page repeat a few conditions. Pure. */
import { createLru, type Lru } from '../../infra/concurrency/lru.ts';
import type { FacetColumns } from './columns.ts';

interface Derived {
  readonly sources: readonly object[];
  readonly value: unknown;
}

/** Maximum size of the values per database. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Overhead of a value and its key. */
const MIN_BYTES = 2_000;

const cached = new WeakMap<FacetColumns, { readonly version: number; readonly values: Lru<Derived> }>();

/**
 * The value of a key, computed once per version of the columns. `sources`: further objects that it is computed from. With others, it is
 * computed again. `bytesOf`: size of the value, without what it shares.
 */
export function derived<Value>(
  columns: FacetColumns,
  key: string,
  sources: readonly object[],
  compute: () => Value,
  bytesOf: (value: Value) => number,
): Value {
  const { version } = columns;
  let of = cached.get(columns);
  // Values of a former version would retain its arrays.
  if (of?.version !== version) cached.set(columns, (of = { version, values: createLru(MAX_BYTES) }));
  const before = of.values.get(key);
  if (before && sources.every((source, index) => source === before.sources[index])) return before.value as Value;
  const value = compute();
  of.values.set(key, { sources, value }, bytesOf(value) + key.length + MIN_BYTES);
  return value;
}
