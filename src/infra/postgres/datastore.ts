/**
 * The DataStore's database: a role that writes and one that only reads, each with connections of its own, opened when they
 * are first needed. The catalog works while it is down; the next call after it is back works too. Knows no table.
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
  /** Statements by themselves, as the role that only reads; as the one that writes in legacy mode. None takes longer than callers' own may. */
  readonly sql: Sql;
  /**
   * Runs `work`, whose statements are those of `sql` and may take all of that time. One caller has so many under way, more of them wait
   * for their turn. @throws CatalogError RATE_LIMIT, UNAVAILABLE where it does not come
   */
  search<T>(caller: string, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** False in legacy mode (ruling 11): no role that only reads, hence no SQL of callers. */
  readonly hasReader: boolean;
  /** The role that only reads, where it is another than the one that writes. */
  readonly reader: string | null;
  /**
   * Runs `work`, a caller's own statement, in a read-only transaction: over connections of its own, with a limit of time and memory, and
   * otherwise as `search`. @throws CatalogError LIMIT, RATE_LIMIT, UNAVAILABLE, CONFLICT
   */
  read<T>(caller: string, bounds: ReadBounds, work: (reading: Reading) => Promise<T>): Promise<T>;
  /**
   * What a COPY … TO STDOUT writes, once it has begun, and what was found out for it. A reader that goes away ends it.
   * @throws CatalogError RATE_LIMIT, UNAVAILABLE while too many are under way
   */
  copyOut<Found extends { readonly copy: Statement }>(asked: CopyAsked<Found>): Promise<Found & { rows: Readable }>;
  /** Runs `work` in one transaction. The statement under way ends with `signal`, and all of it is undone. */
  write<T>(work: (sql: Sql, copy: CopyIn) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Runs `work` while nobody else, in any process, holds the same key. */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface CopyAsked<Found> {
  /** Whose it is: nobody may have too many at a time. */
  readonly caller: string;
  /** ms that each statement of it may take. */
  readonly timeout: number;
  /**
   * Run before anything that takes the snapshot: locks what is read. A table that takes the place of another meanwhile would be read
   * under a snapshot that is older than its rows, and come out empty. Null where nothing can be locked.
   */
  readonly lock: Statement | null;
  /** The statement, after what must be looked at first; in the same snapshot. */
  readonly prepare: (sql: Sql) => Promise<Found>;
}

/** Gives a COPY … FROM STDIN what it shall read, as fast as it reads. What the source throws ends it, and is thrown. */
export type CopyIn = (statement: Statement, source: AsyncIterable<Buffer>) => Promise<void>;

export interface ReadBounds {
  /** ms, of the whole transaction. */
  readonly timeout: number;
  /** Whether functions that can make great values of small ones are those that check sizes as they run. */
  readonly checked: boolean;
}

/** What the DataStore keeps of its own beside the tables of resources. Each new connection looks for it: the database may be a new one. */
export interface OwnTables {
  /** A statement that answers whether it is there, as `done`. */
  readonly look: string;
  /** Statements that make it, run by the role that writes; `reader` is the role that must be let in by name. */
  readonly make: (reader: string | null) => string;
}

export interface DatastoreOptions {
  readonly writeUrl: string;
  readonly readUrl: string | null;
  /** Connections of each kind at most. */
  readonly max: number;
  /** ms that a statement of `sql` may take. */
  readonly timeout: number;
  /** ms that a statement waits for a lock; of those that `timeout` ends, half of that at most: why they ended is said then. */
  readonly lockTimeout: number;
  /** COPY … TO STDOUT at a time; each has a connection of its own. */
  readonly copies: Bound;
  /** Bytes that the process of a connection of `read` may allocate, where the system can limit it. */
  readonly memory: number;
  /** `search` at a time, and `read`. */
  readonly searches: Bound;
  readonly reads: Bound;
  readonly own: OwnTables;
  readonly timeouts: Timeouts;
  /** Told the text of every statement sent. */
  readonly onStatement?: (text: string) => void;
}

/** ms to wait for the turn to have a connection. */
const TIMEOUT = 10_000;

/** How values are written and read, whatever the server's own settings. */
const SESSION =
  '-c timezone=UTC -c datestyle=ISO,MDY -c intervalstyle=postgres -c extra_float_digits=1 -c search_path=public -c standard_conforming_strings=on';

/** For callers' own statements: each process has a limit of memory, which parallel workers would not have. */
const FRUGAL = '-c work_mem=4MB -c hash_mem_multiplier=1 -c max_parallel_workers_per_gather=0 -c jit=off';

/** Where names of functions are looked up first when sizes are to be checked: see OwnTables. */
const CHECKED_PATH = 'catalog_checked, pg_catalog, public';

/** The DataStore that the settings name; null where there is none. Connects to nothing yet. */
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
  const locks = poolOf(writeUrl, max, writing); // who holds a lock waits for a connection to write with: never for one of its own kind
  const reader = poolOf(readUrl ?? writeUrl, max, `${reading} -c statement_timeout=${timeout}`);
  const slow = poolOf(readUrl ?? writeUrl, max, `${reading} ${FRUGAL}`); // short searches never wait for long ones
  const files = poolOf(readUrl ?? writeUrl, copies.max, reading); // nor do these for whoever downloads slowly
  const permits = {
    copies: createSemaphore(copies),
    searches: createSemaphore(searches),
    reads: createSemaphore(reads),
  };
  const told = (sql: Sql): Sql => ({
    rows: (statement, values) => {
      onStatement?.(statement.text);
      return available(sql.rows(statement, values));
    },
  });

  async function onClient<T>(pool: pg.Pool, work: (sql: Sql, client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await available(pool.connect());
    let failure: Error | undefined;
    try {
      return await work(told(sqlOn(client)), client);
    } catch (thrown) {
      if (thrown instanceof CatalogError && thrown.kind === 'UNAVAILABLE') failure = thrown;
      throw thrown;
    } finally {
      client.release(failure);
    }
  }

  async function inPlace<T>(place: Semaphore, caller: string, work: () => Promise<T>): Promise<T> {
    const free = await place.take(caller);
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

  const sql = told(sqlOn(reader));
  return {
    sql,
    search: (caller, work) => inPlace(permits.searches, caller, () => work(sql)),
    hasReader: readUrl !== null,
    reader: otherReader,
    read: (caller, { timeout, checked }, work) =>
      inPlace(permits.reads, caller, () =>
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
        const sql = told(sqlOn(client));
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

/** Runs `work`; the statement that it has under way on a connection is ended with the signal, from another connection. */
async function endingWith<T>(
  signal: AbortSignal | undefined,
  client: pg.PoolClient,
  others: pg.Pool,
  work: () => Promise<T>,
): Promise<T> {
  let ended: Promise<unknown> = Promise.resolve();
  const { processID } = client as unknown as { processID: number };
  const end = () => {
    ended = others.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => {}); // it goes on to its end then
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', end);
    await ended; // or it could end a statement of whoever has the connection next
  }
}

/** Has what the DataStore keeps of its own made, where a new connection does not find it. */
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

/** Runs the COPY that a transaction was begun and prepared for. Waits for the first bytes, so that what is wrong with it is said before anything is written. */
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

/** SQLSTATE of a statement that was ended: for its time, which its caller tells, or for its caller. */
const ENDED = '57014';

/** What a promise gives. @throws CatalogError UNAVAILABLE, CONFLICT (a lock was not to be had) */
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
