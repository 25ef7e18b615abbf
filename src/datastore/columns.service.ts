/** Columns of tables in memory. A search sends no statement for them: it finds out itself whether they still apply. */
import { isDeepStrictEqual } from 'node:util';
import { createLru } from '../infra/concurrency/lru.ts';
import type { Sql } from '../infra/postgres/db.ts';
import { CatalogError } from '../kernel/errors.ts';
import { noTable } from './access.service.ts';
import { oncePerColumns } from './tables/column-lists.ts';
import type { Column } from './tables/fields.rules.ts';
import { findColumns, type TableColumns } from './tables/tables.sql.ts';

interface Known extends TableColumns {
  /** ms, by performance.now(). */
  readonly readAt: number;
}

/** Maximum characters of all columns in memory, and those that a column counts as besides its texts, with what is derived from it. */
const MAX_CHARACTERS = 8_000_000;
const OVERHEAD = 800;
/** ms after which columns are read again: other programs may change a table without giving it a new version. */
const MAX_AGE = 1_000;

const columnsByTable = createLru<Known>(MAX_CHARACTERS, 'datastore_columns');

const weightOf = oncePerColumns((columns) =>
  columns.reduce((sum, column) => sum + OVERHEAD + JSON.stringify(column).length, 0),
);

/** Reads the columns of a table: the same list as `known`, if it still applies. @throws CatalogError NOT_FOUND, UNAVAILABLE */
async function readColumns(sql: Sql, table: string, known: readonly Column[] | undefined): Promise<TableColumns> {
  const readAt = performance.now();
  const { columns: found, version } = await findColumns(sql, table);
  if (found.length === 0) throw noTable(table);
  const columns = known && isDeepStrictEqual(known, found) ? known : found;
  if (version !== null) columnsByTable.set(table, { columns, version, readAt }, weightOf(columns));
  return { columns, version };
}

/** Errors of a search that its columns may cause. */
const BY_COLUMNS = new Set(['VALIDATION', 'NOT_FOUND']);

/**
 * Runs `read` with the columns of a table, and its version when they were read, null if unknown. The result has the version of the table
 * that it saw. If that is not the version of the columns in memory, or `read` failed, the columns are read again, and `read` runs again
 * unless they are the same.
 * @throws CatalogError NOT_FOUND, UNAVAILABLE; errors of `read`
 */
export async function withColumns<Found extends { readonly version: string | null }>(
  sql: Sql,
  table: string,
  read: (columns: readonly Column[], version: string | null) => Promise<Found>,
): Promise<Found> {
  const known = columnsByTable.get(table);
  if (!known || performance.now() - known.readAt > MAX_AGE) {
    const { columns, version } = await readColumns(sql, table, known?.columns);
    return read(columns, version);
  }
  let found: Found | undefined;
  let failure: unknown;
  try {
    found = await read(known.columns, known.version);
    if (found.version === known.version) return found;
  } catch (thrown) {
    if (!(thrown instanceof CatalogError && BY_COLUMNS.has(thrown.kind))) throw thrown;
    failure = thrown;
  }
  const { columns, version } = await readColumns(sql, table, known.columns);
  if (columns !== known.columns) return read(columns, version);
  if (found) return found;
  throw failure;
}
