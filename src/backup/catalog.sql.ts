/** Copies the catalog's database into a backup, and back into the schema of the same migrations. In SQL because Prisma has no COPY. */
import { pipeline } from 'node:stream/promises';
import { from as copyIn } from 'pg-copy-streams';
import type { Client } from '../infra/postgres/client.ts';
import { CopyOut } from '../infra/postgres/copy-out.ts';
import { isUnavailable } from '../infra/postgres/failures.ts';
import { createSchema, migratedTables, tryLockMigrations, unknownMigrations } from '../migrate/migrate.ts';
import type { ArchiveWriter } from './archive.ts';
import { connect, IS_OURS, quoted } from './connect.sql.ts';
import { type AppliedMigration, BackupError, type CatalogTable, type Footer, type Sequence } from './format.ts';

/**
 * Tables with the columns to copy. Omitted: tables that PostgreSQL itself empties after a crash, computed columns, and numbers of
 * transactions, which mean nothing in another server: the restoring transaction writes its own.
 */
const TABLES = `SELECT relname AS name,
    array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '' AND a.atttypid <> 'xid8'::regtype) AS columns,
    array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE pg_get_serial_sequence(quote_ident(relname), a.attname) IS NOT NULL) AS counted
  FROM pg_class JOIN pg_attribute a ON a.attrelid = pg_class.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE ${IS_OURS} AND relkind = 'r' AND relpersistence = 'p' AND relname <> '_prisma_migrations'
  GROUP BY relname ORDER BY relname`;

interface TableRow {
  readonly name: string;
  readonly columns: string[];
  readonly counted: string[] | null;
}

const tablesOf = async (client: Client): Promise<TableRow[]> => (await client.query<TableRow>(TABLES)).rows;

/** Applied migrations in order. @throws BackupError for a database without a catalog */
export async function migrationsOf(client: Client): Promise<AppliedMigration[]> {
  const { rows: found } = await client.query<{ is: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS is`,
  );
  if (!found[0]!.is) throw new BackupError('The database has no catalog yet: nothing to back up.');
  const { rows } = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name COLLATE "C"`,
  );
  return rows;
}

/** Names of the catalog's own tables, and of others that were added to its database. All are own if a newer release made some. */
export async function catalogTables(client: Client): Promise<{ own: string[]; others: string[] }> {
  const isNewer = unknownMigrations(await migrationsOf(client)).length > 0;
  const made = migratedTables();
  const names = (await tablesOf(client)).map(({ name }) => name);
  const isOwn = (name: string) => isNewer || made.has(name);
  return { own: names.filter(isOwn), others: names.filter((name) => !isOwn(name)) };
}

/** Bytes of all tables, for progress. */
export async function sizeOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ size: number }>(
    `SELECT coalesce(sum(pg_table_size(oid)), 0)::float8 AS size FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  return rows[0]!.size;
}

/** Rows of a table as COPY writes them. */
export async function* copyTable(
  client: Client,
  table: string,
  columns: readonly string[],
  onCopied: (rows: number) => void,
) {
  const copy = new CopyOut(`COPY ${quoted(table)} (${columns.map(quoted).join(', ')}) TO STDOUT`);
  client.query(copy);
  for await (const chunk of copy) yield chunk as Buffer;
  onCopied(copy.rowCount);
}

/** The state of a column's number generator. Not part of a snapshot, so it is never lower than the rows. */
export async function sequenceOf(client: Client, table: string, column: string): Promise<Sequence> {
  const { rows } = await client.query<{ name: string }>('SELECT pg_get_serial_sequence($1, $2) AS name', [
    quoted(table),
    column,
  ]);
  const { rows: state } = await client.query<{ last: string; isCalled: boolean }>(
    `SELECT last_value::text AS last, is_called AS "isCalled" FROM ${rows[0]!.name}`, // quoted by PostgreSQL
  );
  return { column, ...state[0]! };
}

export const setSequence = (client: Client, table: string, { column, last, isCalled }: Sequence) =>
  client.query('SELECT setval(pg_get_serial_sequence($1, $2)::regclass, $3::bigint, $4)', [
    quoted(table),
    column,
    last,
    isCalled,
  ]);

/** Members of these tables. */
export async function* catalogOut(
  client: Client,
  own: readonly string[],
  archive: ArchiveWriter,
  onTable: (table: string) => void,
): AsyncGenerator<Buffer> {
  for (const { name, columns, counted } of await tablesOf(client)) {
    if (!own.includes(name)) continue;
    onTable(name);
    const folder = `catalog/${name}`;
    const sequences: Sequence[] = [];
    for (const column of counted ?? []) sequences.push(await sequenceOf(client, name, column));
    yield* archive.json(folder, 0, { columns, sequences } satisfies CatalogTable);
    let rows = 0;
    const parts = yield* archive.parts(
      folder,
      copyTable(client, name, columns, (count) => (rows = count)),
      'gz',
    );
    yield* archive.json(folder, parts + 1, { rows } satisfies Footer);
  }
}

/** The connection broke during the commit: all rows may be stored, or none. */
export class UnknownCommit extends BackupError {
  constructor() {
    super(
      'The connection to the database broke during the commit, so the catalog has all rows or none. Files, tables and the secret were left in place. If `catalog documents check` finds no datasets, empty the place and start again.',
    );
  }
}

/** Fills an empty database in one transaction. */
export interface CatalogRestore {
  /** @returns number of rows */
  table(name: string, table: CatalogTable, rows: AsyncIterable<Buffer>): Promise<number>;
  /** Checks all counts and builds indexes. @throws BackupError */
  complete(counts: ReadonlyMap<string, number>): Promise<void>;
  /** @throws UnknownCommit */
  commit(): Promise<void>;
  /** Rolls back unless committed. */
  close(): Promise<void>;
}

/** Constraints and indexes that are cheaper to make when all rows are there. Foreign keys also need all rows. */
const LATER = `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make, 1 AS step
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
  UNION ALL SELECT format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), 0
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'public'::regnamespace
    WHERE NOT i.indisprimary AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
  ORDER BY step`;

/** @throws BackupError if the database is not empty */
export async function openCatalogRestore(
  url: string,
  migrations: readonly AppliedMigration[],
): Promise<CatalogRestore> {
  const client = await connect(url);
  try {
    await client.query('BEGIN');
    if (!(await tryLockMigrations(client)))
      throw new BackupError('Another restore or migration of the database is in progress. Nothing was restored.');
    await dropEmpty(client);
    await createSchema(client, migrations);
    const tables = new Map((await tablesOf(client)).map(({ name, columns }) => [name, columns]));
    const { rows: later } = await client.query<{ drop: string; make: string }>(LATER);
    for (const { drop } of [...later].reverse()) await client.query(drop);
    for (const name of tables.keys()) await client.query(`ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`);
    await client.query(`TRUNCATE ${[...tables.keys()].map(quoted).join(', ')}`); // some migrations write rows
    return filling(
      client,
      tables,
      later.map(({ make }) => make),
    );
  } catch (thrown) {
    await client.end();
    throw thrown;
  }
}

/** Rows with columns that the schema does not have, because they were added to it. Their values are ignored. */
async function copyKnown(
  client: Client,
  name: string,
  columns: readonly string[],
  known: readonly string[],
  rows: AsyncIterable<Buffer>,
) {
  const others = columns.filter((column) => !known.includes(column));
  const common = columns
    .filter((column) => known.includes(column))
    .map(quoted)
    .join(', ');
  await client.query(`CREATE TEMP TABLE incoming (LIKE ${quoted(name)})`);
  for (const column of others) await client.query(`ALTER TABLE incoming ADD COLUMN ${quoted(column)} text`);
  const copied = await copyRows(client, 'incoming', columns, rows);
  await client.query(`INSERT INTO ${quoted(name)} (${common}) SELECT ${common} FROM incoming`);
  await client.query('DROP TABLE incoming');
  return copied;
}

async function copyRows(
  client: Client,
  name: string,
  columns: readonly string[],
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const copy = client.query(copyIn(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) FROM STDIN`));
  await pipeline(rows, copy);
  return copy.rowCount;
}

function filling(
  client: Client,
  tables: ReadonlyMap<string, readonly string[]>,
  later: readonly string[],
): CatalogRestore {
  return {
    async table(name, { columns, sequences }, rows) {
      const known = tables.get(name);
      if (!known) throw new BackupError(`The schema of the backup has no table "${name}".`);
      const copied = columns.every((column) => known.includes(column))
        ? await copyRows(client, name, columns, rows)
        : await copyKnown(client, name, columns, known, rows);
      for (const sequence of sequences) await setSequence(client, name, sequence);
      return copied;
    },
    async complete(counts) {
      for (const name of tables.keys()) {
        const { rows } = await client.query<{ n: number }>(`SELECT count(*)::float8 AS n FROM ${quoted(name)}`);
        if (rows[0]!.n !== counts.get(name))
          throw new BackupError(
            `Table ${name} has ${rows[0]!.n} rows after the restore, expected ${counts.get(name)}.`,
          );
      }
      for (const make of later) await client.query(make);
      for (const name of tables.keys()) await client.query(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`);
      await client.query('ANALYZE');
    },
    async commit() {
      await client.query('COMMIT').catch((thrown: unknown) => {
        throw isUnavailable(thrown) ? new UnknownCommit() : thrown;
      });
    },
    close: () => client.end(),
  };
}

/** Tables that migrations fill. */
const FILLED_BY_MIGRATIONS = ['_prisma_migrations', 'search_value'];

/** Names of tables with rows. */
export async function filledTables(url: string): Promise<string[]> {
  const client = await connect(url);
  try {
    return await filledOf(client);
  } finally {
    await client.end();
  }
}

async function filledOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE ${IS_OURS} AND relkind IN ('r', 'p') AND relname <> ALL ($1)`,
    [FILLED_BY_MIGRATIONS],
  );
  const filled: string[] = [];
  for (const { name } of rows)
    if ((await client.query(`SELECT FROM ${quoted(name)} LIMIT 1`)).rowCount) filled.push(name);
  return filled;
}

/** @throws BackupError if another program uses them */
async function lockAll(client: Client, tables: string): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = '5s'`);
  await client.query(`LOCK TABLE ${tables}`).catch((thrown: { code?: string }) => {
    if (!['55P03', '40P01'].includes(thrown.code ?? '')) throw thrown; // timeout, deadlock
    throw new BackupError(
      'Another program uses the database. Nothing was restored. Stop the servers, and end other sessions.',
    );
  });
  await client.query('SET LOCAL lock_timeout = 0');
}

/**
 * Drops the schema of a catalog without rows, as `catalog reset` leaves it: it may be of another release. Its tables are locked before the
 * check, so that no row is dropped that a server has written.
 */
async function dropEmpty(client: Client): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE ${IS_OURS} AND relkind = 'r' ORDER BY relname`, // quoted by PostgreSQL
  );
  if (tables.length > 0) await lockAll(client, tables.map(({ name }) => name).join(', '));
  const [filled] = await filledOf(client);
  if (filled !== undefined)
    throw new BackupError(
      `The database is no longer empty: a server or another restore wrote to ${filled}. Nothing was restored. Stop the servers.`,
    );
  const { rows } = await client.query<{ drop: string }>(
    `SELECT format('DROP TABLE %s CASCADE', oid::regclass) AS drop FROM pg_class WHERE ${IS_OURS} AND relkind = 'r'
     UNION ALL SELECT format('DROP FUNCTION %s', p.oid::regprocedure) FROM pg_proc p
       WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
  );
  for (const { drop } of rows) await client.query(drop);
}
