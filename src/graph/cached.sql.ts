/**
 * Caches the results of operations that visitors send again, as long as no transaction was committed: one statement replaces all those of
 * the operation. In SQL because Prisma has no pg_current_snapshot(), which shows commits.
 */
import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql';
import { createLru, type Lru } from '../infra/concurrency/lru.ts';
import { oncePerTurn } from '../infra/concurrency/once-per-turn.ts';
import { firstValue, type Sql, type Statement } from '../infra/postgres/db.ts';
import { BySql, sourceOfSql } from '../infra/postgres/traced.ts';
import type { Actor, Call } from '../kernel/call.ts';
import { sizeOf } from '../kernel/json.ts';

/**
 * Maximum bytes of all results. Long lists in them are mostly those of the cache of list texts, and are counted twice. The Action API stores
 * the response of a result, too, about as many bytes.
 */
const MAX_BYTES = 16 * 1024 * 1024;
/** Overhead of a result and its key. */
const MIN_BYTES = 1_000;
/** Maximum number of requests that are remembered, to find those that are repeated. */
const MAX_SEEN = 5_000;
/** Maximum characters of a request. Longer ones are not remembered. */
const MAX_KEY = 300;
/** Age in ms of an execution that others may still join. An older one may have lost its connection. */
const MAX_AGE = 1_000;

/**
 * Identifies what a statement reads: equal texts mean that no transaction of the server was committed in between, in any table. After a
 * failure a server may use the numbers of a snapshot again, so the start of the server, and the time of its last crash (when PostgreSQL
 * resets its statistics), are part of it. Null if this is unknown: within a transaction that has written; on a replica while a
 * transaction is open that is older than the last completed one, because snapshots of a replica do not list open transactions; and
 * before PostgreSQL 15, where the time of the crash is read from a file.
 */
export const STATE = `CASE WHEN current_setting('server_version_num')::int >= 150000 AND pg_current_xact_id_if_assigned() IS NULL
  AND (NOT pg_is_in_recovery() OR pg_snapshot_xmin(pg_current_snapshot()) = pg_snapshot_xmax(pg_current_snapshot()))
  THEN concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), pg_current_snapshot()) END`;

const STATEMENT: Statement = { name: 'database_state', text: `SELECT ${STATE} AS state`, isShort: true };

interface Cached {
  readonly state: string;
  readonly result: ExecutionResult;
}

/** An execution that began in a known state. */
interface Run {
  readonly state: string;
  readonly startedAt: number;
  readonly result: Promise<ExecutionResult>;
}

interface Cache {
  readonly results: Lru<Cached>;
  /** Request → the state of its last execution; FIRST after one without a state, USED after its cached result was returned. */
  readonly seen: Lru<string>;
  /** Request → its last run, until it is cached or cannot be. */
  readonly running: Map<string, Run>;
  /** The present state of the database. */
  readonly stateNow: () => Promise<string | null>;
}

const FIRST = 'first';
const USED = 'used';

const caches = new BySql<Cache>();

function cacheOf(sql: Sql): Cache {
  let cache = caches.get(sql);
  if (!cache) {
    const source = sourceOfSql(sql);
    const stateNow = oncePerTurn(() => firstValue<string | null>(source, STATEMENT));
    cache = { results: createLru(MAX_BYTES), seen: createLru(MAX_SEEN), running: new Map(), stateNow };
    caches.set(sql, cache);
  }
  return cache;
}

/**
 * The result of `execute`, or the cached one. A result is cached if the same request was executed before in the same state of the database,
 * or got an earlier cached result, and the state is still the same after it. The first run of a request needs no additional statement.
 * Requests share the result of a run that began in the present state. Other callers than visitors always execute.
 */
export async function cachedResult(
  call: Call,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  execute: (call: Call) => Promise<ExecutionResult> | ExecutionResult,
): Promise<ExecutionResult> {
  if (!isVisitor(call.actor)) return execute(call);
  const key = `${idOf(document)} ${JSON.stringify(variables)}`;
  if (key.length > MAX_KEY) return execute(call);
  const cache = cacheOf(call.sql);
  const { results, seen, running, stateNow } = cache;
  if (seen.get(key) === undefined && !results.get(key)) {
    seen.set(key, FIRST);
    return execute(call);
  }
  let state: string | null;
  try {
    state = await stateNow();
  } catch (thrown) {
    return { errors: [new GraphQLError((thrown as Error).message, { originalError: thrown as Error })] };
  }
  if (state === null) return execute(call);
  const cached = results.get(key);
  if (cached?.state === state) {
    seen.set(key, USED);
    return cached.result;
  }
  const other = running.get(key);
  if (other?.state === state && performance.now() - other.startedAt < MAX_AGE) {
    const shared = await other.result.catch(() => null);
    return shared === null || shared.errors ? execute(call) : shared; // an error may be that of one connection
  }
  const run: Run = { state, startedAt: performance.now(), result: (async () => execute(call))() };
  running.set(key, run);
  void keep(cache, key, run, seen.get(key));
  return run.result;
}

/** Caches the result of a run, if the state of the database is still the same. `last`: its `seen` before. */
async function keep({ results, seen, running, stateNow }: Cache, key: string, run: Run, last: string | undefined) {
  const { state } = run;
  try {
    const result = await run.result;
    if (result.errors) return;
    if (seen.get(key) === last) seen.set(key, state);
    const isRepeated = last === state || last === USED;
    if (isRepeated && (await stateNow()) === state)
      results.set(key, { state, result }, MIN_BYTES + sizeOf(result.data));
  } catch {
    // the request reports it
  } finally {
    if (running.get(key) === run) running.delete(key);
  }
}

const isVisitor = ({ userId, sysadmin }: Actor): boolean => userId === null && !sysadmin;

const ids = new WeakMap<DocumentNode, number>();
let lastId = 0;

function idOf(document: DocumentNode): number {
  let id = ids.get(document);
  if (id === undefined) ids.set(document, (id = lastId += 1));
  return id;
}
