/** A lock across processes that ends with the process that holds it, however that ends. */
import { Client } from './postgres.ts';

export interface Lock {
  /** Aborted when the connection that holds the lock is lost: somebody else may have it by then. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Takes the lock of that name on a connection of its own; null when somebody has it. @throws Error when the database is down */
export async function tryLock(url: string, name: string): Promise<Lock | null> {
  const lost = new AbortController();
  const client = new Client({ connectionString: url, application_name: 'catalog lock' });
  client.once('end', () => lost.abort(new Error('The connection that held the lock was lost.')));
  await client.connect();
  try {
    const { rows } = await client.query<{ mine: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS mine',
      [name],
    );
    if (rows[0]?.mine) return { lost: lost.signal, release: () => client.end() };
  } catch (thrown) {
    await client.end().catch(() => {});
    throw thrown;
  }
  await client.end();
  return null;
}
