/** Results of reads in memory, for requests that are repeated. Each is valid for one version of its tables. */
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { createLru } from '../infra/concurrency/lru.ts';
import type { Datastore } from '../infra/postgres/datastore.ts';
import { sizeOf } from '../kernel/json.ts';
import { findVersion } from './tables/counts.store.ts';

/** A result, and the version of its tables. Null: the request was sent once, and most are never repeated. */
interface Stored {
  readonly version: string | null;
  readonly result: unknown;
}

/** Maximum bytes of memory of all results, and of one. */
const MAX_BYTES = 16 * 1024 * 1024;
export const MAX_RESULT = 256 * 1024;
/** Overhead of an entry. */
const OVERHEAD = 300;

const results = createLru<Stored>(MAX_BYTES, 'datastore_results');

/** Identifies a request by all that its result depends on besides its tables. Different values have different bytes, unlike in JSON. */
export const keyOfRequest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(serialize(parts)).digest('base64');

/**
 * The result of `read`, or that of an earlier run with this key if no table has been written since. The second run of a request stores its
 * result. A null key stores nothing, and so do connections that may lead to different servers, of which one may lag. Callers have checked
 * read access to the tables.
 */
export async function storedResult<Result>(
  store: Datastore,
  tables: ReadonlySet<string>,
  key: string | null,
  read: () => Promise<Result>,
): Promise<Result> {
  if (key === null || tables.size === 0 || !store.readsOneServer) return read();
  const known = results.get(key);
  if (!known) {
    const result = await read();
    if (!results.get(key)) results.set(key, { version: null, result: undefined }, OVERHEAD);
    return result;
  }
  const versionNow = () => findVersion(store.sql, [...tables]);
  const version = await versionNow();
  if (version === null) return read();
  if (known.version === version) return known.result as Result;
  const result = await read();
  const bytes = sizeOf(result);
  // A version never returns, so what was read between two equal ones has that version.
  if (bytes <= MAX_RESULT && (await versionNow().catch(() => null)) === version)
    results.set(key, { version, result }, OVERHEAD + bytes);
  return result;
}
