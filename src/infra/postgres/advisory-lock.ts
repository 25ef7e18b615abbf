/** Advisory locks across processes. A lock ends with its process, even after a crash. */
import { Client } from './client.ts';

export interface Lock {
  /** Aborted if the lock's connection is lost: another process may have the lock then. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Waits for the lock of that name, then runs `work`. @throws Error when the database is down */
export async function inLock<T>(url: string, name: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'catalog lock' });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
    return await work();
  } finally {
    await client.end();
  }
}

/** Takes the lock of that name on its own connection; null if it is held. @throws Error when the database is down */
export async function tryLock(url: string, name: string): Promise<Lock | null> {
  const lost = new AbortController();
  const client = new Client({ connectionString: url, application_name: 'catalog lock' });
  client.once('end', () => lost.abort(new Error(`The connection that held the lock "${name}" was lost.`)));
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
