/**
 * Lists of all public datasets, as cached JSON text. In SQL because Prisma has no xid8 and no aggregation to JSON text. A list is valid
 * while no index row (search/index) was written since the snapshot that it was read in. Every write of a dataset writes its index row.
 */
import type { Sql, Statement } from '../../../infra/postgres/db.ts';
import { BySql } from '../../../infra/postgres/traced.ts';
import { JsonText } from '../../../kernel/json.ts';
import { listedText } from '../dataset.sql.ts';

export type ListedColumn = 'name' | 'dataset_id';

interface Kept {
  /** Identifies the contents of the table since it was last emptied. */
  readonly generation: string;
  /** The snapshot contains all writes of older transactions. */
  readonly since: string;
  readonly text: JsonText;
}

/** Maximum bytes of a cached list: about 350,000 names. There are two lists per database. */
export const MAX_BYTES = 16 * 1024 * 1024;

/** $1 and $2 are the cached generation and transaction. `list` is null if nothing was written since. */
const statementOf = (column: ListedColumn): Statement => ({
  name: `dataset_list_${column}`,
  text: `SELECT s.*, CASE WHEN s.generation IS DISTINCT FROM $1::text OR s.since::xid8 < $2::xid8
      OR (SELECT written FROM dataset_search ORDER BY written DESC LIMIT 1) >= $2::xid8 THEN (${listedText(column)}) END AS list
    FROM (SELECT pg_relation_filenode('dataset_search'::regclass)::text AS generation,
      pg_snapshot_xmin(pg_current_snapshot())::text AS since) AS s`,
});
const statements = { name: statementOf('name'), dataset_id: statementOf('dataset_id') };

const caches = new BySql<Map<ListedColumn, Kept>>();

/** A column of all active public datasets, by name, as a JSON list. Lists of more than `maxBytes` are not cached. */
export async function publicList(sql: Sql, column: ListedColumn, maxBytes = MAX_BYTES): Promise<JsonText> {
  const cache = caches.get(sql) ?? new Map<ListedColumn, Kept>();
  caches.set(sql, cache);
  const before = cache.get(column);
  const [row] = await sql.rows<{ generation: string; since: string; list: string | null }>(statements[column], [
    before?.generation ?? null,
    before?.since ?? '0',
  ]);
  const { generation, since, list } = row!;
  if (list === null) return before!.text;
  const bytes = Buffer.from(list);
  const text = new JsonText(bytes);
  if (bytes.length > maxBytes) cache.delete(column);
  else cache.set(column, { generation, since, text });
  return text;
}
