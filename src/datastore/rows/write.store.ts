/** Runs the statements of write.sql.ts: creates, changes and drops tables, writes and deletes rows. */
import type { Sql } from '../../infra/postgres/db.ts';
import { ident, sql } from '../fragment.ts';
import { cancelKeeping } from '../indexes/indexes.sql.ts';
import { run } from '../run.store.ts';
import { setCount } from '../tables/counts.store.ts';
import type { Column, Field } from '../tables/fields.rules.ts';
import { lockPatiently } from '../tables/lock.sql.ts';
import { listAliases, listIndexes } from '../tables/tables.sql.ts';
import type { Batch, Method } from './records.rules.ts';
import type { SearchPlan } from './search.plan.ts';
import { whereOf } from './search.sql.ts';
import {
  addColumns,
  analyze,
  createAlias,
  createIndex,
  createTable,
  describeColumn,
  dropAlias,
  dropIndex,
  dropTable,
  grantReading,
  insertMissing,
  insertRows,
  missingKeys,
  searchIndex,
  updateRows,
  wordlessIndex,
} from './write.sql.ts';

/** Drops a table with its aliases, if it exists. */
export async function removeTable(db: Sql, table: string): Promise<void> {
  await run(db, 'datastore_drop', dropTable(table));
  await setCount(db, table, null);
}

/** Creates an empty table; `reader` is a role that needs explicit grants. */
export async function makeTable(
  db: Sql,
  table: string,
  fields: readonly Field[],
  reader: string | null,
): Promise<void> {
  await run(db, 'datastore_create', createTable(table, fields));
  await run(db, 'datastore_create_index', searchIndex(table));
  await run(db, 'datastore_create_index', wordlessIndex(table));
  if (reader !== null) await run(db, 'datastore_grant', grantReading(table, reader));
  await setCount(db, table, 0);
}

/** Adds columns to the table and its aliases. */
export async function growTable(db: Sql, table: string, fields: readonly Field[]): Promise<void> {
  if (fields.length === 0) return;
  await lockPatiently(db, table);
  await run(db, 'datastore_grow', addColumns(table, fields));
  for (const alias of await listAliases(db, table)) await run(db, 'datastore_alias', createAlias(alias, table));
}

/** Writes the data dictionary of these fields. */
export async function describeFields(db: Sql, table: string, fields: readonly Field[]): Promise<void> {
  for (const field of fields) await run(db, 'datastore_describe', describeColumn(table, field));
}

/** Sets the aliases of a table, removing all others. */
export async function putAliases(
  db: Sql,
  table: string,
  aliases: readonly string[],
  reader: string | null,
): Promise<void> {
  for (const alias of await listAliases(db, table)) await run(db, 'datastore_unalias', dropAlias(alias));
  for (const alias of aliases) {
    await run(db, 'datastore_alias', createAlias(alias, table));
    if (reader !== null) await run(db, 'datastore_grant', grantReading(alias, reader));
  }
}

/** Sets the unique or the other indexes of a table, removing all others. */
export async function putIndexes(
  db: Sql,
  table: string,
  indexes: readonly (readonly string[])[],
  unique: boolean,
): Promise<void> {
  const before = (await listIndexes(db, [table])).filter((index) => index.unique === unique);
  if (before.length > 0) await lockPatiently(db, table);
  else await cancelKeeping(db, table);
  for (const { name } of before) await run(db, 'datastore_drop_index', dropIndex(name));
  for (const columns of indexes)
    if (columns.length > 0) await run(db, 'datastore_create_index', createIndex(table, columns, unique));
}

/** Result: the number of new rows, or a key that an update did not find. */
type Written = { readonly added: number; readonly missing?: undefined } | { readonly missing: string[] };

/** Writes one batch. The caller records the number of additional rows (`noteCount`). */
export async function writeBatch(
  db: Sql,
  table: string,
  batch: Batch,
  method: Method,
  key: readonly string[],
  all: readonly Column[],
): Promise<Written> {
  if (method === 'insert') {
    await run(db, 'datastore_insert', insertRows(table, batch));
    return { added: batch.records.length };
  }
  if (method === 'update') {
    const [missing] = await run<Record<string, string>>(db, 'datastore_missing', missingKeys(table, batch, key));
    if (missing) return { missing: Object.values(missing) };
  }
  await run(db, 'datastore_update', updateRows(table, batch, key, all));
  if (method === 'update') return { added: 0 };
  const [row] = await run<{ added: number }>(db, 'datastore_insert', insertMissing(table, batch, key));
  return { added: row!.added };
}

/** Deletes the rows that satisfy all conditions, or all rows. Returns their number. */
export async function deleteRows(db: Sql, table: string, plan: SearchPlan, all: readonly Column[]): Promise<number> {
  const [row] = await run<{ n: number }>(
    db,
    'datastore_delete',
    sql`WITH gone AS (DELETE FROM ${ident(table)} ${whereOf(plan, all)} RETURNING 1) SELECT count(*)::float8 AS n FROM gone`,
  );
  return row!.n;
}

/** Updates PostgreSQL's statistics of a table. */
export async function countRows(db: Sql, table: string): Promise<void> {
  await cancelKeeping(db, table);
  await run(db, 'datastore_analyze', analyze(table));
}
