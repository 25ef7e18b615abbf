/**
 * Lists all public datasets, as cached JSON text. In SQL because Prisma has no xid8 and no aggregation to JSON text. A list is valid while
 * no index row (search/index) was written since the snapshot that it was read in. Every write of a dataset writes its index row.
 */
import { oncePerTurn } from '../../../infra/concurrency/once-per-turn.ts';
import type { Sql, Statement } from '../../../infra/postgres/db.ts';
import { BySql, sourceOfSql } from '../../../infra/postgres/traced.ts';
import { JsonText } from '../../../kernel/json.ts';
import { listedText } from '../dataset.sql.ts';

export type ListedColumn = 'name' | 'dataset_id';

interface CachedNames {
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

interface List {
  read(sql: Sql): Promise<JsonText>;
  /** The same for all calls of one turn of the event loop. */
  readonly shared: () => Promise<JsonText>;
}

const caches = new BySql<Record<ListedColumn, List>>();

/** A column of all active public datasets, by name, as a JSON list. */
export function publicList(sql: Sql, column: ListedColumn): Promise<JsonText> {
  const source = sourceOfSql(sql);
  let lists = caches.get(source);
  if (!lists)
    caches.set(source, (lists = { name: createList(source, 'name'), dataset_id: createList(source, 'dataset_id') }));
  return sql === source ? lists[column].shared() : lists[column].read(sql); // a traced call sends its own statement, for its trace
}

/** The list of one database. A list of more than `maxBytes` is not cached. */
export function createList(source: Sql, column: ListedColumn, maxBytes = MAX_BYTES): List {
  let cached: CachedNames | null = null;
  async function read(sql: Sql): Promise<JsonText> {
    const before = cached;
    const values = [before?.generation ?? null, before?.since ?? '0'];
    const [row] = await sql.rows<{ generation: string; since: string; list: string | null }>(
      statements[column],
      values,
    );
    const { generation, since, list } = row!;
    if (list === null) return before!.text;
    const bytes = Buffer.from(list);
    const text = new JsonText(bytes);
    cached = bytes.length > maxBytes ? null : { generation, since, text };
    return text;
  }
  return { read, shared: oncePerTurn(() => read(source)) };
}
