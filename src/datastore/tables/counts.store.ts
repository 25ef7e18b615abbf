/** Runs the statements of counts.sql.ts, in the transaction that changes the rows. */
import type { Sql } from '../../infra/postgres/db.ts';
import { run } from '../run.store.ts';
import { baseCount, changeCount, firstCount, forgetCount, storedVersions, summedCounts } from './counts.sql.ts';

/**
 * Sets the number of rows of a table that the transaction has locked exclusively: a new, emptied or replaced one. Null: the table was
 * dropped.
 */
export async function setCount(db: Sql, table: string, rows: number | null): Promise<void> {
  await run(db, 'datastore_uncount', forgetCount(table));
  if (rows !== null) await run(db, 'datastore_count', baseCount(table, rows));
}

/** Records that the transaction has written rows: how many more there are. Also 0 gives the table a new version. */
export async function noteCount(db: Sql, table: string, more: number): Promise<void> {
  const [row] = await run<{ based: boolean }>(db, 'datastore_count', changeCount(table, more));
  if (!row!.based) await run(db, 'datastore_first_count', firstCount(table));
}

/** Number of rows in these tables. */
export const sumCounts = async (db: Sql, tables: readonly string[]): Promise<number> =>
  (await run<{ n: number }>(db, 'datastore_sum_counts', summedCounts(tables)))[0]!.n;

/** Versions of tables: equal texts mean equal rows and columns. Omits tables older than the counts. */
export async function findVersions(db: Sql, tables: readonly string[]): Promise<Map<string, string>> {
  const rows = await run<{ table: string; version: string }>(db, 'datastore_versions', storedVersions(tables), true);
  return new Map(rows.map(({ table, version }) => [table, version]));
}
