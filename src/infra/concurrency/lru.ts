/** LRU cache. `max` bounds the sum of the entries' weights. */
export interface Lru<Value> {
  get(key: string): Value | undefined;
  /** Adds or replaces an entry; an entry heavier than `max` is not stored. */
  set(key: string, value: Value, weight?: number): void;
  delete(key: string): void;
  readonly size: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** Look-ups in the caches of a name. */
export interface CacheCounts {
  hits: number;
  misses: number;
}

const countsByName = new Map<string, CacheCounts>();

/** Look-ups of this process by the name of the cache. */
export const cacheCounts = (): ReadonlyMap<string, CacheCounts> => countsByName;

function countsOf(name: string | undefined): CacheCounts {
  const counts = (name !== undefined && countsByName.get(name)) || { hits: 0, misses: 0 };
  if (name !== undefined) countsByName.set(name, counts);
  return counts;
}

/** `name`: counts its look-ups under this name. */
export function createLru<Value>(max: number, name?: string): Lru<Value> {
  const counts = countsOf(name);
  const entries = new Map<string, Entry<Value>>();
  let total = 0;
  /** The most recent entry: repeated reads of it skip the reordering. */
  let last: Entry<Value> | undefined;

  function drop(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    if (entry === last) last = undefined;
    total -= entry.weight;
    entries.delete(key);
  }

  return {
    get size() {
      return entries.size;
    },
    get(key) {
      const entry = entries.get(key);
      if (!entry) {
        counts.misses += 1;
        return undefined;
      }
      counts.hits += 1;
      if (entry === last) return entry.value;
      entries.delete(key);
      entries.set(key, entry);
      last = entry;
      return entry.value;
    },
    set(key, value, weight = 1) {
      drop(key);
      if (weight > max) return;
      last = { value, weight };
      entries.set(key, last);
      total += weight;
      while (total > max) drop(entries.keys().next().value as string);
    },
    delete: drop,
  };
}
