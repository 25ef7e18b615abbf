/** Work on one connection to the DataStore's database: statements, transactions, and the output of COPY. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type pg from 'pg';
import { CatalogError, conflict } from '../../kernel/errors.ts';
import { fence, fenceCommit, unfence } from './backup-locks.sql.ts';
import { CopyOut } from './copy-out.ts';
import { type Sql, type Statement, sqlOn } from './db.ts';
import { isUnavailable, unavailable } from './failures.ts';

export type OnStatement = (text: string) => void;

/** Statements whose failures say whether the DataStore is available. */
export const observed = (sql: Sql, onStatement?: OnStatement): Sql => ({
  rows: (statement, values, span) => {
    onStatement?.(statement.text);
    return available(sql.rows(statement, values, span));
  },
});

/** Runs `work` on one connection of the pool. */
export async function onClient<T>(
  pool: pg.Pool,
  work: (sql: Sql, client: pg.PoolClient) => Promise<T>,
  onStatement?: OnStatement,
): Promise<T> {
  const client = await available(pool.connect());
  let failure: Error | undefined;
  try {
    return await work(observed(sqlOn(client), onStatement), client);
  } catch (thrown) {
    if (thrown instanceof CatalogError && thrown.kind === 'UNAVAILABLE') failure = thrown;
    throw thrown;
  } finally {
    client.release(failure);
  }
}

export const transaction = <T>(
  pool: pg.Pool,
  work: (sql: Sql, client: pg.PoolClient) => Promise<T>,
  onStatement?: OnStatement,
): Promise<T> =>
  onClient(
    pool,
    (sql, client) =>
      committed(sql, async () => {
        const result = await work(sql, client);
        await sql.rows(fenceCommit);
        return result;
      }),
    onStatement,
  );

/** The same, then `settle`, which commits the same change to the catalog. No backup takes its snapshots between the commits. */
export const transactionWith = <T, Settled>(
  pool: pg.Pool,
  work: (sql: Sql, client: pg.PoolClient) => Promise<T>,
  settle: (result: T) => Promise<Settled>,
  onStatement?: OnStatement,
): Promise<Settled> =>
  onClient(
    pool,
    async (sql, client) => {
      let isFenced = false;
      try {
        const result = await committed(sql, async () => {
          const done = await work(sql, client);
          await sql.rows(fence);
          isFenced = true;
          return done;
        });
        return await settle(result);
      } finally {
        if (isFenced) await sql.rows(unfence).catch(() => {}); // a lost connection has no locks
      }
    },
    onStatement,
  );

async function committed<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql.rows({ text: 'BEGIN' });
  try {
    const result = await work();
    await sql.rows({ text: 'COMMIT' });
    return result;
  } catch (thrown) {
    await sql.rows({ text: 'ROLLBACK' }).catch(() => {});
    throw thrown;
  }
}

/** Runs `work`; on abort another connection cancels the current statement. */
export async function endingWith<T>(
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

/** Runs the COPY of a prepared transaction. Waits for the first bytes, so that errors are reported before anything is written. */
export async function copyFrom<Found extends { readonly copy: Statement }>(
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
export async function available<T>(found: Promise<T>): Promise<T> {
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
