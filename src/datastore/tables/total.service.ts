/** Number of rows in all tables that the caller may read. */
import { readerOf } from '../../catalog/document/readable.ts';
import type { Call } from '../../kernel/call.ts';
import { sumCounts } from './counts.store.ts';
import { listReadableTables } from './owner.sql.ts';

/** 0 without a DataStore. @throws CatalogError UNAVAILABLE */
export async function countReadableRows({ sql, actor, stores: { datastore } }: Call): Promise<number> {
  if (datastore === null) return 0;
  const tables = await listReadableTables(sql, readerOf(actor), false);
  return tables.length === 0 ? 0 : sumCounts(datastore.sql, tables);
}
