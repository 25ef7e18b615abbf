/** Waits for a table that others read. In SQL because Prisma has no LOCK TABLE, no savepoints and no lock_timeout. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../infra/postgres/db.ts';
import { CatalogError, conflict } from '../../kernel/errors.ts';
import { cancelKeeping } from '../indexes/indexes.sql.ts';
import { lockAlone } from '../rows/load.sql.ts';
import { run } from '../run.store.ts';

/** ms that later readers queue per try, ms between tries, and total ms when a caller waits for the response. */
const LOCK_WAIT = 2_000;
const PAUSE = 3_000;
const TIMEOUT = 60_000;

/**
 * Locks a table exclusively until the transaction ends. Waits for readers such as a slow download in short tries: all later readers queue
 * after a waiting lock, and would use up all connections.
 * @throws CatalogError CONFLICT after `timeout` ms
 */
export async function lockPatiently(
  sql: Sql,
  table: string,
  { timeout = TIMEOUT, signal }: { timeout?: number; signal?: AbortSignal } = {},
): Promise<void> {
  await sql.rows({ text: `SET LOCAL lock_timeout = ${LOCK_WAIT}` });
  for (const end = performance.now() + timeout; ; ) {
    signal?.throwIfAborted();
    await cancelKeeping(sql, table);
    await sql.rows({ text: 'SAVEPOINT lock' });
    try {
      await run(sql, 'lock_alone', lockAlone(table));
      return void (await sql.rows({ text: 'SET LOCAL lock_timeout TO DEFAULT' }));
    } catch (thrown) {
      if (!(thrown instanceof CatalogError && thrown.kind === 'CONFLICT')) throw thrown;
      await sql.rows({ text: 'ROLLBACK TO SAVEPOINT lock' });
      if (performance.now() > end) throw conflict('Timeout: other requests are reading this table. Try again.');
      await sleep(PAUSE, undefined, signal && { signal });
    }
  }
}
