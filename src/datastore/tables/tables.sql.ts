/**
 * Reads columns, types, aliases, keys and sizes of tables. In SQL because tables of the DataStore are not in the Prisma schema: they are
 * read from the system catalogs.
 */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { EMPTY, type Fragment, ident, joined, sql } from '../fragment.ts';
import { PREFIX } from '../indexes/prefix.ts';
import type { Source } from '../rows/search.sql.ts';
import { run } from '../run.store.ts';
import { COUNTS, storedVersion } from './counts.sql.ts';
import type { Column } from './fields.rules.ts';

/** Columns of a table or alias in order, without the internal full-text column; empty when it does not exist. */
export const listColumns = async (db: Sql, name: string): Promise<Column[]> =>
  (await listColumnsOf(db, [name])).get(name) ?? [];

interface ColumnRow {
  readonly table: string;
  readonly id: string;
  readonly type: string;
  readonly info: string | null;
}

/** Columns of the tables and aliases of these names; `more` is selected with each. */
const columnsSql = (names: readonly string[], more: Fragment = EMPTY): Fragment =>
  sql`SELECT c.relname AS table, a.attname AS id, t.typname AS type, d.description AS info${more}
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_class c ON c.oid = a.attrelid
      LEFT JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = a.attnum
    WHERE c.relname = ANY (${names}) AND c.relname <> ${COUNTS} AND c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v')
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> '_full_text' ORDER BY c.relname, a.attnum`;

const columnOf = ({ id, type, info }: ColumnRow): Column => ({ id, type, info: parsed(info) });

/** The same for many, by name; omits missing ones. */
export async function listColumnsOf(db: Sql, names: readonly string[]): Promise<Map<string, Column[]>> {
  const columns = new Map<string, Column[]>();
  for (const row of await run<ColumnRow>(db, 'datastore_columns', columnsSql(names), true)) {
    const own = columns.get(row.table) ?? [];
    own.push(columnOf(row));
    columns.set(row.table, own);
  }
  return columns;
}

/** Columns of a table, and the version at which it had them. */
export interface TableColumns {
  readonly columns: readonly Column[];
  /** As `storedVersion`. */
  readonly version: string | null;
}

/** Columns of a table in order, as `listColumns`, with the table's version. */
export async function findColumns(db: Sql, table: string): Promise<TableColumns> {
  const statement = columnsSql([table], sql`, ${storedVersion(table)} AS version`);
  const rows = await run<ColumnRow & { version: string | null }>(db, 'datastore_versioned_columns', statement, true);
  return { columns: rows.map(columnOf), version: rows[0]?.version ?? null };
}

function parsed(info: string | null): Column['info'] {
  try {
    const value: unknown = info === null ? null : JSON.parse(info);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Column['info']) : null;
  } catch {
    return null; // a comment of another program
  }
}

/** Tables and aliases with their oids. `_id` is unique. */
const LISTING = sql`(SELECT DISTINCT substr(md5(c.relname || coalesce(t.relname, '')), 1, 16) AS _id, c.relname AS name, c.oid AS oid,
    t.relname AS alias_of
  FROM pg_class c LEFT JOIN pg_rewrite r ON r.ev_class = c.oid
    LEFT JOIN pg_depend d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid
    LEFT JOIN pg_class t ON t.oid = d.refobjid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND c.relname <> ${COUNTS})`;

/** By the recording, the listing contains itself as an alias of a system catalog. It is not a relation here, so it has no oid. */
const ITSELF = sql`(VALUES ${joined(
  ['pg_views', 'pg_tables'].map(
    (of) => sql`(substr(md5(${`_table_metadata${of}`}), 1, 16), '_table_metadata'::name, 0::oid, ${of}::name)`,
  ),
  ', ',
)})`;

/** The contract's listing of these tables; null means all. */
export function listing(ids: readonly string[] | null): Source {
  const column = (id: string, type: string): Column => ({ id, type, info: null });
  const seen = ids === null ? sql`` : sql` WHERE name = ANY (${ids}) OR alias_of = ANY (${ids})`;
  return {
    from: sql`(SELECT * FROM ${LISTING} l${seen} UNION ALL SELECT * FROM ${ITSELF} i) AS _table_metadata`,
    order: sql`oid DESC, alias_of DESC`,
    columns: [column('_id', 'text'), column('name', 'name'), column('oid', 'oid'), column('alias_of', 'name')],
  };
}

/** The table of an alias; null when the alias does not exist. */
export async function findAliased(db: Sql, alias: string): Promise<string | null> {
  const [row] = await run<{ alias_of: string }>(
    db,
    'datastore_alias',
    sql`SELECT alias_of FROM ${LISTING} l WHERE name = ${alias} AND alias_of IS NOT NULL`,
    true,
  );
  return row?.alias_of ?? null;
}

/** Aliases of a table, by name. */
export const listAliases = async (db: Sql, table: string): Promise<string[]> =>
  (await listAliasesOf(db, [table])).get(table) ?? [];

/** The same for many, by table; omits those without aliases. */
export async function listAliasesOf(db: Sql, tables: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await run<{ table: string; names: string[] }>(
    db,
    'datastore_aliases',
    sql`SELECT alias_of::text AS table, array_agg(name::text ORDER BY name) AS names FROM ${LISTING} l
      WHERE alias_of = ANY (${tables}) GROUP BY alias_of`,
    true,
  );
  return new Map(rows.map(({ table, names }) => [table, names]));
}

/** Existing ones of these names → tables: the one of that name, the alias's, or all that an administrator's view reads. */
export async function listRelations(db: Sql, names: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await run<{ name: string; tables: string[] }>(
    db,
    'datastore_relations',
    sql`SELECT name::text, array_agg(coalesce(alias_of, name)::text ORDER BY alias_of) AS tables FROM ${LISTING} l
      WHERE name = ANY (${names}) GROUP BY name`,
    true,
  );
  return new Map(rows.map(({ name, tables }) => [name, tables]));
}

/** The names already used by a table or alias. */
export async function listTaken(db: Sql, names: readonly string[]): Promise<string[]> {
  const rows = await run<{ name: string }>(
    db,
    'datastore_taken',
    sql`SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (${names})`,
  );
  return rows.map(({ name }) => name);
}

/** Names of all tables of resources. */
export async function listTables(db: Sql): Promise<string[]> {
  const rows = await run<{ name: string }>(
    db,
    'datastore_tables',
    sql`SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND left(relname, 1) <> '_'`,
  );
  return rows.map(({ name }) => name);
}

/** An index of a table, except the default ones and automatic ones. */
export interface IndexRecord {
  readonly table: string;
  readonly name: string;
  readonly unique: boolean;
  readonly columns: string[];
}

const INDEX_ROWS = `SELECT c.relname::text AS table, i.relname::text AS name, x.indisunique AS unique,
        array_agg(a.attname::text ORDER BY k.place) AS columns
      FROM pg_class c JOIN pg_index x ON x.indrelid = c.oid AND NOT x.indisprimary AND x.indpred IS NULL JOIN pg_class i ON i.oid = x.indexrelid AND NOT starts_with(i.relname::text, '${PREFIX}')
        CROSS JOIN unnest(x.indkey::int2[]) WITH ORDINALITY k(number, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
      WHERE c.relname = ANY ($1) AND c.relnamespace = 'public'::regnamespace
      GROUP BY c.relname, i.relname, x.indisunique HAVING NOT bool_or(a.attname = '_full_text')`;

const INDEXES: Statement = { name: 'datastore_indexes', text: `${INDEX_ROWS} ORDER BY i.relname` };

const SHAPES: Statement = {
  name: 'datastore_shapes',
  text: `SELECT i.*, NULL::float8 AS count FROM (${INDEX_ROWS}) i
    UNION ALL SELECT relation, '', false, NULL, CASE WHEN bool_or(base) THEN sum(n)::float8 END FROM "${COUNTS}"
      WHERE relation = ANY ($2) GROUP BY relation
    ORDER BY name`,
};

/** Indexes of tables by name, except the default ones, and stored counts of tables. One statement, because pages need both. */
export async function listShapes(
  db: Sql,
  indexed: readonly string[],
  counted: readonly string[],
): Promise<{ indexes: IndexRecord[]; counts: Map<string, number | null> }> {
  const rows = await db.rows<IndexRecord & { count: number | null }>(SHAPES, [indexed, counted]);
  return {
    indexes: rows.filter(({ name }) => name !== ''),
    counts: new Map(rows.filter(({ name }) => name === '').map(({ table, count }) => [table, count])),
  };
}

/** Indexes by name, except the default ones. */
export const listIndexes = (db: Sql, tables: readonly string[]): Promise<IndexRecord[]> => db.rows(INDEXES, [tables]);

/** Columns of the update key; empty when there is none. */
export const findKey = async (db: Sql, table: string): Promise<string[]> => keyOf(await listIndexes(db, [table]));

/** Columns of the update key in the indexes of a table; empty when there is none. */
export const keyOf = (indexes: readonly IndexRecord[]): string[] => indexes.find(({ unique }) => unique)?.columns ?? [];

/** Types of PostgreSQL that a column may have: no pseudo-types, no row types, none that refer to system objects. */
export async function listKnownTypes(db: Sql, types: readonly string[]): Promise<Set<string>> {
  const found = await Promise.all(
    [...new Set(types)].map(async (type) => {
      try {
        const [row] = await db.rows<{ known: boolean }>(
          {
            text: `SELECT t.typtype IN ('b', 'r', 'm') AND NOT (e.typname ~ '^(reg|pg_|gts)' OR e.typtype IN ('p', 'c', 'd')) AS known
              FROM pg_type t JOIN pg_type e ON e.oid = CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE t.oid END
              WHERE t.oid = to_regtype($1)`,
          },
          [type],
        );
        return row?.known ? [type] : [];
      } catch (thrown) {
        if (thrown instanceof CatalogError) throw thrown;
        return []; // not even valid syntax for a type
      }
    }),
  );
  return new Set(found.flat());
}

/** Number of rows of a table that is older than the stored counts. @throws CatalogError NOT_FOUND */
export const countRows = async (db: Sql, table: string): Promise<number> =>
  (await run<{ n: number }>(db, 'datastore_count_rows', sql`SELECT count(*)::float8 AS n FROM ${ident(table)}`))[0]!.n;

/** Bytes on disk with and without indexes. */
export async function measureTable(db: Sql, table: string): Promise<{ size: number; indexSize: number }> {
  const [row] = await run<{ size: number; indexSize: number }>(
    db,
    'datastore_measure',
    sql`SELECT pg_table_size(oid)::float8 AS size, pg_indexes_size(oid)::float8 AS "indexSize"
      FROM pg_class WHERE relname = ${table} AND relnamespace = 'public'::regnamespace`,
    true,
  );
  return row!;
}
