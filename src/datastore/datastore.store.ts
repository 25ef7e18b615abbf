/** Statements on tables, and how any statement on the DataStore's database is run. */
import type { Sql } from '../kernel/db.ts';
import { CatalogError, invalid } from '../kernel/errors.ts';
import type { Column, Field } from './fields.rules.ts';
import { type Fragment, ident, sql, statementOf } from './fragment.ts';
import type { Batch, Method } from './records.rules.ts';
import { MOST_BYTES, type SearchPlan } from './search.plan.ts';
import { type RecordsFormat, type Source, searchSql, whereOf } from './search.sql.ts';
import {
  addColumns,
  analyze,
  createAlias,
  createIndex,
  createTable,
  describeColumn,
  dropAlias,
  dropIndex,
  dropTable,
  grantReading,
  insertMissing,
  insertRows,
  missingKeys,
  searchIndex,
  updateRows,
} from './write.sql.ts';

const DATA_INVALID =
  'The data was invalid (for example: a numeric value is out of range or was inserted into a text field).';

/** Rows of a statement. @throws CatalogError as `refusal` has it */
export async function run<Row>(db: Sql, name: string, fragment: Fragment): Promise<Row[]> {
  const { statement, values } = statementOf(name, fragment);
  try {
    return await db.rows<Row>(statement, values);
  } catch (thrown) {
    throw refusal(thrown);
  }
}

/** What PostgreSQL says of a caller's data as a refusal; anything else stays as it is. */
export function refusal(thrown: unknown): unknown {
  if (thrown instanceof CatalogError || !(thrown instanceof Error)) return thrown;
  const { code = '', message, detail } = thrown as Error & { code?: string; detail?: string };
  const problem = (path: string[], text: string) => invalid([{ path, message: text }]);
  if (code.startsWith('22')) return problem([], `${DATA_INVALID} ${message}`);
  if (code === '23505')
    return problem(
      ['constraints'],
      `Cannot insert records or create index because of uniqueness constraint: ${detail ?? message}`,
    );
  if (code === '42P01') return new CatalogError('NOT_FOUND', 'Resource was not found.');
  if (code === '42501') return new CatalogError('NOT_AUTHORIZED', 'Not authorized to read resource.');
  if (code === '57014') return new CatalogError('LIMIT', 'The query took too long (catalog.datastore.sql_timeout)');
  if (code.startsWith('54')) return new CatalogError('LIMIT', message);
  if (/^(42|23|0A|21|2B|2F)/.test(code)) return problem(['query'], `Invalid query: ${message}`);
  return thrown;
}

/** Columns of a table or alias in their order, without the inner one for full text; empty when there is none. */
export const listColumns = async (db: Sql, name: string): Promise<Column[]> =>
  (await listColumnsOf(db, [name])).get(name) ?? [];

/** The same of many, by name; those that are not there are left out. */
export async function listColumnsOf(db: Sql, names: readonly string[]): Promise<Map<string, Column[]>> {
  const rows = await db.rows<{ table: string; id: string; type: string; info: string | null }>(
    {
      name: 'datastore_columns',
      text: `SELECT c.relname AS table, a.attname AS id, t.typname AS type, col_description(a.attrelid, a.attnum) AS info
        FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relname = ANY ($1) AND c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0
          AND NOT a.attisdropped AND a.attname <> '_full_text' ORDER BY c.relname, a.attnum`,
    },
    [names],
  );
  const columns = new Map<string, Column[]>();
  for (const { table, id, type, info } of rows) {
    const own = columns.get(table) ?? [];
    own.push({ id, type, info: parsed(info) });
    columns.set(table, own);
  }
  return columns;
}

function parsed(info: string | null): Column['info'] {
  try {
    const value: unknown = info === null ? null : JSON.parse(info);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Column['info']) : null;
  } catch {
    return null; // somebody else's comment
  }
}

/** Tables and aliases with their oids; `_id` tells them apart. */
const LISTING = sql`(SELECT DISTINCT substr(md5(c.relname || coalesce(t.relname, '')), 1, 16) AS _id, c.relname AS name, c.oid AS oid,
    t.relname AS alias_of
  FROM pg_class c LEFT JOIN pg_rewrite r ON r.ev_class = c.oid
    LEFT JOIN pg_depend d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid
    LEFT JOIN pg_class t ON t.oid = d.refobjid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v'))`;

/** The contract's listing, of these tables only; null is all of them. */
export function listing(ids: readonly string[] | null): Source {
  const column = (id: string, type: string): Column => ({ id, type, info: null });
  const seen = ids === null ? sql`` : sql` WHERE name = ANY (${ids}) OR alias_of = ANY (${ids})`;
  return {
    from: sql`(SELECT * FROM ${LISTING} l${seen}) AS _table_metadata`,
    columns: [column('_id', 'text'), column('name', 'name'), column('oid', 'oid'), column('alias_of', 'name')],
  };
}

/** The table an alias stands for; null when there is no such alias. */
export async function findAliased(db: Sql, alias: string): Promise<string | null> {
  const [row] = await run<{ alias_of: string }>(
    db,
    'datastore_alias',
    sql`SELECT alias_of FROM ${LISTING} l WHERE name = ${alias} AND alias_of IS NOT NULL`,
  );
  return row?.alias_of ?? null;
}

/** Aliases of a table, by name. */
export const listAliases = async (db: Sql, table: string): Promise<string[]> =>
  (await listAliasesOf(db, [table])).get(table) ?? [];

/** The same of many, by table; those without aliases are left out. */
export async function listAliasesOf(db: Sql, tables: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await run<{ table: string; names: string[] }>(
    db,
    'datastore_aliases',
    sql`SELECT alias_of::text AS table, array_agg(name::text ORDER BY name) AS names FROM ${LISTING} l
      WHERE alias_of = ANY (${tables}) GROUP BY alias_of`,
  );
  return new Map(rows.map(({ table, names }) => [table, names]));
}

/** Those of these names that there are → the table: the one of that name, or the one an alias stands for. */
export async function listRelations(db: Sql, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await run<{ name: string; table: string }>(
    db,
    'datastore_relations',
    sql`SELECT name::text, coalesce(alias_of, name)::text AS table FROM ${LISTING} l WHERE name = ANY (${names})`,
  );
  return new Map(rows.map(({ name, table }) => [name, table]));
}

/** Which of these names are taken by a table or alias. */
export async function listTaken(db: Sql, names: readonly string[]): Promise<string[]> {
  const rows = await run<{ name: string }>(
    db,
    'datastore_taken',
    sql`SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (${names})`,
  );
  return rows.map(({ name }) => name);
}

/** An index of a table besides the ones it always has. */
interface IndexRecord {
  readonly table: string;
  readonly name: string;
  readonly unique: boolean;
  readonly columns: string[];
}

const listIndexes = (db: Sql, tables: readonly string[]): Promise<IndexRecord[]> =>
  run(
    db,
    'datastore_indexes',
    sql`SELECT c.relname::text AS table, i.relname::text AS name, x.indisunique AS unique,
        array_agg(a.attname::text ORDER BY k.place) AS columns
      FROM pg_class c JOIN pg_index x ON x.indrelid = c.oid AND NOT x.indisprimary JOIN pg_class i ON i.oid = x.indexrelid
        CROSS JOIN unnest(x.indkey::int2[]) WITH ORDINALITY k(number, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
      WHERE c.relname = ANY (${tables}) AND c.relnamespace = 'public'::regnamespace
      GROUP BY c.relname, i.relname, x.indisunique HAVING NOT bool_or(a.attname = '_full_text') ORDER BY i.relname`,
  );

/** Columns of the key by which records are updated; empty when there is none. */
export const findKey = async (db: Sql, table: string): Promise<string[]> =>
  (await findKeys(db, [table])).get(table) ?? [];

/** The same of many, by table; those without a key are left out. */
export async function findKeys(db: Sql, tables: readonly string[]): Promise<Map<string, string[]>> {
  const unique = (await listIndexes(db, tables)).filter((index) => index.unique);
  return new Map(unique.reverse().map(({ table, columns }) => [table, columns])); // the first of a table counts
}

/** Types that PostgreSQL has and a column may be of: no pseudo types, no rows, none that stand for system objects. */
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
        return []; // not even the form of a type
      }
    }),
  );
  return new Set(found.flat());
}

/** Drops a table with its aliases, where there is one. */
export const removeTable = async (db: Sql, table: string): Promise<void> =>
  void (await run(db, 'datastore_drop', dropTable(table)));

/** Makes a table; `reader` is the role that must be let in by name. */
export async function makeTable(
  db: Sql,
  table: string,
  fields: readonly Field[],
  reader: string | null,
): Promise<void> {
  await run(db, 'datastore_create', createTable(table, fields));
  await run(db, 'datastore_create_index', searchIndex(table));
  if (reader !== null) await run(db, 'datastore_grant', grantReading(table, reader));
}

/** Adds columns; aliases show them too. */
export async function growTable(db: Sql, table: string, fields: readonly Field[]): Promise<void> {
  if (fields.length === 0) return;
  await run(db, 'datastore_grow', addColumns(table, fields));
  for (const alias of await listAliases(db, table)) await run(db, 'datastore_alias', createAlias(alias, table));
}

/** Writes the data dictionary of these fields. */
export async function describeFields(db: Sql, table: string, fields: readonly Field[]): Promise<void> {
  for (const field of fields) await run(db, 'datastore_describe', describeColumn(table, field));
}

/** Makes the aliases of a table exactly these. */
export async function putAliases(
  db: Sql,
  table: string,
  aliases: readonly string[],
  reader: string | null,
): Promise<void> {
  for (const alias of await listAliases(db, table)) await run(db, 'datastore_unalias', dropAlias(alias));
  for (const alias of aliases) {
    await run(db, 'datastore_alias', createAlias(alias, table));
    if (reader !== null) await run(db, 'datastore_grant', grantReading(alias, reader));
  }
}

/** Makes the unique or the other indexes of a table exactly these. */
export async function putIndexes(
  db: Sql,
  table: string,
  indexes: readonly (readonly string[])[],
  unique: boolean,
): Promise<void> {
  for (const index of await listIndexes(db, [table]))
    if (index.unique === unique) await run(db, 'datastore_drop_index', dropIndex(index.name));
  for (const columns of indexes)
    if (columns.length > 0) await run(db, 'datastore_create_index', createIndex(table, columns, unique));
}

/** Writes one batch. Answers a key that is not there, where an update wants it; else null. */
export async function writeBatch(
  db: Sql,
  table: string,
  batch: Batch,
  method: Method,
  key: readonly string[],
  all: readonly Column[],
): Promise<string[] | null> {
  if (method === 'insert') {
    await run(db, 'datastore_insert', insertRows(table, batch));
    return null;
  }
  if (method === 'update') {
    const [missing] = await run<Record<string, string>>(db, 'datastore_missing', missingKeys(table, batch, key));
    if (missing) return Object.values(missing);
  }
  await run(db, 'datastore_update', updateRows(table, batch, key, all));
  if (method === 'upsert') await run(db, 'datastore_insert', insertMissing(table, batch, key));
  return null;
}

/** Deletes the rows that fulfil all conditions, or all rows, and says how many. */
export async function deleteRows(db: Sql, table: string, plan: SearchPlan, all: readonly Column[]): Promise<number> {
  const [row] = await run<{ n: number }>(
    db,
    'datastore_delete',
    sql`WITH gone AS (DELETE FROM ${ident(table)} ${whereOf(plan, all)} RETURNING 1) SELECT count(*)::float8 AS n FROM gone`,
  );
  return row!.n;
}

/** Has PostgreSQL learn about the rows of a table. */
export const countRows = async (db: Sql, table: string): Promise<void> =>
  void (await run(db, 'datastore_analyze', analyze(table)));

/** @throws CatalogError LIMIT, always */
export function tooLong(): never {
  throw new CatalogError(
    'LIMIT',
    `The records are longer than ${MOST_BYTES} bytes: ask for fewer rows or fields, or download the table`,
  );
}

/** Records as text, and how many there are in all; `total` is null when it was not asked for. @throws CatalogError LIMIT */
export async function searchRows(
  db: Sql,
  source: Source,
  plan: SearchPlan,
  format: RecordsFormat,
): Promise<{ records: string; total: number | null }> {
  const [row] = await run<{ records: string | null; total: number | null }>(
    db,
    'datastore_search',
    searchSql(source, plan, format),
  );
  return { total: row!.total, records: row!.records ?? tooLong() };
}

/** Rows of a table, and bytes of it on disk with and without its indexes. */
export async function measureTable(
  db: Sql,
  table: string,
): Promise<{ count: number; size: number; indexSize: number }> {
  const [row] = await run<{ count: number; size: number; indexSize: number }>(
    db,
    'datastore_measure',
    sql`SELECT (SELECT count(*) FROM ${ident(table)})::float8 AS count, pg_table_size(oid)::float8 AS size,
      pg_indexes_size(oid)::float8 AS "indexSize" FROM pg_class WHERE relname = ${table} AND relnamespace = 'public'::regnamespace`,
  );
  return row!;
}
