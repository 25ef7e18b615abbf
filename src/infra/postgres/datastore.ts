/** The database of the DataStore: its connections, transactions, and the limits of concurrent work. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyIn } from 'pg-copy-streams';
import type { Settings } from '../../kernel/settings.ts';
import { type Bound, createSemaphore, type Semaphore } from '../concurrency/semaphore.ts';
import { type Reading, readBounded } from './bounded-read.ts';
import { timeoutsOf } from './client.ts';
import { type OwnTables, openPools, type PoolOptions } from './datastore.pools.ts';
import {
  available,
  copyFrom,
  endingWith,
  type OnStatement,
  observed,
  onClient,
  transaction,
  transactionWith,
} from './datastore.work.ts';
import { type Sql, type Statement, sqlOn } from './db.ts';
import { readAddress } from './hosts.ts';

export interface Datastore {
  /** Single statements as the read-only role; in legacy mode as the writing role. Their timeout is that of callers' own statements. */
  readonly sql: Sql;
  /**
   * Runs `work`, whose statements have the limits of `sql`. Bounds the concurrent searches per caller; others wait for
   * a permit. @throws CatalogError RATE_LIMIT, UNAVAILABLE at the timeout
   */
  search<T>(caller: string, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** False in legacy mode (ruling 11): without a read-only role, callers cannot run SQL. */
  readonly hasReader: boolean;
  /** Whether reads of all connections see one server, so that a later one sees at least as much as an earlier one. */
  readonly readsOneServer: boolean;
  /** The read-only role; null if it is the writing role. */
  readonly reader: string | null;
  /**
   * Runs `work` with a caller's own statement in a read-only transaction: over separate connections, with limits of
   * time and memory, and otherwise as `search`. @throws CatalogError LIMIT, RATE_LIMIT, UNAVAILABLE, CONFLICT
   */
  read<T>(caller: string, bounds: ReadBounds, work: (reading: Reading) => Promise<T>): Promise<T>;
  /**
   * The output of a COPY … TO STDOUT after its start, with the result of `prepare`. A disconnected reader ends it.
   * @throws CatalogError RATE_LIMIT, UNAVAILABLE at the limit of concurrent copies
   */
  copyOut<Found extends { readonly copy: Statement }>(request: CopyRequest<Found>): Promise<Found & { rows: Readable }>;
  /** Runs `work` in one transaction. `signal` cancels the current statement and rolls back. */
  write<T>(work: DatastoreWork<T>, signal?: AbortSignal): Promise<T>;
  /** The same, then `settle` with its result, which commits the same change to the catalog: a backup has both or neither. */
  writeWith<T, Settled>(
    work: DatastoreWork<T>,
    settle: (result: T) => Promise<Settled>,
    signal?: AbortSignal,
  ): Promise<Settled>;
  /** Its pools by name, for metrics. */
  readonly pools: Readonly<Record<string, pg.Pool>>;
  /** Runs `work` on a connection of its own, outside of transactions; one at a time in each process. `signal` cancels the current statement. */
  alone<T>(work: (sql: Sql) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Runs `work` while holding the key exclusively, across processes. */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Work of one transaction. */
export type DatastoreWork<T> = (sql: Sql, copy: CopyIn) => Promise<T>;

export interface CopyRequest<Found> {
  /** The caller's key, for the limit per caller. */
  readonly caller: string;
  /** Timeout in ms of each statement. */
  readonly timeout: number;
  /**
   * Runs before the snapshot is taken: locks the tables that are read. Otherwise a concurrently replaced table would be
   * read under a snapshot older than its rows, and appear empty. Null if nothing can be locked.
   */
  readonly lock: Statement | null;
  /** Prepares the statement, by reads in the same snapshot. */
  readonly prepare: (sql: Sql) => Promise<Found>;
}

/** Feeds a COPY … FROM STDIN from the source, with backpressure. An error of the source ends the COPY and is thrown. */
export type CopyIn = (statement: Statement, source: AsyncIterable<Buffer>) => Promise<void>;

export interface ReadBounds {
  /** Timeout in ms of the whole transaction. */
  readonly timeout: number;
  /** Whether functions that can make large values from small ones are replaced by versions that check sizes at run time. */
  readonly checked: boolean;
}

export interface DatastoreOptions extends Omit<PoolOptions, 'maxFiles'> {
  /** Concurrent COPY … TO STDOUT; each has its own connection. */
  readonly copies: Bound;
  /** Memory limit in bytes of a backend of `read`, if the system supports it. */
  readonly memory: number;
  /** Concurrent `search` and `read`. */
  readonly searches: Bound;
  readonly reads: Bound;
  /** Called with the text of every statement. */
  readonly onStatement?: OnStatement;
}

/** Timeout in ms for a permit. */
const TIMEOUT = 10_000;

const PATH = 'public';
/** The search path that finds size-checking functions first: see OwnTables. */
const CHECKED_PATH = 'catalog_checked, pg_catalog, public';

/** The DataStore in the settings; null without one. Does not connect yet. */
export function openDatastore(
  settings: Settings,
  own: OwnTables,
  onStatement?: (text: string) => void,
): Datastore | null {
  const writeUrl = settings['catalog.datastore.write_url'];
  if (writeUrl === null || !settings['catalog.plugins'].includes('datastore')) return null;
  const readUrl = settings['catalog.datastore.read_url'];
  const statements = (what: string): Bound => ({
    max: settings['catalog.database_pool'],
    maxPerCaller: settings['catalog.datastore.statements_per_caller'],
    what,
    setting: 'catalog.database_pool',
    settingPerCaller: 'catalog.datastore.statements_per_caller',
    timeout: TIMEOUT,
  });
  return datastore({
    writeUrl,
    readUrl,
    max: settings['catalog.database_pool'],
    timeout: settings['catalog.datastore.sql_timeout'] * 1000,
    lockTimeout: settings['catalog.datastore.lock_timeout'] * 1000,
    copies: {
      max: settings['catalog.datastore.downloads'],
      maxPerCaller: settings['catalog.datastore.downloads_per_caller'],
      what: 'downloads of tables',
      setting: 'catalog.datastore.downloads',
      settingPerCaller: 'catalog.datastore.downloads_per_caller',
    },
    memory: settings['catalog.datastore.sql_memory'],
    searches: statements('searches of tables'),
    reads: statements('statements'),
    own,
    timeouts: timeoutsOf(settings),
    ...(onStatement && { onStatement }),
  });
}

function datastore(options: DatastoreOptions): Datastore {
  const { memory, onStatement } = options;
  const pools = openPools({ ...options, maxFiles: options.copies.max });
  const copies = createSemaphore(options.copies);
  const searches = createSemaphore(options.searches);
  const reads = createSemaphore(options.reads);

  const copying =
    <T>(work: DatastoreWork<T>, signal: AbortSignal | undefined) =>
    (sql: Sql, client: pg.PoolClient): Promise<T> =>
      endingWith(signal, client, pools.locks, () =>
        work(sql, ({ text }, source) => {
          onStatement?.(text);
          return available(pipeline(source, client.query(copyIn(text))));
        }),
      );

  const sql = observed(sqlOn(pools.reader), onStatement);
  const { writer, locks, reader, slow, files, upkeep } = pools;
  const usual = { timeout: options.timeout, path: PATH };
  return {
    sql,
    pools: {
      datastore_write: writer,
      datastore_locks: locks,
      datastore_search: reader,
      datastore_sql: slow,
      datastore_files: files,
    },
    search: (caller, work) => withPermit(searches, caller, () => work(sql)),
    hasReader: options.readUrl !== null,
    readsOneServer: isOneServer(options.readUrl ?? options.writeUrl),
    reader: pools.otherRole,
    read: (caller, { timeout, checked }, work) =>
      withPermit(reads, caller, () =>
        available(
          readBounded(
            { pool: slow, usual, others: reader, role: pools.role, memory, ...(onStatement && { onStatement }) },
            { timeout, path: checked ? CHECKED_PATH : PATH },
            work,
          ),
        ),
      ),
    copyOut: async (request) => {
      const free = await copies.take(request.caller);
      try {
        return await available(copyFrom(pools.files, (client) => begun(client, request, onStatement), free));
      } catch (thrown) {
        free();
        throw thrown;
      }
    },
    write: (work, signal) => transaction(pools.writer, copying(work, signal), onStatement),
    writeWith: (work, settle, signal) => transactionWith(pools.writer, copying(work, signal), settle, onStatement),
    alone: (work, signal) =>
      onClient(upkeep, (sql, client) => endingWith(signal, client, locks, () => work(sql)), onStatement),
    exclusively: (key, work) =>
      onClient(
        pools.locks,
        async (sql) => {
          await sql.rows({ text: 'SELECT pg_advisory_lock(hashtextextended($1, 5432))' }, [key]);
          try {
            return await work();
          } finally {
            await sql.rows({ text: 'SELECT pg_advisory_unlock(hashtextextended($1, 5432))' }, [key]).catch(() => {});
          }
        },
        onStatement,
      ),
    close: async () => {
      await Promise.all([writer, locks, reader, slow, files, upkeep].map((pool) => pool.end()));
    },
  };
}

function isOneServer(url: string): boolean {
  const { hosts, target } = readAddress(url);
  return hosts.length === 1 || target === 'primary' || target === 'read-write';
}

/** Begins a transaction that reads, and prepares its COPY. */
async function begun<Found extends { readonly copy: Statement }>(
  client: pg.PoolClient,
  { timeout, lock, prepare }: CopyRequest<Found>,
  onStatement?: OnStatement,
): Promise<Found> {
  const sql = observed(sqlOn(client), onStatement);
  await sql.rows({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' });
  await sql.rows({ text: `SET LOCAL statement_timeout = ${Math.trunc(timeout)}` }); // set_config would take the snapshot
  if (lock) await sql.rows(lock);
  const found = await prepare(sql);
  onStatement?.(found.copy.text);
  return found;
}

async function withPermit<T>(semaphore: Semaphore, caller: string, work: () => Promise<T>): Promise<T> {
  const free = await semaphore.take(caller);
  try {
    return await work();
  } finally {
    free();
  }
}
