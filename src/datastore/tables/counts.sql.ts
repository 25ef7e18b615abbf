/**
 * How many rows each table has, kept beside the tables. Pure. A table has one `base` row, and a row for the change of every
 * transaction since: writers of one table only add rows, so none waits for another. Once there are many, a writer puts them together.
 */
import type { OwnTables } from '../../infra/postgres/datastore.ts';
import { type Fragment, ident, sql } from '../fragment.ts';
import { areChecksThere, makeChecks } from '../statement/checked.sql.ts';

/** No resource and no alias may be called so. */
export const COUNTS = '_row_counts';
/** Changes of one table that are put together. */
const MANY = 20;

const counts = ident(COUNTS);

/** Whether the counts have a place to be in. */
export const areCountsThere = `SELECT to_regclass('public.${COUNTS}') IS NOT NULL AS done`;

/** Whether all is there that can be: who wrote the counts may not be allowed to make the checks. */
const isAllThere = `SELECT c.oid IS NOT NULL AND (${areChecksThere} OR NOT has_database_privilege(c.relowner, current_database(), 'CREATE')) AS done
  FROM (VALUES (1)) v LEFT JOIN pg_class c ON c.oid = to_regclass('public.${COUNTS}')`;

/** Gives them one; can be repeated. */
const makeCounts = (reader: string | null): string => `BEGIN;
  SELECT pg_advisory_xact_lock(hashtextextended('${COUNTS}', 5432));
  CREATE TABLE IF NOT EXISTS "${COUNTS}" (relation text NOT NULL, base boolean NOT NULL DEFAULT false, n int8 NOT NULL);
  CREATE INDEX IF NOT EXISTS "${COUNTS}_relation" ON "${COUNTS}" (relation);
  CREATE UNIQUE INDEX IF NOT EXISTS "${COUNTS}_base" ON "${COUNTS}" (relation) WHERE base;
  ${reader === null ? '' : `GRANT SELECT ON "${COUNTS}" TO "${reader.replaceAll('"', '""')}";`}
  ${makeChecks}
COMMIT`;

export const ownTables: OwnTables = { look: isAllThere, make: makeCounts };

/** Rows of a table: as kept; counted where it is older than the counts. */
export const keptCount = (table: string): Fragment =>
  sql`(SELECT CASE WHEN bool_or(base) THEN sum(n) ELSE (SELECT count(*) FROM ${ident(table)}) END FROM ${counts} WHERE relation = ${table})::float8`;

/** Forgets a table. */
export const forgetCount = (table: string): Fragment => sql`DELETE FROM ${counts} WHERE relation = ${table}`;

/** The table of a caller who holds it alone: it has `n` rows. After forgetCount. */
export const baseCount = (table: string, n: number): Fragment =>
  sql`INSERT INTO ${counts} (relation, base, n) VALUES (${table}, true, ${n}::int8)`;

/** Notes a change, and says whether the table has a `base`. */
export const changeCount = (table: string, n: number): Fragment =>
  sql`WITH gone AS (DELETE FROM ${counts} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${counts} WHERE relation = ${table} AND NOT base
      AND (SELECT count(*) FROM ${counts} WHERE relation = ${table} AND NOT base) >= ${MANY}::int8 FOR UPDATE SKIP LOCKED)) RETURNING n)
    INSERT INTO ${counts} (relation, n) SELECT ${table}, ${n}::int8 + coalesce(sum(n), 0) FROM gone
    RETURNING EXISTS (SELECT FROM ${counts} WHERE relation = ${table} AND base) AS based`;

/** Counts a table that is older than the counts. What is changed meanwhile is noted by whoever changes it. */
export const firstCount = (table: string): Fragment =>
  sql`INSERT INTO ${counts} (relation, base, n)
    SELECT ${table}, true, (SELECT count(*) FROM ${ident(table)}) - coalesce((SELECT sum(n) FROM ${counts} WHERE relation = ${table}), 0)
    ON CONFLICT (relation) WHERE base DO NOTHING`;
