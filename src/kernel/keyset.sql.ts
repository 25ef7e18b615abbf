/**
 * Writes order and start of a page of a list, from the list's sort keys, in both directions. In SQL because Prisma cannot sort by
 * expressions, and has no microseconds in a sort order.
 */
import type { KeyShape, Keyset } from './connection.ts';

/** An expression that sorts a list, never null. The last key of a list is unique. */
export interface SortKey {
  readonly sql: string;
  /** Type of its part of a cursor. An instant is in microseconds since 1970. */
  readonly type: 'text' | 'bigint' | 'float8' | 'instant';
  readonly descending?: boolean;
}

/** Characters of `startOf`. */
export const START_LENGTH = 250;

/**
 * The start of a text, by which lists are sorted: 250 characters. PostgreSQL refuses rows of an index over 2,704 bytes,
 * so a longer text could not be stored. Texts with the same start are sorted by the next key.
 */
export const startOf = (text: string): string => `left(${text}, ${START_LENGTH})`;

/** The whole list, in its order. */
export const WHOLE: Keyset = { limit: Number.MAX_SAFE_INTEGER - 1, backward: false, from: null, order: null };

type Direction = Pick<Keyset, 'backward'>;

const isDown = ({ descending = false }: SortKey, { backward }: Direction): boolean => descending !== backward;

/** The reading order of a page, for ORDER BY. */
export const orderOf = (keys: readonly SortKey[], page: Direction): string =>
  keys.map((key) => `${key.sql}${isDown(key, page) ? ' DESC' : ''}`).join(', ');

/** The instant of a parameter in microseconds since 1970: every integer that a cursor can hold is valid. */
export const instantOf = (parameter: string): string =>
  `(to_timestamp(0) + ${parameter}::bigint * interval '1 microsecond')`;

/** An instant in microseconds since 1970, as cursors hold it. */
export const microsOf = (instant: string): string => `((extract(epoch FROM ${instant}) * 1000000)::bigint)::float8`;

/** Whether a row comes after the page's key; the key's values are the parameters from `first` on. */
export function beyond(keys: readonly SortKey[], page: Keyset, first: number): string {
  if (page.from === null) return 'true';
  const values = keys.map(({ type }, index) =>
    type === 'instant' ? instantOf(`$${first + index}`) : `$${first + index}::${type}`,
  );
  const compare = (key: SortKey) => (isDown(key, page) ? '<' : '>');
  if (keys.every((key) => compare(key) === compare(keys[0]!)))
    return `(${keys.map(({ sql }) => sql).join(', ')}) ${compare(keys[0]!)} (${values.join(', ')})`;
  const after = (index: number): string => {
    const key = keys[index]!;
    const [sql, operator, value] = [key.sql, compare(key), values[index]!];
    if (index === keys.length - 1) return `${sql} ${operator} ${value}`;
    // The first condition lets an index scan start at the position.
    return `${sql} ${operator}= ${value} AND (${sql} ${operator} ${value} OR (${after(index + 1)}))`;
  };
  return `(${after(0)})`;
}

/** Names a statement for the form of a page: its text depends on direction and start. */
export const formOf = ({ from, backward }: Keyset): string =>
  `${from === null ? 'first' : 'after'}${backward ? '_back' : ''}`;

/** A row's key as a column, for cursors. */
export const keyColumn = (keys: readonly SortKey[]): string =>
  `json_build_array(${keys.map(({ sql, type }) => (type === 'instant' ? microsOf(sql) : sql)).join(', ')}) AS key`;

/** The same as a column for each part, which costs less to write and to read: key0, key1 and so on. */
export const keyColumns = (keys: readonly SortKey[]): string =>
  keys.map(({ sql, type }, n) => `${type === 'instant' ? microsOf(sql) : sql} AS key${n}`).join(', ');

/** The reading order of rows of the alias `of` by these columns. */
export const orderOfColumns = (keys: readonly SortKey[], page: Direction, of: string): string =>
  orderOf(
    keys.map((key, n) => ({ ...key, sql: `${of}.key${n}` })),
    page,
  );

/** The kinds of values in a key. */
export const shapeOf = (keys: readonly SortKey[]): KeyShape =>
  keys.map(({ type }) => (type === 'text' ? 'string' : 'number'));

/** A field and a direction, as the graph names them. */
export type Order<Field extends string> = `${Field} ${'ASC' | 'DESC'}`;

/** The sort keys of an order. The opposite direction reverses the whole list, so that one index serves both. */
export function keysIn<Field extends string>(
  fields: Readonly<Record<Field, readonly SortKey[]>>,
  order: Order<Field>,
): readonly SortKey[] {
  const [field, direction] = order.split(' ') as [Field, 'ASC' | 'DESC'];
  const keys = fields[field];
  const isReversed = (keys[0]!.descending ?? false) !== (direction === 'DESC');
  return isReversed ? keys.map((key) => ({ ...key, descending: !key.descending })) : keys;
}

/** The requested order of a list, or its usual one. A field without a direction has its own. */
export function orderIn<Field extends string>(
  fields: Readonly<Record<Field, readonly SortKey[]>>,
  requested: { readonly field: Field; readonly direction?: 'ASC' | 'DESC' | null } | null | undefined,
  usual: Field,
): Order<Field> {
  const field = requested?.field ?? usual;
  return `${field} ${requested?.direction ?? (fields[field][0]!.descending ? 'DESC' : 'ASC')}`;
}
