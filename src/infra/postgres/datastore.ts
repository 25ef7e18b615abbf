/**
 * The DataStore's database: a role that writes and a read-only role, each with its own connections, opened on first
 * use. The catalog works while the DataStore is down, and the next call after its return works too. Independent of
 * tables.
 */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyIn } from 'pg-copy-streams';
import type { Settings } from '../../kernel/config.ts';
import { CatalogError, conflict } from '../../kernel/errors.ts';
import { type Bound, createSemaphore, type Semaphore } from '../concurrency/semaphore.ts';
import { type Reading, readBounded } from './bounded-read.ts';
import { Client, createPool, type Timeouts, timeoutsOf } from './client.ts';
import { CopyOut } from './copy-out.ts';
import { type Sql, type Statement, sqlOn } from './db.ts';
import { isUnavailable, unavailable } from './failures.ts';
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
  write<T>(work: (sql: Sql, copy: CopyIn) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Runs `work` while holding the key exclusively, across processes. */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

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

/** The DataStore's own objects beside the tables of resources. Each new connection checks for them: the database may be a new one. */
export interface OwnTables {
  /** A statement that returns whether they exist, as `done`. */
  readonly look: string;
  /** Statements that create them, run by the writing role; `reader` is the role that needs explicit grants. */
  readonly make: (reader: string | null) => string;
}

export interface DatastoreOptions {
  readonly writeUrl: string;
  readonly readUrl: string | null;
  /** Maximum number of connections of each kind. */
  readonly max: number;
  /** Timeout in ms of a statement of `sql`. */
  readonly timeout: number;
  /** Lock timeout in ms. Statements with a `timeout` get at most half of it, so that the lock is reported as the reason. */
  readonly lockTimeout: number;
  /** Concurrent COPY … TO STDOUT; each has its own connection. */
  readonly copies: Bound;
  /** Memory limit in bytes of a backend of `read`, if the system supports it. */
  readonly memory: number;
  /** Concurrent `search` and `read`. */
  readonly searches: Bound;
  readonly reads: Bound;
  readonly own: OwnTables;
  readonly timeouts: Timeouts;
  /** Called with the text of every statement. */
  readonly onStatement?: (text: string) => void;
}

/** Timeout in ms for a permit. */
const TIMEOUT = 10_000;

/** Text formats of values, independent of the server's own settings. */
const SESSION =
  '-c timezone=UTC -c datestyle=ISO,MDY -c intervalstyle=postgres -c extra_float_digits=1 -c search_path=public -c standard_conforming_strings=on';

/** For callers' own statements: each backend has a memory limit, which parallel workers would bypass. */
const FRUGAL = '-c work_mem=4MB -c hash_mem_multiplier=1 -c max_parallel_workers_per_gather=0 -c jit=off';

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
  const { writeUrl, readUrl, max, timeout, lockTimeout, copies, memory, searches, reads, own, timeouts, onStatement } =
    options;
  const roleOf = (address: string) => decodeURIComponent(new URL(readAddress(address).url).username);
  const readerName = readUrl === null ? null : roleOf(readUrl) || null;
  const otherReader = readerName === roleOf(writeUrl) ? null : readerName;
  const writing = `${SESSION} -c lock_timeout=${lockTimeout}`;
  const reading = `${SESSION} -c lock_timeout=${Math.min(lockTimeout, Math.ceil(timeout / 2))}`;
  const verify = (client: pg.ClientBase, done: (failure?: Error) => void): void =>
    void prepare(client, own, { writeUrl, options: writing, reader: otherReader, timeouts }).then(() => done(), done);
  const poolOf = (connectionString: string, max: number, options: string): pg.Pool =>
    createPool({ connectionString, max, options, timeouts, verify });
  const writer = poolOf(writeUrl, max, writing);
  const locks = poolOf(writeUrl, max, writing); // a lock holder waits for a write connection, never for another lock connection
  const reader = poolOf(readUrl ?? writeUrl, max, `${reading} -c statement_timeout=${timeout}`);
  const slow = poolOf(readUrl ?? writeUrl, max, `${reading} ${FRUGAL}`); // short searches never wait for long ones
  const files = poolOf(readUrl ?? writeUrl, copies.max, reading); // nor for slow downloads
  const permits = {
    copies: createSemaphore(copies),
    searches: createSemaphore(searches),
    reads: createSemaphore(reads),
  };
  const observed = (sql: Sql): Sql => ({
    rows: (statement, values) => {
      onStatement?.(statement.text);
      return available(sql.rows(statement, values));
    },
  });

  async function onClient<T>(pool: pg.Pool, work: (sql: Sql, client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await available(pool.connect());
    let failure: Error | undefined;
    try {
      return await work(observed(sqlOn(client)), client);
    } catch (thrown) {
      if (thrown instanceof CatalogError && thrown.kind === 'UNAVAILABLE') failure = thrown;
      throw thrown;
    } finally {
      client.release(failure);
    }
  }

  async function withPermit<T>(semaphore: Semaphore, caller: string, work: () => Promise<T>): Promise<T> {
    const free = await semaphore.take(caller);
    try {
      return await work();
    } finally {
      free();
    }
  }

  const transaction = <T>(
    pool: pg.Pool,
    begin: string,
    work: (sql: Sql, client: pg.PoolClient) => Promise<T>,
  ): Promise<T> =>
    onClient(pool, async (sql, client) => {
      await sql.rows({ text: begin });
      try {
        const result = await work(sql, client);
        await sql.rows({ text: 'COMMIT' });
        return result;
      } catch (thrown) {
        await sql.rows({ text: 'ROLLBACK' }).catch(() => {});
        throw thrown;
      }
    });

  const sql = observed(sqlOn(reader));
  return {
    sql,
    search: (caller, work) => withPermit(permits.searches, caller, () => work(sql)),
    hasReader: readUrl !== null,
    reader: otherReader,
    read: (caller, { timeout, checked }, work) =>
      withPermit(permits.reads, caller, () =>
        available(
          readBounded(
            { pool: slow, others: reader, role: readerName, memory, ...(onStatement && { onStatement }) },
            { timeout, path: checked ? CHECKED_PATH : 'public' },
            work,
          ),
        ),
      ),
    copyOut: async ({ caller, timeout, lock, prepare }) => {
      const free = await permits.copies.take(caller);
      const begun = async (client: pg.PoolClient) => {
        const sql = observed(sqlOn(client));
        await sql.rows({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' });
        await sql.rows({ text: `SET LOCAL statement_timeout = ${Math.trunc(timeout)}` }); // set_config would take the snapshot
        if (lock) await sql.rows(lock);
        const found = await prepare(sql);
        onStatement?.(found.copy.text);
        return found;
      };
      try {
        return await available(copyFrom(files, begun, free));
      } catch (thrown) {
        free();
        throw thrown;
      }
    },
    write: (work, signal) =>
      transaction(writer, 'BEGIN', (sql, client) =>
        endingWith(signal, client, locks, () =>
          work(sql, ({ text }, source) => {
            onStatement?.(text);
            return available(pipeline(source, client.query(copyIn(text))));
          }),
        ),
      ),
    exclusively: (key, work) =>
      onClient(locks, async (sql) => {
        await sql.rows({ text: 'SELECT pg_advisory_lock(hashtextextended($1, 5432))' }, [key]);
        try {
          return await work();
        } finally {
          await sql.rows({ text: 'SELECT pg_advisory_unlock(hashtextextended($1, 5432))' }, [key]).catch(() => {});
        }
      }),
    close: async () => {
      await Promise.all([writer, locks, reader, slow, files].map((pool) => pool.end()));
    },
  };
}

/** Runs `work`; on abort another connection cancels the current statement. */
async function endingWith<T>(
  signal: AbortSignal | undefined,
  client: pg.PoolClient,
  others: pg.Pool,
  work: () => Promise<T>,
): Promise<T> {
  let ended: Promise<unknown> = Promise.resolve();
  const { processID } = client as unknown as { processID: number };
  const end = () => {
    ended = others.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => {}); // the statement then runs to its end
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', end);
    await ended; // or it could cancel a statement of the connection's next user
  }
}

/** Creates the DataStore's own objects if a new connection does not find them. */
async function prepare(
  client: pg.ClientBase,
  { look, make }: OwnTables,
  {
    writeUrl,
    options,
    reader,
    timeouts,
  }: { writeUrl: string; options: string; reader: string | null; timeouts: Timeouts },
): Promise<void> {
  const { rows } = await client.query<{ done: boolean }>(look);
  if (rows[0]!.done) return;
  const writer = new Client({ connectionString: writeUrl, options, timeouts });
  await writer.connect();
  try {
    await writer.query(make(reader));
  } finally {
    await writer.end();
  }
}

/** Runs the COPY of a prepared transaction. Waits for the first bytes, so that errors are reported before anything is written. */
async function copyFrom<Found extends { readonly copy: Statement }>(
  pool: pg.Pool,
  begun: (client: pg.PoolClient) => Promise<Found>,
  over: () => void,
): Promise<Found & { rows: Readable }> {
  const client = await pool.connect();
  const release = (failure?: Error) => client.release(failure);
  const end = (how: 'COMMIT' | 'ROLLBACK') => client.query(how).then(() => release(), release);
  let found: Found;
  try {
    found = await begun(client);
  } catch (thrown) {
    await end('ROLLBACK');
    throw thrown;
  }
  const rows = client.query(new CopyOut(found.copy.text));
  let isOver = false;
  const finish = (failure?: Error) => {
    if (isOver) return;
    isOver = true;
    over();
    if (failure) release(failure);
    else void end('COMMIT');
  };
  rows.once('error', finish);
  rows.once('close', () => finish(rows.readableEnded ? undefined : new Error('the stream was not read to its end')));
  await once(rows, 'readable');
  return { ...found, rows };
}

/** SQLSTATE of a cancelled statement: by its timeout, which its caller reports, or by its caller. */
const ENDED = '57014';

/** The promise's value. @throws CatalogError UNAVAILABLE, CONFLICT (lock timeout) */
async function available<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (thrown) {
    const { code = '' } = thrown as { code?: string };
    if (code === '55P03')
      throw conflict('Timeout: other requests are writing this table (catalog.datastore.lock_timeout). Try again.');
    if (code === '40P01') throw conflict('Deadlock with other writers of this table. Try again.');
    if (code !== ENDED && !(thrown instanceof CatalogError) && isUnavailable(thrown))
      throw unavailable('The DataStore is currently unavailable. Try again later.', thrown);
    throw thrown;
  }
}
