/** Locks rows. In SQL because Prisma has no SELECT … FOR UPDATE. */
import type { Sql, Statement } from './db.ts';

type Table =
  | 'dataset'
  | 'group_account'
  | 'harvest_source'
  | 'related_item'
  | 'resource'
  | 'resource_view'
  | 'tag'
  | 'user_account'
  | 'vocabulary'
  | 'webhook';

/**
 * `UPDATE` before a row is changed or deleted; `NO KEY UPDATE` if concurrent writers may refer to it; `KEY SHARE` if a
 * new row will refer to it.
 */
type Strength = 'UPDATE' | 'NO KEY UPDATE' | 'KEY SHARE';

const lockIds = (table: Table, strength: Strength): Statement => ({
  name: `lock_${table}_${strength.toLowerCase().replaceAll(' ', '_')}`,
  text: `SELECT id FROM ${table} WHERE id = ANY ($1) ORDER BY id FOR ${strength}`,
});

// Two look-ups in indexes: an id wins over a name.
const lockByRef = (table: 'dataset' | 'user_account'): Statement => ({
  name: `lock_${table}_by_ref`,
  text: `SELECT id, version FROM ${table} WHERE id = (
    SELECT id FROM (SELECT id, 0 AS rank FROM ${table} WHERE id = $1 UNION ALL SELECT id, 1 FROM ${table} WHERE name = $1) AS found
    ORDER BY rank LIMIT 1) FOR UPDATE`,
});

/**
 * Locks rows until the transaction ends, in the order of their ids, which prevents deadlocks. Returns the existing ids,
 * ascending. Read the rows afterwards: a lock waits for the previous writer.
 */
export async function lockRows(
  sql: Sql,
  table: Table,
  ids: readonly string[],
  strength: Strength = 'UPDATE',
): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(lockIds(table, strength), [ids]);
  return rows.map(({ id }) => id);
}

/** Locks a row until the transaction ends; true if it exists. */
export const lockRow = async (sql: Sql, table: Table, id: string, strength: Strength = 'UPDATE'): Promise<boolean> =>
  (await lockRows(sql, table, [id], strength)).length > 0;

/** A locked row. */
export interface Locked {
  readonly id: string;
  readonly version: number;
}

/** Locks a row by id or name until the transaction ends; null for an unknown one. */
export const lockRef = async (sql: Sql, table: 'dataset' | 'user_account', idOrName: string): Promise<Locked | null> =>
  (await sql.rows<Locked>(lockByRef(table), [idOrName]))[0] ?? null;
