/** Cursor connections by keyset: a cursor holds the sort key of its item, so page 1,000 costs what page 1 costs. */
import { CatalogError, invalidField } from './errors.ts';
import { checkText } from './text.ts';

export interface PageArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}

/** What a store needs to read one page: `limit` items after the key; ask it for one more row to know whether there is a next page. */
export interface Keyset {
  readonly limit: number;
  readonly after: readonly (string | number)[] | null;
}

export interface Connection<Row> {
  readonly nodes: Row[];
  readonly edges: { cursor: string; node: Row }[];
  readonly pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  /** Counted only when asked for. */
  readonly totalCount: () => Promise<number>;
}

/** What the values of a cursor are, in order; numbers are whole. */
export type KeyShape = readonly ('string' | 'number')[];

/**
 * `first` (20 by default, at most `max`) and `after` as a keyset of values of that shape.
 * @throws CatalogError VALIDATION for a cursor that is not ours, LIMIT above `max`.
 */
export function keyset({ first, after }: PageArgs, shape: KeyShape, max: number): Keyset {
  const limit = bounded('first', first ?? Math.min(20, max), max);
  return { limit, after: after == null ? null : decode(after, shape) };
}

/**
 * A limit (at most `max`, which is the default too) and an offset, for lists that are paged by position.
 * @throws CatalogError VALIDATION for negative numbers, LIMIT above `max`.
 */
export function position(
  args: { limit?: number | null; offset?: number | null },
  max: number,
): { limit: number; offset: number } {
  return {
    limit: bounded('limit', args.limit ?? max, max),
    offset: bounded('offset', args.offset ?? 0, Number.MAX_SAFE_INTEGER),
  };
}

function bounded(field: string, value: number, max: number): number {
  if (value < 0) throw invalidField(field, 'Must be a natural number');
  if (value > max)
    throw new CatalogError('LIMIT', `${field}: at most ${max} (catalog.limits.rows)`, [
      { path: [field], message: `At most ${max} (catalog.limits.rows)` },
    ]);
  return value;
}

/** A connection of the rows a store gave for `page` (up to limit + 1 of them, in order). */
export function connection<Row>(
  rows: readonly Row[],
  page: Keyset,
  keyOf: (row: Row) => readonly (string | number)[],
  totalCount: () => Promise<number>,
): Connection<Row> {
  const nodes = rows.slice(0, page.limit);
  const cursorAt = (index: number) => {
    const node = nodes.at(index);
    return node === undefined ? null : cursorOf(keyOf(node));
  };
  // Many want neither edges nor cursors.
  return {
    nodes,
    get edges() {
      return nodes.map((node) => ({ cursor: cursorOf(keyOf(node)), node }));
    },
    pageInfo: {
      hasNextPage: rows.length > page.limit,
      hasPreviousPage: page.after !== null,
      get startCursor() {
        return cursorAt(0);
      },
      get endCursor() {
        return cursorAt(-1);
      },
    },
    totalCount: once(totalCount),
  };
}

/** However often it is asked for. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}

/** Resolvers of a connection type. */
export const connectionResolvers = { totalCount: (found: { totalCount: () => Promise<number> }) => found.totalCount() };

/** The cursor of an item with this sort key. */
export const cursorOf = (key: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

function decode(cursor: string, shape: KeyShape): (string | number)[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    checkText(key); // what a client makes up must be storable text like any other input
    const fits = (kind: KeyShape[number], part: unknown) =>
      kind === 'number' ? Number.isSafeInteger(part) : typeof part === 'string';
    if (Array.isArray(key) && key.length === shape.length && shape.every((kind, index) => fits(kind, key[index])))
      return key;
  } catch {
    /* answered below */
  }
  throw invalidField('after', 'Not a valid cursor for this list');
}
