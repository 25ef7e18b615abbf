/**
 * Runs a caller's statement in a read-only transaction with a limit of time and memory. PostgreSQL cannot interrupt some of its loops:
 * so the caller is answered, and the connection is cut, when the time is over, whether the server listens or not.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { CatalogError } from '../../kernel/errors.ts';
import type { Client } from './client.ts';
import { confine, memoryOf } from './memory-limit.ts';
import { columnsOf, eachRow } from './row-query.ts';

export interface Reading {
  /** The columns of a statement's rows, with the oids of their types. Neither plans nor runs it. */
  describe(text: string): Promise<{ name: string; type: number }[]>;
  /** Runs a statement and hands out each row as it comes. What `take` throws ends the statement. */
  rows(text: string, values: readonly unknown[], take: (row: readonly (string | null)[]) => void): Promise<void>;
  /**
   * Rejects with what the caller is to be told as soon as the statement is cut: its time is over, or `take` threw. The reading ends only
   * when the process of PostgreSQL has ended, so that nobody gets its place before.
   */
  readonly cut: Promise<never>;
  /** The id of the process of PostgreSQL. */
  readonly process: number;
}

export interface BoundedOptions {
  /** With one process of PostgreSQL for each connection. */
  readonly pool: pg.Pool;
  /** Connections of the same role, to end a statement from. */
  readonly others: pg.Pool;
  readonly role: string | null;
  /** Bytes that the process of a connection may allocate, where the system can limit it. */
  readonly memory: number;
  readonly onStatement?: (text: string) => void;
}

/** ms that PostgreSQL has to end a statement by itself when its time is over. */
const GRACE = 500;
/** ms that the place of a process which does not end is held at most. */
const MAX_HELD = 300_000;
/** ms between two looks whether a process has ended: the first, and the longest. */
const LOOKS = { first: 20, maxLength: 1_000 };
/** Bytes that an idle connection may hold on to, as compiled patterns. One that holds more is closed. */
const MAX_KEPT = 32 * 2 ** 20;

/** What is known of the process of each connection: null where it is not on this machine. */
const processes = new WeakMap<pg.PoolClient, { readonly pid: number; readonly kept: number } | null>();

/** @throws CatalogError LIMIT; errors of PostgreSQL and of the connection as they are */
export async function readBounded<T>(
  { pool, others, role, memory, onStatement }: BoundedOptions,
  { timeout, path }: { timeout: number; path: string },
  work: (reading: Reading) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const { processID: pid } = client as unknown as { processID: number };
  let failure: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  const tell = (text: string) => {
    onStatement?.(text);
    return text;
  };
  /** In the middle of an answer that nobody reads any more. */
  let isCut = false;
  let end: (thrown: unknown) => void = () => {};
  const cut = new Promise<never>((_, reject) => {
    end = (thrown) => {
      isCut = true;
      reject(thrown);
    };
  });
  const reading: Reading = {
    describe: (text) => columnsOf(client, tell(text)),
    rows: (text, values, take) =>
      eachRow(client, tell(text), values, (row) => {
        try {
          take(row);
        } catch (thrown) {
          end(thrown);
          throw thrown;
        }
      }),
    cut,
    process: pid,
  };
  const begun = async () => {
    await limited(client, pid, role, memory);
    await client.query(
      tell(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${Math.trunc(timeout)}; SET LOCAL search_path = ${path}`),
    );
    const result = await work(reading);
    await client.query(tell('COMMIT'));
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
    else await client.query('ROLLBACK').catch((broken: Error) => (failure = broken));
    throw limitMet(thrown);
  } finally {
    clearTimeout(timer);
    if (isCut) {
      (client as pg.PoolClient & Partial<Pick<Client, 'destroy'>>).destroy?.();
      await ended(others, pid);
    }
    const known = processes.get(client);
    if (known && (memoryOf(known.pid) ?? 0) > known.kept) failure ??= new Error('uses too much memory');
    client.release(failure);
  }
}

/** Ends a process of PostgreSQL, and waits until it is gone: some loops do not listen. */
async function ended(others: pg.Pool, pid: number): Promise<void> {
  const until = performance.now() + MAX_HELD;
  let what = 'pg_terminate_backend(pid)';
  for (
    let wait = LOOKS.first;
    performance.now() < until && !others.ending;
    wait = Math.min(wait * 2, LOOKS.maxLength)
  ) {
    const look = `SELECT ${what} FROM pg_stat_activity WHERE pid = $1 AND usename = current_user`;
    const found = await others.query(look, [pid]).catch(() => null);
    if (found?.rowCount === 0) return;
    if (found) what = 'pid'; // it was told
    await delay(wait, undefined, { ref: false });
  }
}

async function limited(client: pg.PoolClient, pid: number, role: string | null, memory: number): Promise<void> {
  if (processes.has(client)) return;
  const before = role === null ? null : await confine(pid, role, memory);
  processes.set(client, before === null ? null : { pid, kept: before + MAX_KEPT });
}

function limitMet(thrown: unknown): unknown {
  const { code, message = '' } = thrown as { code?: string; message?: string };
  if (code === '53200' || /^invalid memory alloc request size/.test(message))
    return new CatalogError('LIMIT', 'The query exceeded its memory limit (catalog.datastore.sql_memory)');
  if (code === '53400') return new CatalogError('LIMIT', 'The query exceeded its disk space limit (temp_file_limit)');
  return thrown;
}
