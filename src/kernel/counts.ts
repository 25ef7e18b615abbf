/** Counts items per key. Keys without items take no memory. */
export interface Counts {
  of(key: string): number;
  add(key: string): void;
  remove(key: string): void;
}

export function createCounts(): Counts {
  const counts = new Map<string, number>();
  const of = (key: string) => counts.get(key) ?? 0;
  return {
    of,
    add: (key) => void counts.set(key, of(key) + 1),
    remove(key) {
      const left = of(key) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
  };
}
