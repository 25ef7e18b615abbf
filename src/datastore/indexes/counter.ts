/** Counts shapes of reads, and writes, in the memory of the process, until they are stored in batches. */
import type { Datastore } from '../../infra/postgres/datastore.ts';
import { WRITES } from './shape.rules.ts';

/** Maximum tables, and shapes of each, between two flushes. Others are not counted. */
export const MAX_TABLES = 2_000;
export const MAX_SHAPES = 20;
/** Written rows that count as much as a read. */
const ROWS = 1_000;

type Counts = Map<string, Map<string, number>>;
/** By the pools of a DataStore, because a traced request has a DataStore of its own. */
const counters = new WeakMap<Datastore['pools'], Counts>();

function add({ pools }: Datastore, table: string, shape: string, uses: number): void {
  let tables = counters.get(pools);
  if (!tables) counters.set(pools, (tables = new Map()));
  let shapes = tables.get(table);
  if (!shapes && tables.size >= MAX_TABLES) return;
  if (!shapes) tables.set(table, (shapes = new Map()));
  const before = shapes.get(shape);
  if (before !== undefined || shapes.size < MAX_SHAPES || shape === WRITES) shapes.set(shape, (before ?? 0) + uses);
}

/** Counts a read. Without a shape, there is nothing to count. */
export function noteRead(store: Datastore, table: string | null | undefined, shape: string | null): void {
  if (table != null && shape !== null) add(store, table, shape, 1);
}

/** Counts a write of so many rows. */
export const noteWrite = (store: Datastore, table: string, rows: number): void =>
  add(store, table, WRITES, 1 + rows / ROWS);

/** Loaded rows that count as much as a read: a load costs one build of each index, however many rows it replaces. */
const LOADED_ROWS = 100_000;

/** Counts a load, which replaces all rows. */
export const noteLoad = (store: Datastore, table: string, rows: number): void =>
  add(store, table, WRITES, 1 + rows / LOADED_ROWS);

export interface ShapeCount {
  readonly table: string;
  readonly shape: string;
  readonly uses: number;
}

/** All counts since the last call. */
export function takeCounts({ pools }: Datastore): ShapeCount[] {
  const tables = counters.get(pools) ?? new Map();
  counters.delete(pools);
  return [...tables].flatMap(([table, shapes]) =>
    [...(shapes as Map<string, number>)].map(([shape, uses]) => ({ table, shape, uses })),
  );
}
