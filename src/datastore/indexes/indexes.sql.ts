/** Makes and drops automatic indexes. In SQL because DataStore tables are not in the Prisma schema, and Prisma has no CONCURRENTLY. */
import type { Sql } from '../../infra/postgres/db.ts';
import { EMPTY, type Fragment, ident, joined, literal, sql } from '../fragment.ts';
import { run } from '../run.store.ts';
import { COUNTS } from '../tables/counts.sql.ts';
import type { IndexPlan, ReadTable } from './choose.rules.ts';
import { PREFIX } from './prefix.ts';
import type { SortKey } from './shape.rules.ts';

/** Name of the session that makes and drops indexes. */
const SESSION = 'catalog automatic indexes';
/** ms of one index, and ms to wait for older transactions. Row writers wait for neither. */
export const STATEMENT_TIMEOUT = 15 * 60_000;
const LOCK_TIMEOUT = 60_000;
const LOCK = sql`hashtextextended('automatic indexes', 5432)`;

const DIRECTIONS: Record<SortKey[1], Fragment> = {
  '': EMPTY,
  DESC: sql` DESC`,
  'NULLS FIRST': sql` NULLS FIRST`,
  'DESC NULLS LAST': sql` DESC NULLS LAST`,
};

/** Prepares a connection for the work. False if another process does it. */
export async function beginKeeping(db: Sql): Promise<boolean> {
  for (const setting of [
    `application_name = '${SESSION}'`,
    `statement_timeout = ${STATEMENT_TIMEOUT}`,
    `lock_timeout = ${LOCK_TIMEOUT}`,
    'max_parallel_maintenance_workers = 0',
    'vacuum_cost_delay = 2',
  ])
    await db.rows({ text: `SET ${setting}` });
  const [row] = await run<{ free: boolean }>(db, 'index_lock', sql`SELECT pg_try_advisory_lock(${LOCK}) AS free`);
  return row!.free;
}

export const endKeeping = async (db: Sql): Promise<void> =>
  void (await run(db, 'index_unlock', sql`SELECT pg_advisory_unlock(${LOCK})`));

/** Whether a lock `l` is that of work on a table. All roles see locks, but not PostgreSQL's list of indexes in progress. */
const isKeeping = sql`l.mode = 'ShareUpdateExclusiveLock' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = l.pid AND a.application_name = ${SESSION})`;

/** Cancels the work on a table, so that a change of the table does not wait for it. */
export const cancelKeeping = async (db: Sql, table: string): Promise<void> =>
  void (await run(
    db,
    'index_cancel',
    sql`SELECT pg_cancel_backend(l.pid) FROM pg_locks l
      JOIN pg_class c ON c.oid = l.relation AND c.relname = ${table} AND c.relnamespace = 'public'::regnamespace WHERE ${isKeeping}`,
  ));

/** An automatic index of the database. */
export interface AutoIndex {
  readonly table: string;
  readonly name: string;
  readonly isValid: boolean;
  /** Whether PostgreSQL makes it now. Until the end it is not valid. */
  readonly isInProgress: boolean;
  /** Key columns, without the last `_id`. */
  readonly columns: readonly string[];
  readonly included: readonly string[];
  /** Whether a column has values of different lengths, which may be too long for an index. */
  readonly hasLongValues: boolean;
  /** Empty for an index whose creation was interrupted. */
  readonly reason: string;
  /** Null in the same case. */
  readonly createdAt: string | null;
  /** Bytes on disk. */
  readonly size: number;
  /** Scans since the statistics of PostgreSQL began. */
  readonly scans: number;
}

/** Automatic indexes by table and name; of all tables by default. */
export async function listAutoIndexes(db: Sql, tables: readonly string[] | null = null): Promise<AutoIndex[]> {
  const rows = await run<Omit<AutoIndex, 'reason' | 'createdAt'> & { about: string | null }>(
    db,
    'index_list',
    sql`SELECT c.relname::text AS table, i.relname::text AS name, x.indisvalid AS "isValid",
        NOT x.indisvalid AND EXISTS (SELECT FROM pg_locks l WHERE l.relation = c.oid AND ${isKeeping}) AS "isInProgress", obj_description(i.oid, 'pg_class') AS about,
        ARRAY(SELECT a.attname::text FROM unnest(x.indkey::int2[]) WITH ORDINALITY k(number, place)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number WHERE k.place < x.indnkeyatts ORDER BY k.place) AS columns,
        ARRAY(SELECT a.attname::text FROM unnest(x.indkey::int2[]) WITH ORDINALITY k(number, place)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number WHERE k.place > x.indnkeyatts ORDER BY k.place) AS included,
        EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (x.indkey::int2[]) AND a.attlen < 0) AS "hasLongValues",
        pg_relation_size(i.oid)::float8 AS size, coalesce(pg_stat_get_numscans(i.oid), 0)::float8 AS scans
      FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
      WHERE c.relnamespace = 'public'::regnamespace AND starts_with(i.relname::text, ${PREFIX})
        AND (${tables}::text[] IS NULL OR c.relname = ANY (${tables}::text[])) ORDER BY c.relname, i.relname`,
    true,
  );
  return rows.map(({ about, ...index }) => ({ ...index, ...aboutOf(about) }));
}

function aboutOf(comment: string | null): { reason: string; createdAt: string | null } {
  try {
    const { reason, createdAt } = JSON.parse(comment ?? '{}');
    return { reason: String(reason ?? ''), createdAt: createdAt ?? null };
  } catch {
    return { reason: '', createdAt: null };
  }
}

/** Creates an index beside readers and writers. @throws Error if it is cancelled or refused, which leaves an invalid index */
export async function makeIndex(
  db: Sql,
  { table, name, columns, included, reason }: IndexPlan,
  at: Date,
): Promise<void> {
  const keys = columns.map(([id, direction]) => sql`${ident(id)}${DIRECTIONS[direction]}`);
  const others = included.length > 0 ? sql` INCLUDE (${joined(included.map(ident), ', ')})` : EMPTY;
  await run(
    db,
    'index_make',
    sql`CREATE INDEX CONCURRENTLY ${ident(name)} ON ${ident(table)} (${joined(keys, ', ')})${others}`,
  );
  const about = literal(JSON.stringify({ reason, createdAt: at.toISOString() }));
  await run(db, 'index_describe', sql`COMMENT ON INDEX ${ident(name)} IS ${about}`);
}

export const dropAutoIndex = async (db: Sql, name: string): Promise<void> =>
  void (await run(db, 'index_drop', sql`DROP INDEX CONCURRENTLY IF EXISTS ${ident(name)}`));

/** The same in a transaction that has locked the table. */
export const dropAutoIndexNow = async (db: Sql, name: string): Promise<void> =>
  void (await run(db, 'index_drop', sql`DROP INDEX IF EXISTS ${ident(name)}`));

/** Marks pages whose rows all transactions see, so that a read of an index alone is enough, and updates the statistics. */
export const vacuumTable = async (db: Sql, table: string): Promise<void> =>
  void (await run(db, 'index_vacuum', sql`VACUUM (ANALYZE, TRUNCATE false, SKIP_LOCKED) ${ident(table)}`));

/** Rows and columns of a table; null if it does not exist. */
export async function describeTable(db: Sql, table: string): Promise<Pick<ReadTable, 'rows' | 'columns'> | null> {
  const rows = await run<{ rows: number; id: string; type: string; width: number | null }>(
    db,
    'index_columns',
    sql`SELECT coalesce((SELECT sum(n) FROM ${ident(COUNTS)} WHERE relation = ${table}), c.reltuples)::float8 AS rows,
        a.attname::text AS id, t.typname::text AS type, s.avg_width AS width
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_stats s ON s.schemaname = 'public' AND s.tablename = c.relname AND s.attname = a.attname
      WHERE c.relname = ${table} AND c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`,
  );
  if (rows.length === 0) return null;
  return { rows: rows[0]!.rows, columns: new Map(rows.map(({ id, type, width }) => [id, { type, width }])) };
}
