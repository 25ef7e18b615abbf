/** Bound values of a statement assembled from fragments. Input of callers is always bound, never SQL text. */
export class Values {
  readonly list: unknown[] = [];

  /** Adds a value and returns its placeholder. */
  bind(value: unknown, type = ''): string {
    this.list.push(value);
    return `$${this.list.length}${type && `::${type}`}`;
  }
}

/**
 * Maximum named statements. Searches of one form differ only in values, so PostgreSQL plans repeated texts once. More plans would fill
 * its memory.
 */
const MAX_NAMES = 100;
const MAX_NAMED_LENGTH = 5_000;
/** Number of uses after which a text gets a name. */
const OFTEN = 3;
const MAX_COUNTED = 1_000;
const names = new Map<string, string>();
const counts = new Map<string, number>();

/** The statement's name for a frequent text. Empty for other texts. */
export function named(text: string): { name?: string } {
  const known = names.get(text);
  if (known !== undefined) return { name: known };
  if (names.size >= MAX_NAMES || text.length > MAX_NAMED_LENGTH) return {};
  const count = (counts.get(text) ?? 0) + 1;
  counts.delete(text); // repeated texts move to the end, so that the oldest is removed first
  if (count < OFTEN) {
    counts.set(text, count);
    if (counts.size > MAX_COUNTED) counts.delete(counts.keys().next().value as string);
    return {};
  }
  const name = `search_found_${names.size}`;
  names.set(text, name);
  return { name };
}
