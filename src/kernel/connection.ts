/** Cursor connections by keyset pagination: a cursor holds the sort key of its item, so page 1,000 costs as much as page 1. */
import { type CatalogError, invalidField, limitAt } from './errors.ts';
import { checkText } from './text.ts';

/** Forward: `first` items after a cursor. Backward: the `last` items before a cursor. */
export interface PageArgs {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/** The values that sort an item in its list. */
export type Key = readonly (string | number)[];

/**
 * The request for one page: `limit` items from a key (exclusive) on, or (null) from the list's start. A backward page is
 * read in reverse order, from the list's end. Stores return one more row than the limit, in reading order.
 */
export interface Keyset {
  readonly limit: number;
  readonly backward: boolean;
  readonly from: Key | null;
  /** Sort order of the list, in its cursors; null for a list with one order. */
  readonly order: string | null;
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
 * `first` and `after`, or `last` and `before`, as a keyset of that shape. 20 items by default, at most `max`. @throws
 * CatalogError VALIDATION for an invalid cursor, one of another order, or both directions; LIMIT above `max`.
 */
export function keyset(args: PageArgs, shape: KeyShape, max: number, order: string | null = null): Keyset {
  const backward = args.last != null || args.before != null;
  if (backward && (args.first != null || args.after != null))
    throw invalidField(
      args.last == null ? 'before' : 'last',
      'Cannot be combined with `first` or `after`: they page forward, `last` and `before` page backward',
    );
  const [size, cursor] = backward ? (['last', 'before'] as const) : (['first', 'after'] as const);
  const limit = bounded(size, args[size] ?? Math.min(20, max), max);
  const at = args[cursor];
  return { limit, backward, from: at == null ? null : decode(cursor, at, shape, order), order };
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
  if (value > max) throw limitAt(field, `Must be at most ${max} (got ${value}; catalog.limits.rows)`);
  return value;
}

/** A connection of the rows that a store returned for `page` (up to limit + 1, in reading order). */
export function connection<Row>(
  rows: readonly Row[],
  page: Keyset,
  keyOf: (row: Row) => Key,
  totalCount: () => Promise<number>,
): Connection<Row> {
  const { limit, backward, from, order } = page;
  const read = rows.slice(0, limit);
  const nodes = backward ? read.reverse() : read;
  const isMore = rows.length > limit;
  const cursorFor = (row: Row) => cursorOf(order === null ? keyOf(row) : [order, ...keyOf(row)]);
  const cursors: (string | undefined)[] = [];
  const cursorAt = (index: number) => {
    const node = nodes[index];
    return node === undefined ? null : (cursors[index] ??= cursorFor(node));
  };
  // Lazy, because many requests use neither edges nor cursors. Each cursor is made once, however many aliases return it.
  return {
    nodes,
    get edges() {
      return nodes.map((node, index) => ({ cursor: cursorAt(index)!, node }));
    },
    pageInfo: {
      hasNextPage: backward ? from !== null : isMore,
      hasPreviousPage: backward ? isMore : from !== null,
      get startCursor() {
        return cursorAt(0);
      },
      get endCursor() {
        return cursorAt(nodes.length - 1);
      },
    },
    totalCount: once(totalCount),
  };
}

/** The same page with other nodes. */
export function withNodes<Row, Node>(found: Connection<Row>, nodeOf: (row: Row) => Node): Connection<Node> {
  const nodes = found.nodes.map(nodeOf);
  return {
    nodes,
    get edges() {
      return found.edges.map(({ cursor }, index) => ({ cursor, node: nodes[index]! }));
    },
    pageInfo: found.pageInfo,
    totalCount: found.totalCount,
  };
}

/** Runs `work` once for any number of calls. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= work());
}

/** Resolvers of a connection type. */
export const connectionResolvers = { totalCount: (found: { totalCount: () => Promise<number> }) => found.totalCount() };

/** The cursor of an item with this sort key. */
export const cursorOf = (key: Key): string => Buffer.from(JSON.stringify(key)).toString('base64url');

/** Error for a cursor that does not belong to this kind of list. `argument`: `after` or `before`. */
const foreignCursor = (argument: string, of: 'list' | 'order' | 'search'): CatalogError =>
  invalidField(argument, `Not a valid cursor for this ${of}. Start again without it`);

/** The same for a page. */
export const invalidCursor = (
  { backward }: { readonly backward?: boolean | undefined },
  of: 'list' | 'order' | 'search' = 'list',
): CatalogError => foreignCursor(backward ? 'before' : 'after', of);

/** @throws CatalogError VALIDATION, naming the argument */
function decode(argument: string, cursor: string, shape: KeyShape, order: string | null): Key {
  const key = readKey(cursor);
  const fits = (kind: KeyShape[number], part: unknown) =>
    kind === 'number' ? Number.isSafeInteger(part) : typeof part === 'string';
  const [own, ...rest] = order === null ? [null, ...key] : key;
  if (own === order && rest.length === shape.length && shape.every((kind, index) => fits(kind, rest[index])))
    return rest as Key;
  const isOfOther = typeof own === 'string' && own !== order;
  throw foreignCursor(argument, isOfOther ? 'order' : 'list');
}

/** The parts of a cursor; empty for any other text. */
function readKey(cursor: string): unknown[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    checkText(key); // a forged cursor must be storable text, as every other input
    return Array.isArray(key) ? key : [];
  } catch {
    return [];
  }
}
