/** Chooses the automatic indexes of a table from the shapes of its reads, within a budget. Pure. */
import { createHash } from 'node:crypto';
import { PREFIX } from './prefix.ts';
import { type Shape, type SortKey, shapeOf, WRITES } from './shape.rules.ts';

/** An automatic index. */
export interface IndexPlan {
  readonly name: string;
  readonly table: string;
  /** Columns of the key in order; the last one is `_id`. */
  readonly columns: readonly SortKey[];
  /** Columns that the index holds for aggregates. */
  readonly included: readonly string[];
  /** Why it is made, in words. */
  readonly reason: string;
  /** Reads per week that it serves. */
  readonly uses: number;
}

/** A table and its reads. */
export interface ReadTable {
  readonly table: string;
  readonly rows: number;
  /** Type and average bytes of each column; the width is null without statistics. */
  readonly columns: ReadonlyMap<string, { readonly type: string; readonly width: number | null }>;
  /** Columns of the indexes that publishers declared. */
  readonly declared: readonly { readonly unique: boolean; readonly columns: readonly string[] }[];
  readonly shapes: readonly { readonly shape: string; readonly uses: number }[];
  /** Automatic indexes that exist: name → columns of the key in order, without the last `_id`. */
  readonly existing: ReadonlyMap<string, readonly string[]>;
}

export interface Limits {
  /** Maximum automatic indexes of a table. */
  readonly max: number;
  /** Maximum bytes of them together. Existing ones stay up to a quarter more. */
  readonly maxSize: number;
  /** Minimum rows of a table. One with automatic indexes stays down to a half of it. */
  readonly minRows: number;
  /** Minimum reads per week of a new index. An existing one stays down to a quarter of it. */
  readonly minUses: number;
}

/** Types with short values, or with values that are short in most tables. */
const TYPES = new Set(
  'bool int2 int4 int8 float4 float8 numeric money text varchar bpchar date time timetz timestamp timestamptz uuid'.split(
    ' ',
  ),
);
/** Maximum average bytes of a column: PostgreSQL refuses rows whose index entry is over 2,700 bytes. An existing index allows half more. */
const MAX_WIDTH = 100;
/** Reads of a new index, per read of an existing one, from which on it goes before: a lead that comes and goes builds nothing. */
const MARGIN = 1.5;
/** Bytes of an index entry beside its values. */
const OVERHEAD = 20;

/** Indexes that should exist, most useful first. `fits`: those that may be chosen. */
export function chooseIndexes(
  read: ReadTable,
  { max, maxSize, minRows, minUses }: Limits,
  fits: (plan: IndexPlan) => boolean = () => true,
): IndexPlan[] {
  const reads = sumOf(read.shapes.filter(({ shape }) => shape !== WRITES));
  const writes = sumOf(read.shapes.filter(({ shape }) => shape === WRITES));
  if (read.rows < (read.existing.size > 0 ? minRows / 2 : minRows) || writes >= reads * 2) return [];
  const minUsesOf = ({ name }: IndexPlan) => {
    if (read.existing.has(name)) return minUses / 4;
    return writes < reads ? minUses : Number.POSITIVE_INFINITY;
  };
  const candidates = candidatesOf(read);
  const chosen: Candidate[] = [];
  const isServed = ({ shape }: Candidate) => chosen.some(({ plan }) => serves(plan, shape));
  let size = 0;
  for (const candidate of candidates) {
    const { plan, uses } = candidate;
    if (isServed(candidate) || !fits(plan)) continue;
    const isThere = read.existing.has(plan.name);
    const servedUses = isThere
      ? sumOf(candidates.filter((one) => serves(plan, one.shape) && !isServed(one))) // who uses it may have no index of their own
      : uses;
    const bytes = sizeOf(read, plan);
    const isSmall = size + bytes <= (isThere ? maxSize * 1.25 : maxSize);
    if (servedUses < minUsesOf(plan) || chosen.length >= max || !isSmall) continue;
    size += bytes;
    chosen.push(candidate);
  }
  // Later ones may serve the reads of one before: then that one is not needed.
  let needed = chosen;
  for (const one of chosen) {
    const others = needed.filter((other) => other !== one);
    const own = candidates.filter(
      ({ shape }) => serves(one.plan, shape) && !others.some(({ plan }) => serves(plan, shape)),
    );
    if (sumOf(own) < minUsesOf(one.plan)) needed = others;
  }
  return needed.map(({ plan }) => ({ ...plan, uses: sumOf(candidates.filter(({ shape }) => serves(plan, shape))) }));
}

interface Candidate {
  readonly shape: Shape;
  readonly uses: number;
  readonly plan: IndexPlan;
}

/**
 * An index for each shape, most useful first. An existing one goes before others that have less than `MARGIN` times the reads that it
 * serves, also those of other shapes.
 */
function candidatesOf(read: ReadTable): Candidate[] {
  const popular = popularityOf(read);
  const found = read.shapes.flatMap(({ shape: text, uses }): Candidate[] => {
    const shape = text === WRITES ? null : shapeOf(text);
    if (!shape || isDeclared(read, shape)) return [];
    const plan = planOf(read, shape, uses, popular);
    return isFit(read, shape, plan) ? [{ shape, uses, plan }] : [];
  });
  const weights = new Map<string, number>();
  for (const { uses, plan } of found) {
    const weight = read.existing.has(plan.name)
      ? MARGIN * sumOf(found.filter(({ shape }) => serves(plan, shape)))
      : Math.max(uses, weights.get(plan.name) ?? 0);
    weights.set(plan.name, weight);
  }
  const weightOf = ({ plan }: Candidate) => weights.get(plan.name)!;
  return found.sort((a, b) => weightOf(b) - weightOf(a));
}

const sumOf = (counts: readonly { readonly uses: number }[]): number => counts.reduce((sum, { uses }) => sum + uses, 0);

/** Reads by filtered column: columns that many shapes filter come first, so that shapes share the start of an index. */
function popularityOf({ shapes }: ReadTable): Map<string, number> {
  const popular = new Map<string, number>();
  for (const { shape, uses } of shapes)
    for (const id of shapeOf(shape)?.eq ?? []) popular.set(id, (popular.get(id) ?? 0) + uses);
  return popular;
}

const idsOf = ({ eq, sort, more }: Shape): string[] => [...eq, ...sort.map(([id]) => id), ...more];

function isFit({ columns, existing }: ReadTable, shape: Shape, { name }: IndexPlan): boolean {
  const maxWidth = existing.has(name) ? MAX_WIDTH * 1.5 : MAX_WIDTH;
  return idsOf(shape).every((id) => {
    const column = columns.get(id);
    return column && TYPES.has(column.type) && (column.width ?? 0) <= maxWidth;
  });
}

/** Whether a declared index serves the shape: a unique one finds few rows. */
function isDeclared({ declared }: ReadTable, { eq, sort, more }: Shape): boolean {
  return declared.some(({ unique, columns }) => {
    if (unique && columns.every((id) => eq.includes(id))) return true;
    if (more.length > 0 || sort.some(([, direction]) => direction !== '')) return false;
    const start = columns.slice(0, eq.length);
    const rest = columns.slice(eq.length);
    return (
      start.length === eq.length && start.every((id) => eq.includes(id)) && sort.every(([id], at) => rest[at] === id)
    );
  });
}

/** Whether an index serves another shape too. */
function serves({ columns, included }: IndexPlan, { eq, sort, more }: Shape): boolean {
  const start = columns.slice(0, eq.length);
  if (!start.every(([id]) => eq.includes(id))) return false;
  const all = new Set([...columns.map(([id]) => id), ...included]);
  if (!more.every((id) => all.has(id))) return false;
  // Rows of a whole-row read are sorted by `_id` in the end, so its sort columns must be all between the filters and `_id`.
  const rest = columns.slice(eq.length, more.length > 0 ? undefined : -1);
  return (
    sort.every(([id, direction], at) => rest[at]?.[0] === id && rest[at]?.[1] === direction) &&
    (more.length > 0 || rest.length === sort.length)
  );
}

/** The index of a shape: an existing one with the filters in any order, or one with the most popular filter first. */
function planOf({ table, existing }: ReadTable, shape: Shape, uses: number, popular: Map<string, number>): IndexPlan {
  const { eq, sort, more } = shape;
  const first = [...eq].sort((a, b) => popular.get(b)! - popular.get(a)! || (a < b ? -1 : 1));
  const planBy = (filters: readonly string[]): IndexPlan => {
    const columns: SortKey[] = [...filters.map((id): SortKey => [id, '']), ...sort, ['_id', '']];
    const hash = createHash('sha256')
      .update(JSON.stringify([table, columns, more]))
      .digest('hex')
      .slice(0, 24);
    return { name: `${PREFIX}${hash}`, table, columns, included: more, reason: reasonOf(filters, sort, more), uses };
  };
  const orders = [...existing.values()].map((columns) => columns.slice(0, eq.length));
  const own = orders.filter((ids) => ids.length === eq.length && eq.every((id) => ids.includes(id)));
  return own.map(planBy).find(({ name }) => existing.has(name)) ?? planBy(first);
}

const reasonOf = (eq: readonly string[], sort: readonly SortKey[], more: readonly string[]): string =>
  [
    ...(eq.length > 0 ? [`filters by ${eq.join(', ')}`] : []),
    ...(sort.length > 0 ? [`sorted by ${sort.map((key) => key.join(' ').trim()).join(', ')}`] : []),
    ...(more.length > 0 ? [`aggregates of ${more.join(', ')}`] : []),
  ].join('; ');

/** Estimated bytes of an index. */
const sizeOf = ({ rows, columns }: ReadTable, plan: IndexPlan): number =>
  rows *
  [...plan.columns.map(([id]) => id), ...plan.included].reduce(
    (bytes, id) => bytes + (columns.get(id)?.width ?? 8),
    OVERHEAD,
  );
