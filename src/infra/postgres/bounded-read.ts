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
  /**
   * Runs a statement and passes each row on as it arrives. An error of `take` ends the statement. `isLast` ends the
   * transaction with it.
   */
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

/** The transaction of one read, over a connection that runs nothing else. */
class BoundedReading implements Reading {
  readonly cut: Promise<never>;
  readonly process: number;
  /** Whether the rest of the result is abandoned. */
  isCut = false;
  #isBegun = false;
  #reject!: (thrown: unknown) => void;
  readonly #client: pg.PoolClient;
  readonly #bounds: Bounds;
  readonly #usual: Bounds;
  readonly #onStatement: BoundedOptions['onStatement'];

  constructor(client: pg.PoolClient, bounds: Bounds, { usual, onStatement }: BoundedOptions) {
    this.process = (client as unknown as { processID: number }).processID;
    this.#client = client;
    this.#bounds = bounds;
    this.#usual = usual;
    this.#onStatement = onStatement;
    this.cut = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
  }

  describe(text: string): Promise<DescribedColumn[]> {
    const before = this.#begin();
    return columnsOf(this.#client, this.#observed(text), { before });
  }

  async rows(text: string, values: readonly unknown[], take: Take, isLast = false): Promise<void> {
    const before = this.#begin();
    this.#observed(text);
    const after = isLast ? [this.#observed('COMMIT')] : [];
    await eachRow(this.#client, text, values, this.#ending(take), { before, after });
    if (isLast) this.#isBegun = false;
  }

  async expectedRows(of: Expected, text: string, values: readonly unknown[], take: Take): Promise<boolean> {
    // All messages up to a sync are one transaction. Without BEGIN, SET LOCAL and COMMIT, a short read takes 4 % less CPU.
    const around = this.#isUsual(text) ? {} : { before: this.#begin(), after: ['COMMIT'] };
    for (const sent of [of.text, text, ...(around.after ?? [])]) this.#observed(sent);
    const reading = eachExpectedRow(this.#client, of, text, values, this.#ending(take), around);
    const outcome = await reading.catch((thrown: unknown) => {
      if (thrown instanceof OtherColumns) this.end(thrown);
      throw thrown;
    });
    if (outcome === 'failed' && this.#isBegun) await this.#client.query(this.#observed('ROLLBACK'));
    this.#isBegun = false;
    return outcome === 'passed';
  }

  /** Abandons the rest of the result and rejects `cut`. */
  end(thrown: unknown): void {
    this.isCut = true;
    this.#reject(thrown);
  }

  /** Ends the transaction if it has begun. */
  async commit(): Promise<void> {
    if (this.#isBegun) await this.#client.query(this.#observed('COMMIT'));
  }

  /** Also waits until PostgreSQL has freed the memory of the failed statement. */
  async rollback(): Promise<void> {
    await this.#client.query(this.#isBegun ? 'ROLLBACK' : '');
  }

  /** The commands that begin the transaction; none if it has begun. */
  #begin(): string[] {
    if (this.#isBegun) return [];
    this.#isBegun = true;
    const { timeout, path } = this.#bounds;
    const bounds = [`SET LOCAL statement_timeout = ${Math.trunc(timeout)}`, `SET LOCAL search_path = ${path}`];
    return ['BEGIN READ ONLY', ...bounds].map((text) => this.#observed(text));
  }

  /** Whether the statement can run without the commands of a transaction, under the settings of the connection. */
  #isUsual(text: string): boolean {
    const { timeout, path } = this.#bounds;
    return !this.#isBegun && timeout === this.#usual.timeout && path === this.#usual.path && text.length <= MAX_ALONE;
  }

  /** An error of `take` ends the read. */
  #ending(take: Take): Take {
    return (row) => {
      try {
        take(row);
      } catch (thrown) {
        this.end(thrown);
        throw thrown;
      }
    };
  }

  #observed(text: string): string {
    this.#onStatement?.(text);
    return text;
  }
}

/** @throws CatalogError LIMIT; errors of PostgreSQL and of the connection unchanged */
export async function readBounded<T>(
  options: BoundedOptions,
  bounds: Bounds,
  work: (reading: Reading) => Promise<T>,
): Promise<T> {
  const { pool, usual, others, role, memory } = options;
  const client = await pool.connect();
  const reading = new BoundedReading(client, bounds, options);
  let failure: Error | undefined;
  const begun = async () => {
    if (!processes.has(client)) {
      await client.query(
        `SET default_transaction_read_only = on; SET statement_timeout = ${Math.trunc(usual.timeout)}; SET search_path = ${usual.path}`,
      );
      processes.set(client, await limited(reading.process, role, memory));
    }
    const result = await work(reading);
    await reading.commit();
    return result;
  };
  const timer = setTimeout(
    () => reading.end(new CatalogError('LIMIT', 'The query timed out (catalog.datastore.sql_timeout)')),
    bounds.timeout + GRACE,
  );
  try {
    return await Promise.race([begun(), reading.cut]);
  } catch (thrown) {
    if (reading.isCut || (thrown as { code?: string }).code === '53200') failure = thrown as Error;
    else await reading.rollback().catch((broken: Error) => (failure = broken));
    throw limitMet(thrown);
  } finally {
    clearTimeout(timer);
    if (reading.isCut) {
      (client as pg.PoolClient & Partial<Pick<Client, 'destroy'>>).destroy?.();
      await ended(others, reading.process);
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
