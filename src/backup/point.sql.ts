/**
 * Takes one point in time over both databases: a snapshot of each, while no write is between its two commits. In SQL because Prisma has no
 * LOCK TABLE and no advisory locks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { COUNTS } from '../datastore/tables/counts.sql.ts';
import { beginBackup, fenceAlone, unfenceAlone } from '../infra/postgres/backup-locks.sql.ts';
import type { Client } from '../infra/postgres/client.ts';
import { catalogTables } from './catalog.sql.ts';
import { connect, IS_OURS, quoted } from './connect.sql.ts';
import { BackupError } from './format.ts';

export interface Point {
  /** A transaction that reads at the point. It also keeps discarded files in the store until it is closed. */
  readonly catalog: Client;
  /** The same of the DataStore; null without one. */
  readonly datastore: Client | null;
  /** Names of the DataStore's tables, which cannot be dropped or replaced until `datastore` is closed. */
  readonly tables: readonly string[];
  /** Names of the catalog's tables. No migration changes them until `catalog` is closed. */
  readonly own: readonly string[];
  /** Names of tables in the catalog's database that are not of the catalog. */
  readonly others: readonly string[];
  readonly at: Date;
  close(): Promise<void>;
}

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
    return { catalog, datastore, ...(await lockedPoint(catalog, datastore)), close };
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

async function lockedPoint(
  catalog: Client,
  datastore: Client | null,
): Promise<Pick<Point, 'at' | 'tables' | 'own' | 'others'>> {
  for (const end = performance.now() + TIMEOUT; ; await sleep(PAUSE)) {
    let isFenced = false;
    try {
      const { own, others } = await catalogTables(catalog);
      if (datastore !== null) {
        await datastore.query(`SET lock_timeout = ${FENCE_TIMEOUT}`);
        await datastore.query(fenceAlone.text);
        isFenced = true;
        await datastore.query(`SET lock_timeout = ${TABLE_TIMEOUT}`);
        await datastore.query(BEGIN);
      }
      const tables = datastore === null ? [] : await lockTables(datastore);
      return { at: await beginAt(catalog, own), tables, own, others };
    } catch (thrown) {
      await Promise.all([datastore?.query('ROLLBACK'), catalog.query('ROLLBACK')]);
      if (!isLockTimeout(thrown) && !isGone(thrown)) throw thrown;
      if (performance.now() > end)
        throw new BackupError(
          'A table was locked for 10 minutes, for example by a migration or a long index creation. Try again later.',
        );
    } finally {
      if (isFenced) await datastore!.query(unfenceAlone.text);
    }
  }
}

/**
 * Begins the catalog's transaction. Locks come before its snapshot, which the first SELECT takes: a snapshot that is older than a rewritten
 * table would show that table empty.
 */
async function beginAt(catalog: Client, own: readonly string[]): Promise<Date> {
  await catalog.query(BEGIN);
  await catalog.query(`SET LOCAL lock_timeout = ${TABLE_TIMEOUT}`);
  await lock(catalog, own);
  const { rows } = await catalog.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  return rows[0]!.at;
}

/** The snapshot of this transaction is not older than any table: while fenced, no transaction commits another one. */
async function lockTables(datastore: Client): Promise<string[]> {
  const { rows } = await datastore.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE ${IS_OURS} AND relkind = 'r' AND relname <> $1 ORDER BY relname`,
    [COUNTS],
  );
  const names = rows.map(({ name }) => name);
  await lock(datastore, names);
  return names;
}

async function lock(client: Client, names: readonly string[]): Promise<void> {
  for (let from = 0; from < names.length; from += BATCH) {
    const batch = names.slice(from, from + BATCH).map(quoted);
    await client.query(`LOCK TABLE ${batch.join(', ')} IN ACCESS SHARE MODE`);
  }
}

/** True for a table that was dropped after it was listed. */
const isGone = (thrown: unknown): boolean => (thrown as { code?: string }).code === '42P01';
const isLockTimeout = (thrown: unknown): boolean => (thrown as { code?: string }).code === '55P03';
