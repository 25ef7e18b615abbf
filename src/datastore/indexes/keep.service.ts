/** Makes, keeps and drops the automatic indexes of tables, one process at a time, and reports them to operators. */
import type { Datastore } from '../../infra/postgres/datastore.ts';
import type { Sql } from '../../infra/postgres/db.ts';
import { type Call, logOf } from '../../kernel/call.ts';
import { CatalogError, notAuthorized } from '../../kernel/errors.ts';
import { datastoreOf } from '../connected.ts';
import { lockPatiently } from '../tables/lock.sql.ts';
import { listIndexes } from '../tables/tables.sql.ts';
import { chooseIndexes, type IndexPlan, type Limits, type ReadTable } from './choose.rules.ts';
import { type ShapeCount, takeCounts } from './counter.ts';
import {
  type AutoIndex,
  beginKeeping,
  describeTable,
  dropAutoIndex,
  dropAutoIndexNow,
  endKeeping,
  listAutoIndexes,
  makeIndex,
  vacuumTable,
} from './indexes.sql.ts';
import { addShapes, listShapesAt } from './shapes.sql.ts';

/** Minimum rows of a table, and minimum reads per week of an index. */
const MIN_ROWS = 10_000;
const MIN_USES = 20;
/** ms until an index that could not be made is tried again. After other work on the table: at first, doubled each time up to RETRY. */
const RETRY = 60 * 60_000;
const FIRST_RETRY = 2 * 60_000;

/** ms after which a cancelled statement has reached its timeout. */
const QUICK = 5 * 60_000;

/** ms after the time of a next try at which a failure is forgotten. */
const MAX_KNOWN = 24 * 60 * 60_000;

/** Work that failed → time of the next try, and the ms before it. Bounded by the tries of two days. */
const failures = new WeakMap<Datastore, Map<string, { readonly next: number; readonly wait: number }>>();

type Thresholds = Pick<Limits, 'minRows' | 'minUses'>;

/** Stores the shapes that this process has counted. They are lost if the database is down. */
export const flushShapes = async (call: Call): Promise<void> => {
  const { datastore } = call.stores;
  if (datastore) await addShapes(call.sql, takeCounts(datastore), call.request.now);
};

/** Changes that bring the automatic indexes to what the recorded reads ask for. */
export interface IndexChanges {
  readonly make: readonly IndexPlan[];
  readonly drop: readonly AutoIndex[];
  readonly keep: readonly AutoIndex[];
}

/** The changes that are due, without making them. */
export async function planIndexes(call: Call, thresholds: Partial<Thresholds> = {}): Promise<IndexChanges> {
  const { sql } = datastoreOf(call);
  return changesOf(call, sql, { minRows: MIN_ROWS, minUses: MIN_USES, ...thresholds });
}

/** `analyze`: makes the statistics of a table, which a choice needs. */
async function changesOf(
  call: Call,
  sql: Sql,
  thresholds: Thresholds,
  analyze?: (table: string) => Promise<unknown>,
): Promise<IndexChanges> {
  const { settings } = call;
  const limits = {
    ...thresholds,
    max: settings['catalog.datastore.auto_indexes'],
    maxSize: settings['catalog.datastore.auto_indexes_size'],
  };
  const existing = await listAutoIndexes(sql);
  const existingByTable = groupedBy(existing, ({ table }) => table);
  const shapes = groupedBy<ShapeCount>(await listShapesAt(call.sql, call.request.now), ({ table }) => table);
  const wanted: IndexPlan[] = [];
  for (const [table, counts] of shapes) {
    const own = new Map(existingByTable.get(table)?.map(({ name, columns }) => [name, columns]));
    if (limits.max === 0 || (own.size === 0 && !counts.some(({ uses }) => uses >= limits.minUses))) continue;
    let described = await describeTable(sql, table);
    if (!described) continue;
    if (analyze && described.rows >= limits.minRows && !hasStatistics(described)) {
      await analyze(table);
      described = (await describeTable(sql, table)) ?? described;
    }
    const declared = await listIndexes(sql, [table]);
    wanted.push(...chooseIndexes({ table, ...described, declared, shapes: counts, existing: own }, limits));
  }
  const plans = new Map(wanted.map((plan) => [plan.name, plan]));
  const isKept = ({ name, isValid }: AutoIndex) => isValid && plans.has(name);
  const keep = existing.filter(isKept);
  const names = new Set(keep.map(({ name }) => name));
  return {
    keep,
    drop: existing.filter((index) => !isKept(index)),
    make: wanted.filter(({ name }) => !names.has(name)),
  };
}

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Whether PostgreSQL has statistics of any column. A table that was just loaded has none. */
const hasStatistics = ({ columns }: Pick<ReadTable, 'columns'>): boolean =>
  [...columns.values()].some(({ width }) => width !== null);

/**
 * Makes and drops indexes beside readers and writers. Does nothing while another process does it. Failures are logged, and tried again
 * later. `signal` ends the work. @throws CatalogError UNAVAILABLE
 */
export async function keepIndexes(
  call: Call,
  thresholds: Partial<Thresholds> = {},
  signal?: AbortSignal,
): Promise<void> {
  const store = datastoreOf(call);
  await store.alone(async (sql) => {
    if (!(await beginKeeping(sql))) return;
    try {
      const analyze = (table: string) => tryWork(call, `statistics of ${table}`, () => vacuumTable(sql, table), signal);
      const changes = await changesOf(call, sql, { minRows: MIN_ROWS, minUses: MIN_USES, ...thresholds }, analyze);
      forgetFailures(store);
      await change(call, sql, changes, signal);
    } finally {
      await endKeeping(sql);
    }
  }, signal);
}

/**
 * Makes each index before one that it replaces is dropped, so that an index that cannot be made takes no place. Until then a table has one
 * more than its maximum.
 */
async function change(call: Call, sql: Sql, { make, drop, keep }: IndexChanges, signal?: AbortSignal): Promise<void> {
  const max = call.settings['catalog.datastore.auto_indexes'];
  const tryDrop = ({ name }: AutoIndex) => tryWork(call, `drop ${name}`, () => dropAutoIndex(sql, name), signal);
  const blocked = new Set<string>(); // tables with an index that should go: it takes space, and may have the name of a new one
  for (const index of drop.filter(({ isValid }) => !isValid)) if (!(await tryDrop(index))) blocked.add(index.table);
  const leastUsedFirst = drop.filter(({ isValid }) => isValid).sort((a, b) => a.scans - b.scans);
  const old = groupedBy(leastUsedFirst, ({ table }) => table);
  const isFull = (table: string) =>
    [...make, ...keep, ...leastUsedFirst].filter((it) => it.table === table).length > max;
  const vacuumed = new Set<string>();
  for (const { table, ...plan } of make) {
    if (blocked.has(table)) continue;
    const makePlanned = async () => {
      await makeIndex(sql, { table, ...plan }, call.request.now);
      if (!vacuumed.has(table)) await vacuumTable(sql, table);
      vacuumed.add(table);
    };
    const isMade = await tryWork(call, plan.name, makePlanned, signal);
    const rest = old.get(table) ?? [];
    if (!isMade && isFull(table)) rest.pop(); // the most used one keeps its place
    const replaced = isMade ? rest.shift() : undefined;
    if (replaced && !(await tryDrop(replaced))) blocked.add(table);
  }
  for (const index of [...old.values()].flat()) if (!blocked.has(index.table)) await tryDrop(index);
}

/** Forgets old failures: their indexes are not tried any more. */
function forgetFailures(store: Datastore): void {
  const failed = failures.get(store);
  for (const [name, { next }] of failed ?? []) if (next + MAX_KNOWN < Date.now()) failed!.delete(name);
}

/** Whether the work was done. Work that failed is not tried again before its time. */
async function tryWork(call: Call, name: string, work: () => Promise<void>, signal?: AbortSignal): Promise<boolean> {
  signal?.throwIfAborted();
  const store = datastoreOf(call);
  const failed = failures.get(store) ?? new Map<string, { next: number; wait: number }>();
  failures.set(store, failed);
  const begin = Date.now();
  const last = failed.get(name);
  if (last && last.next > begin) return false;
  try {
    await work();
    failed.delete(name);
    return true;
  } catch (thrown) {
    if (signal?.aborted || (thrown instanceof CatalogError && thrown.kind === 'UNAVAILABLE')) throw thrown;
    logOf(call).warn({ err: thrown, work: name }, 'work on automatic indexes failed; retrying later');
    const wait = isDisturbed(thrown, begin) ? Math.min(last ? 2 * last.wait : FIRST_RETRY, RETRY) : RETRY;
    failed.set(name, { next: Date.now() + wait, wait });
    return false;
  }
}

/** Whether other work on the table was the reason: a change of the table that cancelled it, or a transaction that it waited for. */
const isDisturbed = (thrown: unknown, begin: number): boolean =>
  thrown instanceof CatalogError &&
  (thrown.kind === 'CONFLICT' || (thrown.message.startsWith('The query took too long') && Date.now() - begin < QUICK));

/** PostgreSQL's messages for a value that is too long for an index. Only some name the index. */
const TOO_LONG = /^index row (?:size|requires) (?:.* for index "([^"]+)")?/;

/** Writes rows. Automatic indexes that cannot hold a value are dropped, and the write is repeated. */
export async function writeRows<Done>(store: Datastore, table: string, work: () => Promise<Done>): Promise<Done> {
  for (;;)
    try {
      return await work();
    } catch (thrown) {
      const found = thrown instanceof CatalogError && thrown.kind === 'LIMIT' ? TOO_LONG.exec(thrown.message) : null;
      if (!found) throw thrown;
      const indexes = await listAutoIndexes(store.sql, [table]);
      const [, named] = found;
      const narrow = indexes.filter(({ name }) => named === undefined || name === named);
      if (narrow.length === 0) throw thrown; // an index that the publisher declared
      await store.write(async (sql) => {
        await lockPatiently(sql, table);
        for (const { name } of narrow) await dropAutoIndexNow(sql, name);
      });
    }
}

/** Automatic indexes with the reads that they serve. Sysadmins only. @throws CatalogError NOT_AUTHORIZED, UNAVAILABLE */
export async function indexesReport(call: Call): Promise<IndexChanges> {
  if (!call.actor.sysadmin) throw notAuthorized('only system administrators may list the automatic indexes');
  return planIndexes(call);
}
