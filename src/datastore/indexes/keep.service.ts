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
  STATEMENT_TIMEOUT,
  vacuumTable,
} from './indexes.sql.ts';
import { PREFIX } from './prefix.ts';
import { addShapes, listShapesAt } from './shapes.sql.ts';

/** Minimum rows of a table, and minimum reads per week of an index. */
const MIN_ROWS = 10_000;
const MIN_USES = 20;
/** ms until an index that could not be made is tried again. After other work on the table: at first, doubled each time up to RETRY. */
const RETRY = 60 * 60_000;
const FIRST_RETRY = 2 * 60_000;

/** ms after the time of a next try at which a failure is forgotten. */
const MAX_KNOWN = 24 * 60 * 60_000;

/** Work that failed → time of the next try, and the ms before it. Bounded by the tries of two days. */
const failures = new WeakMap<Datastore['pools'], Map<string, { readonly next: number; readonly wait: number }>>();

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

/** Automatic indexes that exist, and the tables whose reads ask for indexes. */
interface Situation {
  readonly existing: readonly AutoIndex[];
  readonly tables: ReadonlyMap<string, ReadTable>;
  readonly limits: Limits;
}

/** The changes that are due, without making them. Those that another process is making are not due. */
export async function planIndexes(call: Call, thresholds: Partial<Thresholds> = {}): Promise<IndexChanges> {
  const situation = await look(call, datastoreOf(call).sql, thresholds);
  const { keep, drop, make } = changesOf(situation);
  const inProgress = new Set(situation.existing.flatMap((index) => (index.isInProgress ? [index.name] : [])));
  const isOpen = ({ name }: { readonly name: string }) => !inProgress.has(name);
  return {
    keep: [...keep, ...drop.filter((index) => !isOpen(index))],
    drop: drop.filter(isOpen),
    make: make.filter(isOpen),
  };
}

/** `analyze`: makes the statistics of a table, which a choice needs. */
async function look(
  call: Call,
  sql: Sql,
  thresholds: Partial<Thresholds>,
  analyze?: (table: string) => Promise<unknown>,
): Promise<Situation> {
  const { settings } = call;
  const limits: Limits = {
    minRows: MIN_ROWS,
    minUses: MIN_USES,
    ...thresholds,
    max: settings['catalog.datastore.auto_indexes'],
    maxSize: settings['catalog.datastore.auto_indexes_size'],
  };
  const existing = await listAutoIndexes(sql);
  const existingByTable = groupedBy(existing, ({ table }) => table);
  const counts = await listShapesAt(call.sql, call.request.now, [...existingByTable.keys()], limits.minUses);
  const shapes = groupedBy<ShapeCount>(counts, ({ table }) => table);
  const tables = new Map<string, ReadTable>();
  for (const [table, counts] of shapes) {
    const own = columnsByName((existingByTable.get(table) ?? []).filter(({ isValid }) => isValid));
    if (limits.max === 0 || (own.size === 0 && !counts.some(({ uses }) => uses >= limits.minUses))) continue;
    let described = await describeTable(sql, table);
    if (!described) continue;
    if (analyze && described.rows >= limits.minRows && !hasStatistics(described)) {
      await analyze(table);
      described = (await describeTable(sql, table)) ?? described;
    }
    const declared = await listIndexes(sql, [table]);
    tables.set(table, { table, ...described, declared, shapes: counts, existing: own });
  }
  return { existing, tables, limits };
}

const columnsByName = (indexes: readonly AutoIndex[]) => new Map(indexes.map(({ name, columns }) => [name, columns]));

/** `fits`: indexes that may be made. */
function changesOf({ existing, tables, limits }: Situation, fits?: (plan: IndexPlan) => boolean): IndexChanges {
  const chosen = [...tables.values()].flatMap((read) => chooseIndexes(read, limits, fits));
  const plans = new Set(chosen.map(({ name }) => name));
  const isPlanned = ({ name, isValid }: AutoIndex) => isValid && plans.has(name);
  const keep = existing.filter(isPlanned);
  const names = new Set(keep.map(({ name }) => name));
  return {
    keep,
    drop: existing.filter((index) => !isPlanned(index)),
    make: chosen.filter(({ name }) => !names.has(name)),
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
      forgetFailures(store);
      await change(call, sql, await look(call, sql, thresholds, analyze), signal);
    } finally {
      await endKeeping(sql);
    }
  }, signal);
}

/**
 * Makes each index before one that it replaces is dropped, so that an index that cannot be made takes no place. Until then a table has one
 * more than its maximum.
 */
async function change(call: Call, sql: Sql, situation: Situation, signal?: AbortSignal): Promise<void> {
  const { tables, limits } = situation;
  const waiting = waitingNow(datastoreOf(call));
  const valid = new Set(situation.existing.flatMap(({ name, isValid }) => (isValid ? [name] : [])));
  const { make, drop } = changesOf(situation, ({ name }) => valid.has(name) || !waiting.has(name));
  const tryDrop = async ({ table, name }: Pick<AutoIndex, 'table' | 'name'>): Promise<boolean> => {
    const outcome = await tryWork(call, `drop ${name}`, () => dropAutoIndex(sql, name), signal);
    if (outcome === 'done') logOf(call).info({ table, index: name }, 'automatic index dropped');
    return outcome === 'done';
  };
  const blocked = new Set<string>(); // tables with work that failed: the next look chooses without it
  for (const index of drop.filter(({ isValid }) => !isValid)) if (!(await tryDrop(index))) blocked.add(index.table);
  /** Drops existing indexes that are not the best ones of those that exist. */
  const settle = async (table: string) => {
    const own = (await listAutoIndexes(sql, [table])).filter(({ isValid }) => isValid);
    const read = tables.get(table);
    const names = new Set(own.map(({ name }) => name));
    const best = read
      ? chooseIndexes({ ...read, existing: columnsByName(own) }, limits, ({ name }) => names.has(name))
      : [];
    for (const index of own)
      if (!best.some(({ name }) => name === index.name) && !(await tryDrop(index))) blocked.add(table);
  };
  for (const table of new Set(drop.map((index) => index.table))) await settle(table);
  const vacuumed = new Set<string>();
  for (const plan of make) {
    const { table, name } = plan;
    if (blocked.has(table)) continue;
    const outcome = await tryWork(call, name, () => makeIndex(sql, plan, call.request.now), signal);
    if (outcome === 'full' || outcome === 'tooLarge') await tryDrop(plan); // what was written of it stays on the disk until then
    if (outcome === 'full') return;
    if (outcome !== 'done') {
      blocked.add(table);
      continue;
    }
    logOf(call).info({ table, index: name, reason: plan.reason }, 'automatic index made');
    if (!vacuumed.has(table)) await tryWork(call, `statistics of ${table}`, () => vacuumTable(sql, table), signal);
    vacuumed.add(table);
    await settle(table);
  }
}

/** Forgets old failures: their indexes are not tried any more. */
function forgetFailures(store: Datastore): void {
  const failed = failures.get(store.pools);
  for (const [name, { next }] of failed ?? []) if (next + MAX_KNOWN < Date.now()) failed!.delete(name);
}

/** Names of the work that failed and is not tried yet. */
const waitingNow = (store: Datastore): ReadonlySet<string> =>
  new Set([...(failures.get(store.pools) ?? [])].flatMap(([name, { next }]) => (next > Date.now() ? [name] : [])));

/** Outcome of work. `full`: the disk was full. `tooLarge`: this work had too little memory or temporary disk. */
type Outcome = 'done' | 'failed' | 'full' | 'tooLarge';

/** Tries work, but not before its time if it failed. */
async function tryWork(call: Call, name: string, work: () => Promise<void>, signal?: AbortSignal): Promise<Outcome> {
  signal?.throwIfAborted();
  const { pools } = datastoreOf(call);
  const failed = failures.get(pools) ?? new Map<string, { next: number; wait: number }>();
  failures.set(pools, failed);
  const begin = Date.now();
  const last = failed.get(name);
  if (last && last.next > begin) return 'failed';
  try {
    await work();
    failed.delete(name);
    return 'done';
  } catch (thrown) {
    if (signal?.aborted || isUnavailable(thrown)) throw thrown;
    logOf(call).warn({ err: thrown, work: name }, 'work on automatic indexes failed; retrying later');
    const wait = isDisturbed(thrown, begin) ? Math.min(last ? 2 * last.wait : FIRST_RETRY, RETRY) : RETRY;
    failed.set(name, { next: Date.now() + wait, wait });
    return shortage(thrown) ?? 'failed';
  }
}

const causeOf = (thrown: unknown) =>
  (thrown as { readonly cause?: { readonly code?: string; readonly routine?: string } }).cause;

/** Codes of PostgreSQL for a full disk, the end of the memory, and `temp_file_limit`. */
const SHORTAGES: Readonly<Record<string, Outcome>> = { '53100': 'full', '53200': 'tooLarge', '53400': 'tooLarge' };
const shortage = (thrown: unknown): Outcome | undefined => SHORTAGES[causeOf(thrown)?.code ?? ''];

const isUnavailable = (thrown: unknown): boolean =>
  thrown instanceof CatalogError && thrown.kind === 'UNAVAILABLE' && shortage(thrown) === undefined;

/** Whether other work on the table was the reason: a change of the table that cancelled it, or a transaction that it waited for. */
const isDisturbed = (thrown: unknown, begin: number): boolean =>
  thrown instanceof CatalogError &&
  (thrown.kind === 'CONFLICT' ||
    (thrown.message.startsWith('The query took too long') && Date.now() - begin < STATEMENT_TIMEOUT));

/** Functions of PostgreSQL that refuse a value which is too long for an index. Only the second one names the index in its message. */
const TOO_LONG = /^(index_form_tuple|_bt_check_third_page)/;
const NAME = new RegExp(`${PREFIX}[0-9a-f]+`);

/** Automatic indexes of a table that may have refused a write; empty if something else has. */
async function refusing(store: Datastore, table: string, thrown: unknown): Promise<AutoIndex[]> {
  const refusal = TOO_LONG.exec(causeOf(thrown)?.routine ?? '');
  if (!(thrown instanceof CatalogError && refusal)) return [];
  const indexes = await listAutoIndexes(store.sql, [table]);
  const isNamed = refusal[1] === '_bt_check_third_page';
  return indexes.filter((index) => (isNamed ? index.name === NAME.exec(thrown.message)?.[0] : index.hasLongValues));
}

/** Writes rows. Automatic indexes that cannot hold a value are dropped, and the write is repeated. */
export async function writeRows<Done>(call: Call, table: string, work: () => Promise<Done>): Promise<Done> {
  const store = datastoreOf(call);
  for (;;)
    try {
      return await work();
    } catch (thrown) {
      const indexes = await refusing(store, table, thrown);
      if (indexes.length === 0) throw thrown; // also by an index that the publisher declared
      await store.write((sql) => dropNow(sql, table, indexes));
      const names = indexes.map(({ name }) => name);
      logOf(call).info({ table, indexes: names }, 'automatic indexes dropped for a value that is too long');
    }
}

/** Tries a write that ends with an error, which rolls it back. It drops the indexes in its own transaction, so they remain. */
export async function tryRows(store: Datastore, table: string, write: (sql: Sql) => Promise<void>): Promise<void> {
  const dropped: AutoIndex[] = [];
  for (;;)
    try {
      return await store.write(async (sql) => {
        await dropNow(sql, table, dropped);
        await write(sql);
      });
    } catch (thrown) {
      const indexes = await refusing(store, table, thrown);
      const more = indexes.filter(({ name }) => !dropped.some((index) => index.name === name));
      if (more.length === 0) throw thrown;
      dropped.push(...more);
    }
}

async function dropNow(sql: Sql, table: string, indexes: readonly AutoIndex[]): Promise<void> {
  if (indexes.length > 0) await lockPatiently(sql, table);
  for (const { name } of indexes) await dropAutoIndexNow(sql, name);
}

/** Automatic indexes with the reads that they serve. Sysadmins only. @throws CatalogError NOT_AUTHORIZED, UNAVAILABLE */
export async function indexesReport(call: Call): Promise<IndexChanges> {
  if (!call.actor.sysadmin) throw notAuthorized('only system administrators may list the automatic indexes');
  return planIndexes(call);
}
