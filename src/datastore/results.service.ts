/** Results of reads in memory, for requests that are repeated. Each is valid for one version of its tables. */
import { createHash } from 'node:crypto';
import { createLru } from '../infra/concurrency/lru.ts';
import type { Sql } from '../infra/postgres/db.ts';
import { sizeOf } from '../kernel/json.ts';
import { findVersions } from './tables/counts.store.ts';

/** A result, and the versions of its tables. Without versions, the request was sent once: most are never repeated. */
interface Stored {
  readonly versions: string | null;
  readonly result: unknown;
}

/** Maximum bytes of all results, and of one. */
const MAX_BYTES = 16 * 1024 * 1024;
export const MAX_RESULT = 256 * 1024;
/** Overhead of an entry. */
const OVERHEAD = 300;

const results = createLru<Stored>(MAX_BYTES, 'datastore_results');

/** Identifies a request by everything that its result depends on besides its tables. Numbers that JSON lacks stay different. */
export const keyOfRequest = (parts: readonly unknown[]): string =>
  JSON.stringify(parts, (_key, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value,
  );

/**
 * The result of `read`, or that of an earlier run with this key if no table has been written since. The second run of a request stores its
 * result. A null key stores nothing. Callers have checked read access to the tables.
 */
export async function storedResult<Result>(
  sql: Sql,
  tables: ReadonlySet<string>,
  key: string | null,
  read: () => Promise<Result>,
): Promise<Result> {
  if (key === null || tables.size === 0) return read();
  const versionsNow = () => findVersions(sql, [...tables]);
  const id = createHash('sha256').update(key).digest('base64');
  const known = results.get(id);
  if (!known) {
    const result = await read();
    results.set(id, { versions: null, result: undefined }, OVERHEAD);
    return result;
  }
  const versions = await versionsNow();
  if (versions === null) return read();
  if (known.versions === versions) return known.result as Result;
  const result = await read();
  const bytes = sizeOf(result);
  // A version never returns, so what was read between two equal ones has that version.
  if (bytes <= MAX_RESULT && (await versionsNow()) === versions)
    results.set(id, { versions, result }, OVERHEAD + bytes);
  return result;
}
