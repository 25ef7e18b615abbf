/**
 * Runs a caller's statement in a read-only transaction with limits of time and memory. PostgreSQL cannot interrupt some
 * of its loops. At the timeout the caller therefore gets an answer and the connection is closed, even if the server
 * does not react.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { CatalogError } from '../../kernel/errors.ts';
import type { Client } from './client.ts';
import { confine, memoryOf } from './memory-limit.ts';
import { columnsOf, type DescribedColumn, type Expected, eachExpectedRow, eachRow, OtherColumns } from './row-query.ts';

type Take = (row: readonly (string | null)[]) => void;

export interface Reading {
  /** Columns of a statement's rows, with type oids. Neither plans nor runs the statement. */
  describe(text: string): Promise<DescribedColumn[]>;
  /** Runs a statement and passes each row on as it arrives. An error of `take` ends the statement. `isLast` ends the transaction with it. */
  rows(text: string, values: readonly unknown[], take: Take, isLast?: boolean): Promise<void>;
  /**
   * `describe` and the last `rows` of a transaction, or its only ones, in one round trip. False if the described statement has other
   * columns than expected: no row was passed on. @throws OtherColumns if such rows are so many that the connection is closed
   */
  expectedRows(of: Expected, text: string, values: readonly unknown[], take: Take): Promise<boolean>;
  /**
   * Rejects with the caller's error as soon as the statement is cut by its timeout or an error of `take`. The read
   * itself ends only after PostgreSQL's process has ended, so that its permit is not reused earlier.
   */
  readonly cut: Promise<never>;
  /** The process id of the PostgreSQL backend. */
  readonly process: number;
}

/** Settings of a transaction. */
export interface Bounds {
  /** Timeout of a statement in ms. */
  readonly timeout: number;
  /** Search path. */
  readonly path: string;
}

export interface BoundedOptions {
  /** With one PostgreSQL backend per connection, for these reads only. */
  readonly pool: pg.Pool;
  /** Settings of most reads: the connections get them once. */
  readonly usual: Bounds;
  /** Connections of the same role, for cancelling statements. */
  readonly others: pg.Pool;
  readonly role: string | null;
  /** Memory limit of a connection's backend in bytes, if the system supports it. */
  readonly memory: number;
  readonly onStatement?: (text: string) => void;
}

/** ms after the timeout in which PostgreSQL can end a statement itself. */
const GRACE = 500;
/** Maximum ms that a permit is held for a backend that does not end. */
const MAX_HELD = 300_000;
/** ms between checks whether a backend has ended: the first pause, and the maximum. */
const LOOKS = { first: 20, max: 1_000 };
/** Memory in bytes that an idle connection may retain, such as compiled patterns. Connections above it are closed. */
const MAX_RETAINED = 32 * 2 ** 20;

/** Maximum characters of a statement without a COMMIT, which frees the memory of the parsed statement. */
const MAX_ALONE = 10_000;

interface Backend {
  readonly pid: number;
  /** Memory in bytes that it may retain. */
  readonly retained: number;
}
/** The backend of each connection that was prepared: null if it is not on this machine. */
const processes = new WeakMap<pg.PoolClient, Backend | null>();

/** @throws CatalogError LIMIT; errors of PostgreSQL and of the connection unchanged */
export async function readBounded<T>(
  { pool, usual, others, role, memory, onStatement }: BoundedOptions,
  { timeout, path }: Bounds,
  work: (reading: Reading) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const { processID: pid } = client as unknown as { processID: number };
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  const observed = (text: string) => {
    onStatement?.(text);
    return text;
  };
  /** Whether the rest of the result is abandoned. */
  let isCut = false;
  let end: (thrown: unknown) => void = () => {};
  const cut = new Promise<never>((_, reject) => {
    end = (thrown) => {
      isCut = true;
      reject(thrown);
    };
  });
  let isBegun = false;
  /** The commands that begin the transaction; none if it has begun. */
  const begin = (): string[] => {
    if (isBegun) return [];
    isBegun = true;
    const bounds = [`SET LOCAL statement_timeout = ${Math.trunc(timeout)}`, `SET LOCAL search_path = ${path}`];
    return ['BEGIN READ ONLY', ...bounds].map(observed);
  };
  /** An error of `take` ends the read. */
  const ending =
    (take: Take): Take =>
    (row) => {
      try {
        take(row);
      } catch (thrown) {
        end(thrown);
        throw thrown;
      }
    };
  const reading: Reading = {
    describe: (text) => {
      const before = begin();
      return columnsOf(client, observed(text), { before });
    },
    rows: async (text, values, take, isLast = false) => {
      const before = begin();
      observed(text);
      await eachRow(client, text, values, ending(take), { before, after: isLast ? [observed('COMMIT')] : [] });
      if (isLast) isBegun = false;
    },
    expectedRows: async (of, text, values, take) => {
      // All messages up to a sync are one transaction. Without BEGIN, SET LOCAL and COMMIT, a short read takes 4 % less CPU.
      const isUsual = !isBegun && timeout === usual.timeout && path === usual.path && text.length <= MAX_ALONE;
      const around = isUsual ? {} : { before: begin(), after: ['COMMIT'] };
      for (const sent of [of.text, text, ...(around.after ?? [])]) observed(sent);
      const outcome = await eachExpectedRow(client, of, text, values, ending(take), around).catch((thrown: unknown) => {
        if (thrown instanceof OtherColumns) end(thrown);
        throw thrown;
      });
      if (outcome === 'failed' && isBegun) await client.query(observed('ROLLBACK'));
      isBegun = false;
      return outcome === 'passed';
    },
    cut,
    process: pid,
  };
  const begun = async () => {
    if (!processes.has(client)) {
      await client.query(
        `SET default_transaction_read_only = on; SET statement_timeout = ${Math.trunc(usual.timeout)}; SET search_path = ${usual.path}`,
      );
      processes.set(client, await limited(pid, role, memory));
    }
    const result = await work(reading);
    if (isBegun) await client.query(observed('COMMIT'));
    return result;
  };
  timer = setTimeout(
    () => end(new CatalogError('LIMIT', 'The query timed out (catalog.datastore.sql_timeout)')),
    timeout + GRACE,
  );
  try {
    return await Promise.race([begun(), cut]);
  } catch (thrown) {
    if (isCut || (thrown as { code?: string }).code === '53200') failure = thrown as Error;
    // Also waits until PostgreSQL has freed the memory of the failed statement.
    else await client.query(isBegun ? 'ROLLBACK' : '').catch((broken: Error) => (failure = broken));
    throw limitMet(thrown);
  } finally {
    clearTimeout(timer);
    if (isCut) {
      (client as pg.PoolClient & Partial<Pick<Client, 'destroy'>>).destroy?.();
      await ended(others, pid);
    }
    const known = processes.get(client);
    if (known && (memoryOf(known.pid) ?? 0) > known.retained) failure ??= new Error('uses too much memory');
    client.release(failure);
  }
}

/** Terminates a PostgreSQL backend and waits for its end: some loops ignore signals. */
async function ended(others: pg.Pool, pid: number): Promise<void> {
  const until = performance.now() + MAX_HELD;
  let what = 'pg_terminate_backend(pid)';
  for (let wait = LOOKS.first; performance.now() < until && !others.ending; wait = Math.min(wait * 2, LOOKS.max)) {
    const look = `SELECT ${what} FROM pg_stat_activity WHERE pid = $1 AND usename = current_user`;
    const found = await others.query(look, [pid]).catch(() => null);
    if (found?.rowCount === 0) return;
    if (found) what = 'pid'; // already signalled
    await delay(wait, undefined, { ref: false });
  }
}

async function limited(pid: number, role: string | null, memory: number): Promise<Backend | null> {
  const before = role === null ? null : await confine(pid, role, memory);
  return before === null ? null : { pid, retained: before + MAX_RETAINED };
}

function limitMet(thrown: unknown): unknown {
  const { code, message = '' } = thrown as { code?: string; message?: string };
  if (code === '53200' || /^invalid memory alloc request size/.test(message))
    return new CatalogError('LIMIT', 'The query exceeded its memory limit (catalog.datastore.sql_memory)');
  if (code === '53400')
    return new CatalogError(
      'LIMIT',
      'The query exceeded its disk space limit (temp_file_limit of its PostgreSQL role)',
    );
  return thrown;
}
