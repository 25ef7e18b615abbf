/** Counter of uses, as facades see it: they report what they served, and src/usage decides what counts. */

/** Kinds of uses, with their numbers in the database. */
export const USE = { view: 1, download: 2, read: 3, search: 4, emptySearch: 5 } as const;
/** Days of the recent numbers, with today. */
export const RECENT_DAYS = 14;
export type UseKind = keyof typeof USE;

/** A served object, or a search. */
export interface Use {
  readonly kind: 'view' | 'download' | 'read';
  readonly of: 'dataset' | 'resource';
  /** Id of the dataset or resource. */
  readonly id: string;
}

/** A search for datasets. */
export interface SearchUse {
  readonly kind: 'search';
  readonly words: string;
  /** Whether it found no dataset, with its words alone. */
  readonly isEmpty: boolean;
}

export interface UsageCounter {
  /**
   * Counts a use, unless the caller is a robot or repeats it. Never throws and never waits. The caller stays in the memory
   * of the process, for at most a minute. `agent`: User-Agent of the request.
   */
  count(use: Use | SearchUse, userId: string | null, address: string, agent: string): void;
}

interface Noting {
  readonly request: { readonly uses?: (Use | SearchUse)[] };
}

/** Maximum uses of one request. */
const MAX_USES = 100;

/** Notes an object that an operation of a client looked up, for its facade. Returns the object. */
export function noted<Found extends { readonly id: string } | null>(
  { request: { uses } }: Noting,
  of: Use['of'],
  found: Promise<Found>,
): Promise<Found> {
  if (!uses) return found;
  return found.then((it) => {
    if (it && uses.length < MAX_USES) uses.push({ kind: 'read', of, id: it.id });
    return it;
  });
}

/** Notes a use in the same way. */
export function noteUse({ request: { uses } }: Noting, use: Use | SearchUse | null): void {
  if (uses && use && uses.length < MAX_USES) uses.push(use);
}

/** A search for words; null for a list of all datasets. `filters`: whether other conditions may be why it found nothing. */
export function searchUse(words: string | null | undefined, count: number, filters: boolean): SearchUse | null {
  const text = words?.trim() ?? '';
  return text === '' || text === '*:*' ? null : { kind: 'search', words: text, isEmpty: count === 0 && !filters };
}
