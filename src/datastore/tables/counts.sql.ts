/**
 * Stores row counts of tables in a table of their own. In SQL because it is not in the Prisma schema, and Prisma has no SKIP LOCKED. Pure.
 * Each table has one `base` row, and one row per later transaction: concurrent writers only insert rows, so none waits for another. A
 * writer merges them when there are many. Each row has a random number: their sum is the version of the table, which every committed change
 * of rows, columns or aliases changes.
 */
import type { OwnTables } from '../../infra/postgres/datastore.pools.ts';
import { type Fragment, ident, sql } from '../fragment.ts';
import { areChecksThere, makeChecks } from '../statement/checked.sql.ts';

/** A reserved name for resources and aliases. */
export const COUNTS = '_row_counts';
/** Number of change rows that triggers a merge. */
const MANY = 20;

const counts = ident(COUNTS);

/** Whether the table of counts exists. */
export const areCountsThere = `SELECT to_regclass('public.${COUNTS}') IS NOT NULL AS done`;

/** Whether everything possible exists: the role that created the counts may lack the permission to create the checked functions. */
const isAllThere = `SELECT c.oid IS NOT NULL AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'version') AND (${areChecksThere} OR NOT has_database_privilege(c.relowner, current_database(), 'CREATE')) AS done
  FROM (VALUES (1)) v LEFT JOIN pg_class c ON c.oid = to_regclass('public.${COUNTS}')`;

/** Creates the table of counts; idempotent. */
const makeCounts = (reader: string | null): string => `BEGIN;
  SELECT pg_advisory_xact_lock(hashtextextended('${COUNTS}', 5432));
  CREATE TABLE IF NOT EXISTS "${COUNTS}" (relation text NOT NULL, base boolean NOT NULL DEFAULT false, n int8 NOT NULL);
  ALTER TABLE "${COUNTS}" ADD COLUMN IF NOT EXISTS version int8 NOT NULL DEFAULT hashtextextended(gen_random_uuid()::text, 0);
  CREATE INDEX IF NOT EXISTS "${COUNTS}_relation" ON "${COUNTS}" (relation);
  CREATE UNIQUE INDEX IF NOT EXISTS "${COUNTS}_base" ON "${COUNTS}" (relation) WHERE base;
  ${reader === null ? '' : `GRANT SELECT ON "${COUNTS}" TO "${reader.replaceAll('"', '""')}";`}
  ${makeChecks}
COMMIT`;

export const ownTables: OwnTables = { look: isAllThere, make: makeCounts };

/** Number of rows: the stored count, or counted for a table older than the counts. */
export const storedCount = (table: string): Fragment =>
  sql`(SELECT CASE WHEN bool_or(base) THEN sum(n) ELSE (SELECT count(*) FROM ${ident(table)}) END FROM ${counts} WHERE relation = ${table})::float8`;

/** A figure of the counts of a table; null for a table older than the counts. */
const stored = (figure: Fragment, table: string): Fragment =>
  sql`(SELECT CASE WHEN bool_or(base) THEN ${figure} END FROM ${counts} WHERE relation = ${table})`;

/** Version of a table, as text: equal versions have equal rows and columns. Null for a table older than the counts. */
export const storedVersion = (table: string): Fragment => stored(sql`sum(version)::text`, table);

/** Version and number of the rows of a table, as a list of two texts. Null for a table older than the counts. */
export const storedState = (table: string): Fragment => stored(sql`ARRAY[sum(version)::text, sum(n)::text]`, table);

/** Versions of tables by name, as `storedVersion`; omits those that are older than the counts. */
export const storedVersions = (tables: readonly string[]): Fragment =>
  sql`SELECT relation AS table, sum(version)::text AS version FROM ${counts} WHERE relation = ANY (${tables}::text[])
    GROUP BY relation HAVING bool_or(base)`;

/** Sum of the stored counts of these tables. */
export const summedCounts = (tables: readonly string[]): Fragment =>
  sql`SELECT coalesce(sum(n), 0)::float8 AS n FROM ${counts} WHERE relation = ANY (${tables})`;

/** Deletes the counts of a table. */
export const forgetCount = (table: string): Fragment => sql`DELETE FROM ${counts} WHERE relation = ${table}`;

/** Sets the count of a table that the caller has locked exclusively. Call forgetCount first. */
export const baseCount = (table: string, n: number): Fragment =>
  sql`INSERT INTO ${counts} (relation, base, n) VALUES (${table}, true, ${n}::int8)`;

/** Records a write that changed the number of rows by `n`. Returns whether the table has a `base`. */
export const changeCount = (table: string, n: number): Fragment =>
  sql`WITH gone AS (DELETE FROM ${counts} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${counts} WHERE relation = ${table} AND NOT base
      AND (SELECT count(*) FROM ${counts} WHERE relation = ${table} AND NOT base) >= ${MANY}::int8 FOR UPDATE SKIP LOCKED)) RETURNING n)
    INSERT INTO ${counts} (relation, n) SELECT ${table}, ${n}::int8 + coalesce(sum(n), 0) FROM gone
    RETURNING EXISTS (SELECT FROM ${counts} WHERE relation = ${table} AND base) AS based`;

/** Counts a table older than the counts. Concurrent writers record their own changes. */
export const firstCount = (table: string): Fragment =>
  sql`INSERT INTO ${counts} (relation, base, n)
    SELECT ${table}, true, (SELECT count(*) FROM ${ident(table)}) - coalesce((SELECT sum(n) FROM ${counts} WHERE relation = ${table}), 0)
    ON CONFLICT (relation) WHERE base DO NOTHING`;
