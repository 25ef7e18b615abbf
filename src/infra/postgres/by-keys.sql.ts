/**
 * Reads and counts rows of one table, each by one prepared statement. In SQL because a call costs 0.1 ms of CPU, and 0.3 to 0.5 ms through
 * Prisma. Prisma binds each key of a list: another text for each length, which PostgreSQL plans at every run.
 */
import { createHash } from 'node:crypto';
import { columnOf } from '../../kernel/text.ts';
import { columnsOf, hidden } from './columns.ts';
import type { Sql, Statement } from './db.ts';

type Keys = readonly (string | number)[];
type Values = readonly (string | boolean)[];

interface Choice {
  readonly table: string;
  /** Fields that must equal further values. */
  readonly and?: readonly string[];
}

interface Rows<Row> extends Choice {
  /** A flat Prisma select. No BigInt and no Decimal: their values would have other types. */
  readonly fields: Readonly<Record<keyof Row & string, true>>;
  /** Fields to sort by; unordered without it. */
  readonly order?: readonly string[];
}

interface ByKeys<Row> extends Rows<Row> {
  /** text if omitted. */
  readonly type?: 'text' | 'int';
  /** Fields of which one must be in the list of keys; `{ field, without }` only where the other field is null. */
  readonly by: readonly (string | { readonly field: string; readonly without: string })[];
  /** As in Statement. Only if no key has several rows. */
  readonly isShort?: true;
  /** Rows of another table with these ids lead to further keys. */
  readonly through?: { readonly table: string; readonly field: string };
}

interface Listed<Row> extends Rows<Row> {
  /** A field that must be greater than the next value; '' starts at the first row. */
  readonly after?: string;
  /** Fields of which one must match the last value, a pattern of ILIKE. */
  readonly like?: readonly string[];
}

export type ReadByKeys<Row> = (sql: Sql, keys: Keys, ...values: Values) => Promise<Row[]>;
export type ReadList<Row> = (sql: Sql, limit: number | null, ...values: Values) => Promise<Row[]>;
export type CountByKeys = (sql: Sql, keys: Keys, ...values: Values) => Promise<Counted[]>;

/** The number of rows of a key. */
export interface Counted {
  readonly id: string;
  readonly n: number;
}

/** A read of one table: rows with one of the keys and with the values of `and`. */
export function readerBy<Row>({
  by,
  through,
  type = 'text',
  and = [],
  isShort,
  ...rows
}: ByKeys<Row>): ReadByKeys<Row> {
  const keys = hidden('$1', `${type}[]`);
  const more = through && ` || ARRAY(SELECT ${columnOf(through.field)} FROM ${through.table} WHERE id = ANY (${keys}))`;
  const isKey = (field: string) => `${columnOf(field)} = ANY (${keys}${more ?? ''})`;
  const keyed = by
    .map((key) => (typeof key === 'string' ? isKey(key) : `(${isKey(key.field)} AND ${columnOf(key.without)} IS NULL)`))
    .join(' OR ');
  const statement = { ...named(select(rows, [`(${keyed})`, ...equal(and)])), ...(isShort && { isShort }) };
  return (sql, keys, ...values) => sql.rows<Row>(statement, [keys, ...values]);
}

/** A list of one table: the first rows (null: all) with the values of `and`, `after` and `like`. */
export function listOf<Row>({ and = [], after, like = [], ...rows }: Listed<Row>): ReadList<Row> {
  const conditions = [...equal(and), ...(after ? [`${columnOf(after)} > $${and.length + 2}`] : [])];
  const pattern = `$${conditions.length + 2}`;
  if (like.length > 0) conditions.push(`(${like.map((field) => `${columnOf(field)} ILIKE ${pattern}`).join(' OR ')})`);
  const statement = named(`${select(rows, conditions)} LIMIT $1`);
  return (sql, limit, ...values) => sql.rows<Row>(statement, [limit, ...values]);
}

/** Numbers of rows of one table by a key, with the values of `and`. Keys without rows are omitted. */
export function counterBy({ table, by, and = [] }: Choice & { readonly by: string }): CountByKeys {
  const conditions = [`${columnOf(by)} = ANY ($1)`, ...equal(and)].join(' AND ');
  const statement = named(
    `SELECT ${columnOf(by)} AS id, count(*)::int AS n FROM ${table} WHERE ${conditions} GROUP BY 1`,
  );
  return (sql, keys, ...values) => sql.rows(statement, [keys, ...values]);
}

const equal = (fields: readonly string[]): string[] => fields.map((field, at) => `${columnOf(field)} = $${at + 2}`);

function select<Row>({ table, fields, order = [] }: Rows<Row>, conditions: readonly string[]): string {
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  const sorted = order.length > 0 ? ` ORDER BY ${order.map(columnOf).join(', ')}` : '';
  return `SELECT ${columnsOf(fields)} FROM ${table}${where}${sorted}`;
}

const named = (text: string): Statement => ({
  name: `by_key_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`,
  text,
});
