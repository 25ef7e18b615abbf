/** `catalog reset`: empties both databases, also while a server uses them. */
import type pg from 'pg';
import { IS_OURS } from '../backup/connect.sql.ts';
import { areCountsThere, COUNTS } from '../datastore/tables/counts.sql.ts';
import { openDatabases } from '../embedded/databases.ts';
import { Client } from '../infra/postgres/client.ts';
import { migrate } from '../migrate/migrate.ts';
import { type Command, UsageError } from './command.ts';

export const command: Command = async (args, { settings, log }) => {
  if (!args.includes('--yes'))
    throw new UsageError('This deletes all data in both databases. To confirm, run: catalog reset --yes');
  const databases = await openDatabases(settings, log);
  try {
    const { 'catalog.database_url': catalog, 'catalog.datastore.write_url': datastore } = databases.settings;
    await migrate(catalog);
    await withClient(catalog, emptyCatalog);
    if (datastore !== null) await withClient(datastore, dropTables);
  } finally {
    await databases.close();
  }
};

/** Lock timeout in ms. A running request may lock a table: the reset waits this long, releases its locks, and tries again. */
const LOCK_TIMEOUT = 2_000;
const ATTEMPTS = 5;

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'catalog-gateway reset' });
  await client.connect();
  try {
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT}`);
    await work(client);
  } finally {
    await client.end();
  }
}

/** One statement, so that no reader sees a partial result. Skips empty tables, because truncating any table costs new files. */
async function emptyCatalog(client: pg.Client): Promise<void> {
  const filled = await filledTables(client);
  if (filled.length > 0) await retry(() => client.query(`TRUNCATE ${filled.join(', ')} RESTART IDENTITY CASCADE`));
}

async function filledTables(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> '_prisma_migrations'`,
  );
  if (tables.length === 0) return [];
  const checks = tables.map(({ name }, index) => `SELECT ${index} AS index WHERE EXISTS (SELECT FROM ${name})`);
  const { rows } = await client.query<{ index: number }>(checks.join(' UNION ALL '));
  return rows.flatMap(({ index }) => tables[index]?.name ?? []);
}

/** Drops tables in batches, because each takes a lock and the server's number of locks is limited. */
async function dropTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ kind: string; name: string }>(
    `SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END AS kind, quote_ident(relname) AS name
     FROM pg_class WHERE ${IS_OURS} AND relkind IN ('r', 'p', 'v', 'm') AND pg_has_role(relowner, 'USAGE')
       AND relname <> '${COUNTS}'`, // running servers check for it once per connection
  );
  for (let from = 0; from < rows.length; from += 100) {
    const drops = rows.slice(from, from + 100).map(({ kind, name }) => `DROP ${kind} IF EXISTS public.${name} CASCADE`);
    await retry(() => client.query(drops.join('; ')));
  }
  const { rows: counts } = await client.query(areCountsThere);
  if (counts[0].done) await client.query(`DELETE FROM public.${COUNTS}`);
}

async function retry(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (thrown) {
      const { code = '' } = thrown as { code?: string };
      const passing = code === '55P03' || code === '40P01'; // lock timeout, deadlock
      if (!passing || attempt === ATTEMPTS) throw thrown;
    }
  }
}
