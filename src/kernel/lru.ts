/** A map that forgets what was not used for longest. `most` bounds the sum of the entries' weights. */
export interface Lru<Value> {
  get(key: string): Value | undefined;
  /** Puts in or replaces; something heavier than `most` is not kept. */
  set(key: string, value: Value, weight?: number): void;
  readonly size: number;
}

export function createLru<Value>(most: number): Lru<Value> {
  const entries = new Map<string, { value: Value; weight: number }>();
  let total = 0;

  function drop(key: string): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get size() {
      return entries.size;
    },
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight = 1) {
      drop(key);
      if (weight > most) return;
      entries.set(key, { value, weight });
      total += weight;
      while (total > most) drop(entries.keys().next().value as string);
    },
  };
}
