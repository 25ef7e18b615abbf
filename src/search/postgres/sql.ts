/** A statement put together from fragments; what depends on the caller is always a bound value. */
export class Values {
  readonly list: unknown[] = [];

  /** A place for the value. */
  bind(value: unknown, type = ''): string {
    this.list.push(value);
    return `$${this.list.length}${type && `::${type}`}`;
  }
}

/** The usual forms of searches differ in values alone: those that come again are planned once. More would fill the server with plans. */
const MAX_NAMES = 100;
const MAX_NAMED_LENGTH = 5_000;
/** Times that a text must have come. */
const OFTEN = 3;
const MAX_COUNTED = 1_000;
const names = new Map<string, string>();
const counts = new Map<string, number>();

/** A name for a text that has come often, as a statement has it. */
export function named(text: string): { name?: string } {
  const known = names.get(text);
  if (known !== undefined) return { name: known };
  if (names.size >= MAX_NAMES || text.length > MAX_NAMED_LENGTH) return {};
  const count = (counts.get(text) ?? 0) + 1;
  counts.delete(text); // what comes again goes behind what does not
  if (count < OFTEN) {
    counts.set(text, count);
    if (counts.size > MAX_COUNTED) counts.delete(counts.keys().next().value as string);
    return {};
  }
  const name = `search_found_${names.size}`;
  names.set(text, name);
  return { name };
}
