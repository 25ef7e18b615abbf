/**
 * Caches lists of words and filters in the process. Each list has the transaction up to which it is complete. Every search also reads
 * the rows written since, which take precedence, so results are never stale. A list is read immediately if the search without it
 * would cost as much, and otherwise when it is requested again.
 */
import type { Sql } from '../../infra/postgres/db.ts';
import { BySql } from '../../infra/postgres/traced.ts';
import type { Search } from '../engine.ts';
import { type List, type Part, readList } from './lists.sql.ts';
import { isAllThereIsToFind, isOfValue, type RequestedLists } from './lists.ts';
import { filtered } from './numbers.ts';

interface Lists {
  readonly generation: string;
  /** Least recently used first. */
  readonly byKey: Map<string, List>;
  bytes: number;
  /** Number of requests for lists that are not cached. */
  readonly requests: Map<string, number>;
  readonly reading: Set<string>;
  /** Reads that searches wait for. */
  readonly awaited: Map<string, Promise<void>>;
  /** The last background read. Background reads run one after the other. */
  last: Promise<void>;
}

/** Maximum size of the cache: 64 MB are the lists of 64 words that occur in all of 80,000 datasets. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Number of requests after which a list is read. */
const OFTEN = 2;
/** Additional requests after a failed read. */
const MANY_REQUESTS = 100;
const MAX_REQUESTED = 10_000;
const MAX_PARALLEL_READS = 20;
/** Overhead of a list and its key. */
const MIN_BYTES = 2_500;

const caches = new BySql<Lists>();

/**
 * All of these lists, or null when some are not cached. Starts reading frequently requested ones for later searches. `isWhole`: the
 * search examines all its matches. @throws CatalogError LIMIT
 */
export async function listsAtHand(
  sql: Sql,
  generation: string,
  requested: readonly RequestedLists[],
  search: Search,
  isWhole: boolean,
): Promise<Map<RequestedLists, List> | null> {
  const of = listsOf(sql, generation);
  const found = new Map<RequestedLists, List>();
  const missing = requested.filter((want) => {
    const list = used(of, want.key);
    if (list) found.set(want, list);
    return !list;
  });
  const isCheap =
    missing.every(isOfValue) || (missing.length === 1 && isAllThereIsToFind(missing[0]!, search.plan.condition));
  if (isWhole && isCheap) {
    await Promise.all(missing.map((want) => now(sql, of, want, search)));
    for (const want of missing) {
      const list = of.byKey.get(want.key);
      if (list) found.set(want, list);
    }
  } else for (const want of missing) if (isOftenRequested(of, want.key)) later(sql, of, want, search);
  return found.size === requested.length ? found : null;
}

function listsOf(sql: Sql, generation: string): Lists {
  const there = caches.get(sql);
  if (there?.generation === generation) return there;
  const of: Lists = {
    generation,
    byKey: new Map(),
    bytes: 0,
    requests: new Map(),
    reading: new Set(),
    awaited: new Map(),
    last: Promise.resolve(),
  };
  caches.set(sql, of);
  return of;
}

/** The cached list, marked as most recently used. Undefined when it is not cached. */
function used({ byKey }: Lists, key: string): List | undefined {
  const list = byKey.get(key);
  if (list) {
    byKey.delete(key);
    byKey.set(key, list);
  }
  return list;
}

/** Reads a list that a search waits for. Concurrent requests wait for the same read. */
function now(sql: Sql, of: Lists, want: RequestedLists, search: Search): Promise<void> {
  let reading = of.awaited.get(want.key);
  if (!reading) {
    reading = read(sql, of, want, search).finally(() => of.awaited.delete(want.key));
    of.awaited.set(want.key, reading);
  }
  return reading;
}

function isOftenRequested({ requests }: Lists, key: string): boolean {
  const times = (requests.get(key) ?? 0) + 1;
  requests.delete(key);
  requests.set(key, times);
  if (requests.size > MAX_REQUESTED) requests.delete(requests.keys().next().value as string);
  return times >= OFTEN;
}

/** Updates lists in the background, after the response. */
export function refresh(sql: Sql, requested: readonly RequestedLists[], search: Search): void {
  const of = caches.get(sql);
  if (of) for (const want of requested) later(sql, of, want, search);
}

function later(sql: Sql, of: Lists, want: RequestedLists, search: Search): void {
  if (of.reading.has(want.key) || of.reading.size >= MAX_PARALLEL_READS) return;
  of.reading.add(want.key);
  of.last = of.last.then(async () => {
    try {
      await read(sql, of, want, search);
    } catch {
      of.requests.set(want.key, -MANY_REQUESTS); // the read may take too long, so it is not retried at each request
    } finally {
      of.reading.delete(want.key);
    }
  });
}

async function read(sql: Sql, of: Lists, want: RequestedLists, search: Search): Promise<void> {
  const before = of.byKey.get(want.key);
  const { generation, list, written } = await readList(sql, want, search, before?.since ?? null);
  if (generation === of.generation) keep(of, want.key, before ? merged(before, list, written) : list);
}

function keep(of: Lists, key: string, list: List): void {
  const old = of.byKey.get(key);
  if (old) of.bytes -= bytesOf(old);
  of.byKey.delete(key);
  of.byKey.set(key, list);
  of.bytes += bytesOf(list);
  for (const [oldest, gone] of of.byKey) {
    if (of.bytes <= MAX_BYTES) break;
    of.byKey.delete(oldest);
    of.bytes -= bytesOf(gone);
  }
}

const bytesOfPart = ({ numbers, values }: Part): number => numbers.byteLength + (values?.byteLength ?? 0);
const bytesOf = (list: List): number => MIN_BYTES + bytesOfPart(list.public) + bytesOfPart(list.hidden);

/** The cached list without the rows written since, plus those of them that match. */
const merged = (before: List, fresh: List, written: Int32Array): List => ({
  public: mergedPart(before.public, fresh.public, written),
  hidden: mergedPart(before.hidden, fresh.hidden, written),
  since: fresh.since,
});

function mergedPart(before: Part, fresh: Part, written: Int32Array): Part {
  const { numbers } = before;
  const stays = filtered(numbers, written, false);
  const all = new Int32Array(stays.length + fresh.numbers.length);
  all.set(stays);
  all.set(fresh.numbers, stays.length);
  if (before.values === null || fresh.values === null) return { numbers: all, values: null };
  const values = new Float64Array(all.length);
  // `stays` is in the order of `numbers`.
  for (let i = 0, at = 0; i < stays.length; i += 1, at += 1) {
    while (numbers[at] !== stays[i]) at += 1;
    values[i] = before.values[at]!;
  }
  values.set(fresh.values, stays.length);
  return { numbers: all, values };
}
