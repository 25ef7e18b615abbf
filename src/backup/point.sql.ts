/**
 * One point in time over both databases: a snapshot of each, taken while no write is between its two commits. In SQL because Prisma has no
 * locks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { COUNTS } from '../datastore/tables/counts.sql.ts';
import { beginBackup, fenceAlone, unfenceAlone } from '../infra/postgres/backup-locks.sql.ts';
import { Client } from '../infra/postgres/client.ts';
import { BackupError } from './format.ts';

export interface Point {
  /** A transaction that reads at the point. It also keeps discarded files in the store until it is closed. */
  readonly catalog: Client;
  /** The same of the DataStore; null without one. */
  readonly datastore: Client | null;
  /** Names of the DataStore's tables, which cannot be dropped or replaced until `datastore` is closed. */
  readonly tables: readonly string[];
  readonly at: Date;
  close(): Promise<void>;
}

/** Text formats of values, independent of the settings of a server, and no timeouts. */
const SESSION = `SELECT set_config(name, value, false) FROM (VALUES ('timezone', 'UTC'), ('datestyle', 'ISO, MDY'), ('intervalstyle', 'postgres'),
    ('extra_float_digits', '1'), ('bytea_output', 'hex'), ('lc_monetary', 'C'), ('search_path', 'public'), ('client_encoding', 'UTF8'),
    ('statement_timeout', '0'), ('transaction_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('idle_session_timeout', '0'))
  v (name, value) WHERE name IN (SELECT name FROM pg_settings)`;

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
/** ms to wait for writers between their two commits, and for a table that is being replaced. Later writers wait as long. */
const FENCE_TIMEOUT = 2_000;
/** Below PostgreSQL's deadlock_timeout: a transaction that holds a table may wait for the fence. */
const TABLE_TIMEOUT = 500;
/** ms to wait for another backup, or for a request that deletes files at the moment. */
const BACKUP_TIMEOUT = 5_000;
/** ms between attempts, and in total. */
const PAUSE = 1_000;
const TIMEOUT = 10 * 60_000;
/** Tables per statement. */
const BATCH = 500;

/** A connection with text formats that every server reads alike. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'catalog backup' });
  await client.connect();
  await client.query(SESSION);
  return client;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** @throws BackupError if another backup is running, or a table stays locked */
export async function takePoint(urls: { readonly catalog: string; readonly datastore: string | null }): Promise<Point> {
  const catalog = await connect(urls.catalog);
  let datastore: Client | null = null;
  const close = async () => {
    await Promise.all([catalog.end(), datastore?.end()]);
  };
  try {
    await beginAlone(catalog);
    datastore = urls.datastore === null ? null : await connect(urls.datastore);
    const { at, tables } = datastore === null ? await snapshotOf(catalog, []) : await fenced(catalog, datastore);
    return { catalog, datastore, tables, at, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function beginAlone(catalog: Client): Promise<void> {
  await catalog.query(`SET lock_timeout = ${BACKUP_TIMEOUT}`);
  try {
    await catalog.query(beginBackup.text);
  } catch (thrown) {
    if (isLockTimeout(thrown)) throw new BackupError('Another backup of this catalog is running. Try again later.');
    throw thrown;
  }
  await catalog.query('SET lock_timeout = 0');
}

async function fenced(catalog: Client, datastore: Client): Promise<{ at: Date; tables: string[] }> {
  for (const end = performance.now() + TIMEOUT; ; await sleep(PAUSE)) {
    let isFenced = false;
    try {
      await datastore.query(`SET lock_timeout = ${FENCE_TIMEOUT}`);
      await datastore.query(fenceAlone.text);
      isFenced = true;
      await datastore.query(`SET lock_timeout = ${TABLE_TIMEOUT}`);
      await datastore.query(BEGIN);
      const tables = await lockTables(datastore);
      return await snapshotOf(catalog, tables);
    } catch (thrown) {
      await Promise.all([datastore.query('ROLLBACK'), catalog.query('ROLLBACK')]);
      if (!isLockTimeout(thrown)) throw thrown;
      if (performance.now() > end)
        throw new BackupError(
          'A table of the DataStore was locked for 10 minutes, for example by a long index creation. Try again later.',
        );
    } finally {
      if (isFenced) await datastore.query(unfenceAlone.text);
    }
  }
}

/** Begins the catalog's transaction; its first statement takes the snapshot. */
async function snapshotOf(catalog: Client, tables: string[]): Promise<{ at: Date; tables: string[] }> {
  await catalog.query(BEGIN);
  const { rows } = await catalog.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  return { at: rows[0]!.at, tables };
}

/** The snapshot of this transaction is not older than any table: while fenced, no transaction commits another one. */
async function lockTables(datastore: Client): Promise<string[]> {
  const { rows } = await datastore.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> $1 ORDER BY relname`,
    [COUNTS],
  );
  const names = rows.map(({ name }) => name);
  for (let from = 0; from < names.length; from += BATCH)
    await datastore.query(
      `LOCK TABLE ${names
        .slice(from, from + BATCH)
        .map(quoted)
        .join(', ')} IN ACCESS SHARE MODE`,
    );
  return names;
}

const isLockTimeout = (thrown: unknown): boolean => (thrown as { code?: string }).code === '55P03';
