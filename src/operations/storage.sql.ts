/** Reads sizes of the DataStore. In SQL because its tables are not in the Prisma schema, and sizes are functions of PostgreSQL. */
import type { Sql, Statement } from '../infra/postgres/db.ts';

/** Tables of resources: tables of our own begin with an underscore. */
const TABLES = `FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname !~ '^_'`;

const statements = {
  size: {
    text: `SELECT pg_database_size(current_database())::float8 AS bytes, (SELECT count(*) ${TABLES})::float8 AS tables`,
  },
  // By number of pages first: reading the exact size of each table takes a look at its files.
  largest: {
    text: `SELECT relname AS "resourceId", pg_total_relation_size(oid)::float8 AS bytes, CASE WHEN reltuples >= 0 THEN reltuples::float8 END AS rows
      FROM (SELECT oid, relname, reltuples ${TABLES} ORDER BY relpages DESC, relname LIMIT 200) t ORDER BY 2 DESC, 1 LIMIT $1`,
  },
} satisfies Record<string, Statement>;

export interface TableSizeRecord {
  readonly resourceId: string;
  readonly bytes: number;
  readonly rows: number | null;
}

export const datastoreSize = async (sql: Sql): Promise<{ bytes: number; tables: number }> =>
  (await sql.rows<{ bytes: number; tables: number }>(statements.size))[0]!;

export const largestTables = (sql: Sql, first: number): Promise<TableSizeRecord[]> =>
  sql.rows(statements.largest, [first]);
