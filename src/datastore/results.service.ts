/** Results of reads in memory, for requests that are repeated. Each is valid for one version of its tables. */
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import DataLoader from 'dataloader';
import { createLru } from '../infra/concurrency/lru.ts';
import type { Datastore } from '../infra/postgres/datastore.ts';
import { sizeOf } from '../kernel/json.ts';
import { findVersions } from './tables/counts.store.ts';

/** Maximum bytes of memory of all results, and of one. */
const MAX_BYTES = 16 * 1024 * 1024;
export const MAX_RESULT = 256 * 1024;
/** Overhead of a result and its key. */
const OVERHEAD = 300;
/** Maximum number of requests that are remembered, to find those that are repeated. */
const MAX_SEEN = 20_000;

const seen = createLru<true>(MAX_SEEN);

/** Identifies a request by all that its result depends on besides its tables. Different values have different bytes, unlike in JSON. */
export const keyOfRequest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(serialize(parts)).digest('base64');

/** A result, and the version of its tables that it saw; null if unknown. */
export interface Versioned<Result> {
  readonly result: Result;
  readonly version: string | null;
}

const results = createLru<Versioned<unknown>>(MAX_BYTES, 'datastore_results');

/** Look-ups of a DataStore's versions that are due together, by table: the items of a list of tables send one statement. */
const lookups = new WeakMap<Datastore, DataLoader<string, string | null>>();

/** The present version of several tables, as text: it changes with each of theirs. Null if one is older than the counts. */
async function versionNow(store: Datastore, tables: ReadonlySet<string>): Promise<string | null> {
  let lookup = lookups.get(store);
  if (!lookup) {
    lookup = new DataLoader(
      async (ids) => {
        const found = await findVersions(store.sql, [...new Set(ids)]);
        return ids.map((id) => found.get(id) ?? null);
      },
      { cache: false },
    );
    lookups.set(store, lookup);
  }
  const versions = await Promise.all([...tables].map((table) => lookup.load(table)));
  return versions.reduce((sum, one) => (sum === null || one === null ? null : String(BigInt(sum) + BigInt(one))), '0');
}

/** A request that was sent before. `version`: of its tables, if it was looked up for this run. */
interface Repeat {
  readonly version: string | null;
}

/**
 * The result of `read`, or that of an earlier run with this key if no table has been written since. A run that begins after another one has
 * ended stores its result. A null key stores nothing, nor does a request without tables. Callers have checked read access to the tables.
 * `read` gets null for the first run, whose version is of no use.
 */
export async function storedResult<Result>(
  store: Datastore,
  tables: ReadonlySet<string>,
  key: string | null,
  read: (repeat: Repeat | null) => Promise<Versioned<Result>>,
): Promise<Result> {
  if (key === null || tables.size === 0) return (await read(null)).result;
  const known = results.get(key);
  const present = known ? await versionNow(store, tables) : null;
  if (known && known.version === present) return known.result as Result;
  const isRepeated = known !== undefined || seen.get(key) !== undefined;
  const { result, version } = await read(isRepeated ? { version: present } : null);
  seen.set(key, true);
  if (isRepeated && version !== null && isShort(result))
    results.set(key, { result, version }, OVERHEAD + sizeOf(result));
  else if (known) results.delete(key); // of an older version
  return result;
}

const isShort = (result: unknown): boolean => sizeOf(result) <= MAX_RESULT;

/**
 * The result of `read`, with the version that its tables had before and after it. A version never returns, so what was read between two
 * equal ones has that version, unless connections lead to different servers, of which one may lag.
 */
export async function betweenVersions<Result>(
  store: Datastore,
  tables: ReadonlySet<string>,
  repeat: Repeat | null,
  read: () => Promise<Result>,
): Promise<Versioned<Result>> {
  const isUseful = repeat !== null && store.readsOneServer;
  const version = isUseful ? (repeat.version ?? (await versionNow(store, tables))) : null;
  const result = await read();
  const isSame = version !== null && isShort(result) && (await versionNow(store, tables).catch(() => null)) === version;
  return { result, version: isSame ? version : null };
}
