/** Cursor connections by keyset pagination: a cursor holds the sort key of its item, so page 1,000 costs as much as page 1. */
import { CatalogError, invalidField } from './errors.ts';
import { checkText } from './text.ts';

export interface PageArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}

/** The request for one page: `limit` items after the key. Stores read one more row, to detect a next page. */
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
  /** Counted only on request. */
  readonly totalCount: () => Promise<number>;
}

/** Types of a cursor's values, in order; numbers are integers. */
export type KeyShape = readonly ('string' | 'number')[];

/**
 * `first` (20 by default, at most `max`) and `after` as a keyset of that shape. @throws CatalogError VALIDATION for an
 * invalid cursor, LIMIT above `max`.
 */
export function keyset({ first, after }: PageArgs, shape: KeyShape, max: number): Keyset {
  const limit = bounded('first', first ?? Math.min(20, max), max);
  return { limit, after: after == null ? null : decode(after, shape) };
}

/**
 * A limit (default and maximum `max`) and an offset, for lists with offset pagination. @throws CatalogError VALIDATION
 * for negative numbers, LIMIT above `max`.
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

/** A connection of the rows that a store returned for `page` (up to limit + 1, in order). */
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
  // Lazy, because many requests use neither edges nor cursors.
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

/** Runs `work` once for any number of calls. */
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
    checkText(key); // a forged cursor must be storable text, as every other input
    const fits = (kind: KeyShape[number], part: unknown) =>
      kind === 'number' ? Number.isSafeInteger(part) : typeof part === 'string';
    if (Array.isArray(key) && key.length === shape.length && shape.every((kind, index) => fits(kind, key[index])))
      return key;
  } catch {
    /* assigned below */
  }
  throw invalidField('after', 'Not a valid cursor for this list');
}
