/** Runs the backup and restore commands, and reads the whole content of both databases for comparison. */
import pg from 'pg';
import { pino } from 'pino';
import { command as backup } from '../../src/cli/backup.ts';
import { command as restore } from '../../src/cli/restore.ts';
import { COUNTS } from '../../src/datastore/tables/counts.sql.ts';
import type { Settings } from '../../src/kernel/settings.ts';

const context = (settings: Settings) => ({ settings, log: pino({ level: 'silent' }) });

/** Output of a command. Lines of standard error begin with "! ". @throws its errors */
async function said(work: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const { log, error } = console;
  console.log = (line: string) => void lines.push(line);
  console.error = (line: string) => void lines.push(`! ${line}`);
  try {
    await work();
  } finally {
    Object.assign(console, { log, error });
  }
  return lines.join('\n');
}

/** Returns the name of the archive, and the output of the command. */
export async function backUp(settings: Settings, place: string): Promise<{ file: string; text: string }> {
  const text = await said(() => backup([place], context(settings)));
  return { text, file: /^(.*): point in time/m.exec(text)![1]! };
}

export const restoreFrom = (settings: Settings, file: string): Promise<string> =>
  said(() => restore([file], context(settings)));

export async function query<Row = any>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

const ROWS = `SELECT c.relname AS table, array_agg(quote_ident(a.attname) ORDER BY a.attnum) FILTER (WHERE a.atttypid <> 'xid8'::regtype) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p' AND c.relname <> ALL ($1) GROUP BY 1 ORDER BY 1`;

/** Every row as text, by table. */
async function rowsOf(url: string, except: string[]): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  for (const { table, columns } of await query(url, ROWS, [except]))
    rows[table] = (await query(url, `SELECT ROW(${columns.join(', ')})::text AS row FROM "${table}" ORDER BY 1`)).map(
      ({ row }) => row as string,
    );
  return rows;
}

const SCHEMA = `SELECT 'index ' || indexdef AS line FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT 'trigger ' || tgenabled::text || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'sequence ' || sequencename || ' ' || coalesce(last_value::text, 'new') FROM pg_sequences WHERE schemaname = 'public'
  UNION ALL SELECT 'migration ' || migration_name FROM _prisma_migrations ORDER BY 1`;

/** Everything in a catalog's database. */
export const catalogContents = async (url: string) => ({
  rows: await rowsOf(url, ['_prisma_migrations']),
  schema: (await query(url, SCHEMA)).map(({ line }) => line as string),
});

const TABLES = `SELECT c.relname AS name, c.relkind AS kind, relacl::text AS rights,
    (SELECT array_agg(a.attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attidentity::text || ' ' || coalesce(col_description(c.oid, attnum), '-') ORDER BY attnum)
      FROM pg_attribute a WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
    (SELECT array_agg(regexp_replace(pg_get_indexdef(indexrelid), 'INDEX .* ON', 'INDEX ON') ORDER BY regexp_replace(pg_get_indexdef(indexrelid), 'INDEX .* ON', 'INDEX ON')) FROM pg_index WHERE indrelid = c.oid) AS indexes,
    (SELECT last_value FROM pg_sequences WHERE sequencename = c.relname || '__id_seq') AS last
  FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND relname <> $1 ORDER BY 1`;

/** Everything in a DataStore's database, with the stored row count of each table. */
export const datastoreContents = async (url: string) => ({
  tables: await query(url, TABLES, [COUNTS]),
  rows: await rowsOf(url, [COUNTS]),
  counts: await query(url, `SELECT relation, sum(n)::float8 AS n FROM "${COUNTS}" GROUP BY 1 ORDER BY 1`),
});
