/** Copies the DataStore's tables into a backup and back. In SQL because they are not in the Prisma schema, and Prisma has no COPY. */
import { pipeline } from 'node:stream/promises';
import { from as copyIn } from 'pg-copy-streams';
import { type Fragment, statementOf } from '../datastore/fragment.ts';
import { addKey, createLoaded } from '../datastore/rows/load.sql.ts';
import { analyze, createIndex, grantReading, searchIndex, wordlessIndex } from '../datastore/rows/write.sql.ts';
import { describeFields, putAliases } from '../datastore/rows/write.store.ts';
import { COUNTS, ownTables } from '../datastore/tables/counts.sql.ts';
import { setCount } from '../datastore/tables/counts.store.ts';
import { listAliases, listIndexes, listKnownTypes } from '../datastore/tables/tables.sql.ts';
import type { Client } from '../infra/postgres/client.ts';
import { sqlOn } from '../infra/postgres/db.ts';
import { readAddress } from '../infra/postgres/hosts.ts';
import type { ArchiveWriter } from './archive.ts';
import { copyTable, sequenceOf, setSequence } from './catalog.sql.ts';
import { connect, IS_OURS, quoted } from './connect.sql.ts';
import { BackupError, type DatastoreTable, type Footer } from './format.ts';

const COLUMNS = `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, col_description(a.attrelid, a.attnum) AS info
  FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

/** Members of all tables. */
export async function* tablesOut(
  client: Client,
  names: readonly string[],
  archive: ArchiveWriter,
  onTable: (number: number) => void,
): AsyncGenerator<Buffer> {
  for (const [index, name] of names.entries()) {
    onTable(index + 1);
    const folder = `datastore/${String(index + 1).padStart(6, '0')}`;
    const table = await describe(client, name);
    yield* archive.json(folder, 0, table);
    let rows = 0;
    const columns = table.columns.map((column) => column.name);
    const parts = yield* archive.parts(
      folder,
      copyTable(client, name, columns, (count) => (rows = count)),
      'gz',
    );
    yield* archive.json(folder, parts + 1, { rows } satisfies Footer);
  }
}

async function describe(client: Client, name: string): Promise<DatastoreTable> {
  const sql = sqlOn(client);
  const { rows } = await client.query<{ name: string; type: string; info: string | null }>(COLUMNS, [quoted(name)]);
  const columns = rows.map((column) => ({ ...column, info: infoOf(column.info) }));
  const indexes = (await listIndexes(sql, [name])).map(({ columns, unique }) => ({ columns, unique }));
  const isNumbered = columns.some((column) => column.name === '_id');
  return {
    name,
    columns,
    indexes,
    aliases: await listAliases(sql, name),
    sequence: isNumbered ? await sequenceOf(client, name, '_id') : null,
  };
}

/** An entry of the data dictionary. */
function infoOf(comment: string | null): unknown {
  try {
    return comment === null ? null : JSON.parse(comment);
  } catch {
    return null; // a comment of another program
  }
}

/** Fills an empty DataStore, a transaction per table. */
export interface TablesRestore {
  /** @returns number of rows */
  table(table: DatastoreTable, rows: AsyncIterable<Buffer>): Promise<number>;
  /** Checks the count of each restored table. @throws BackupError */
  check(): Promise<void>;
  /** Drops what was restored. */
  undo(): Promise<void>;
  close(): Promise<void>;
}

/** Columns that every table has. */
const OWN = ['_id', '_full_text'];

export async function openTablesRestore(writeUrl: string, readUrl: string | null): Promise<TablesRestore> {
  const client = await connect(writeUrl);
  const sql = sqlOn(client);
  const roleOf = (url: string) => decodeURIComponent(new URL(readAddress(url).url).username);
  const reader = readUrl === null || roleOf(readUrl) === roleOf(writeUrl) ? null : roleOf(readUrl);
  await client.query(ownTables.make(reader));
  const restored = new Map<string, number>();
  const run = (fragment: Fragment) => sql.rows(statementOf('restore', fragment).statement);

  async function fill({ name, columns, indexes, aliases, sequence }: DatastoreTable, source: AsyncIterable<Buffer>) {
    const fields = columns
      .filter((column) => !OWN.includes(column.name))
      .map((column) => ({ id: column.name, type: column.type, info: column.info }));
    for (const { id, type } of fields)
      if (!(await listKnownTypes(sql, [type])).has(type))
        throw new BackupError(
          `PostgreSQL has no type "${type}" (table ${name}, field ${id}). If an extension defines it, install the extension. Otherwise restore into the PostgreSQL version of the backup.`,
        );
    await run(createLoaded(name, fields));
    const names = columns.map((column) => quoted(column.name)).join(', ');
    const copy = client.query(copyIn(`COPY ${quoted(name)} (${names}) FROM STDIN (FREEZE)`));
    await pipeline(source, copy);
    await run(addKey(name));
    await run(searchIndex(name));
    await run(wordlessIndex(name));
    for (const index of indexes) await run(createIndex(name, index.columns, index.unique));
    await describeFields(
      sql,
      name,
      fields.filter(({ info }) => info != null),
    );
    if (sequence) await setSequence(client, name, sequence);
    if (reader !== null) await run(grantReading(name, reader));
    await putAliases(sql, name, aliases, reader);
    await setCount(sql, name, copy.rowCount);
    await run(analyze(name));
    return copy.rowCount;
  }

  return {
    async table(table, source) {
      await client.query('BEGIN');
      try {
        const rows = await fill(table, source);
        await client.query('COMMIT');
        restored.set(table.name, rows);
        return rows;
      } catch (thrown) {
        await client.query('ROLLBACK');
        throw thrown;
      }
    },
    async check() {
      for (const [name, expected] of restored) {
        const { rows } = await client.query<{ n: number }>(`SELECT count(*)::float8 AS n FROM ${quoted(name)}`);
        if (rows[0]!.n !== expected)
          throw new BackupError(`Table ${name} has ${rows[0]!.n} rows after the restore, expected ${expected}.`);
      }
    },
    async undo() {
      for (const name of restored.keys()) {
        await client.query(`DROP TABLE IF EXISTS ${quoted(name)} CASCADE`);
        await setCount(sql, name, null);
      }
    },
    close: () => client.end(),
  };
}

/** Names of tables and aliases that exist. */
export async function existingTables(url: string): Promise<string[]> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE ${IS_OURS} AND relkind IN ('r', 'p', 'v', 'm') AND relname <> $1 ORDER BY 1 LIMIT 10`,
      [COUNTS],
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
