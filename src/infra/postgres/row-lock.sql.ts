/** Row locks. In SQL because Prisma has no SELECT … FOR UPDATE. */
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

/** `UPDATE` before a row is changed or deleted; `NO KEY UPDATE` where others may refer to it meanwhile; `KEY SHARE` where a new row will refer to it. */
type Strength = 'UPDATE' | 'NO KEY UPDATE' | 'KEY SHARE';

const statements = new Map<string, Statement>();

function statementFor(table: Table, strength: Strength): Statement {
  const name = `lock_${table}_${strength.toLowerCase().replaceAll(' ', '_')}`;
  const known = statements.get(name);
  if (known) return known;
  const statement = { name, text: `SELECT id FROM ${table} WHERE id = ANY ($1) ORDER BY id FOR ${strength}` };
  statements.set(name, statement);
  return statement;
}

/**
 * Locks rows until the transaction ends, in the order of their ids, so that two writers cannot block each other.
 * Returns the ids that exist, ascending. Read the rows after it: a lock waits for the writer before.
 */
export async function lockRows(
  sql: Sql,
  table: Table,
  ids: readonly string[],
  strength: Strength = 'UPDATE',
): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(statementFor(table, strength), [ids]);
  return rows.map(({ id }) => id);
}

/** True when the row exists, and locks it until the transaction ends. */
export const lockRow = async (sql: Sql, table: Table, id: string, strength: Strength = 'UPDATE'): Promise<boolean> =>
  (await lockRows(sql, table, [id], strength)).length > 0;
