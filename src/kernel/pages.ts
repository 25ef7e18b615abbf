/** Loaders for lists below many parents: one statement reads the lists of all parents. */
import DataLoader from 'dataloader';
import type { Counted } from '../infra/postgres/by-keys.sql.ts';
import { MAX_IN_LIST } from '../infra/postgres/in-lists.ts';
import type { Keyset } from './connection.ts';

/** A parent, and the requested page of its list. */
export interface PageOf {
  readonly id: string;
  readonly page: Keyset;
}

type Keys = readonly string[];
const BATCHED = { maxBatchSize: MAX_IN_LIST };

function byParent<Row>(ids: Keys, rows: readonly Row[], parentOf: (row: Row) => string): Map<string, Row[]> {
  const found = new Map<string, Row[]>(ids.map((id) => [id, []]));
  for (const row of rows) found.get(parentOf(row))?.push(row);
  return found;
}

/** Whole lists by parent, in the order of `load`. */
export const lists = <Row>(load: (ids: Keys) => Promise<Row[]>, parentOf: (row: Row) => string) =>
  new DataLoader<string, Row[]>(async (ids) => {
    const found = byParent(ids, await load(ids), parentOf);
    return ids.map((id) => found.get(id)!);
  }, BATCHED);

/** Values in the order of `keys`. Keys of one kind are read together. */
export async function grouped<Key extends { readonly id: string }, T>(
  keys: readonly Key[],
  kindOf: (key: Key) => string,
  read: (first: Key, ids: string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<T[]> {
  if (keys.length === 1) return [(await read(keys[0]!, [keys[0]!.id])).get(keys[0]!.id)!];
  const kinds = new Map<string, Key[]>();
  for (const key of keys) {
    const alike = kinds.get(kindOf(key));
    if (alike) alike.push(key);
    else kinds.set(kindOf(key), [key]);
  }
  const found = new Map<string, ReadonlyMap<string, T>>();
  for (const [kind, alike] of kinds) found.set(kind, await read(alike[0]!, [...new Set(alike.map(({ id }) => id))]));
  return keys.map((key) => found.get(kindOf(key))!.get(key.id)!);
}

/** Pages by parent; `load` reads one more row per parent than the page's limit. */
export const pages = <Row>(load: (ids: Keys, page: Keyset) => Promise<Row[]>, parentOf: (row: Row) => string) =>
  new DataLoader<PageOf, Row[], string>(
    (keys) =>
      grouped(
        keys,
        ({ page }) => JSON.stringify(page),
        async ({ page }, ids) => byParent(ids, await load(ids, page), parentOf),
      ),
    { ...BATCHED, cacheKeyFn: ({ id, page }) => JSON.stringify([id, page]) },
  );

/** Counts by parent; 0 for parents that `load` omits. */
export const counts = (load: (ids: Keys) => Promise<Counted[]>) =>
  new DataLoader<string, number>(async (ids) => {
    const found = new Map((await load(ids)).map(({ id, n }) => [id, n]));
    return ids.map((id) => found.get(id) ?? 0);
  }, BATCHED);

/** A column that sorts a list, and the value of a part of a cursor in it. Without `as`, the part itself. */
interface SortColumn<Column extends string> {
  readonly column: Column;
  readonly descending?: boolean;
  readonly as?: (part: string | number) => unknown;
}

/** Prisma arguments of a page of rows in the order of these columns, one more than its limit. The last one is unique. */
export function pageBy<Column extends string>(columns: readonly SortColumn<Column>[], page: Keyset) {
  const { limit, backward, from } = page;
  const isDown = ({ descending = false }: SortColumn<Column>) => descending !== backward;
  const beyond = (index: number): object => {
    const { column, as = (part) => part } = columns[index]!;
    const at = as(from![index]!);
    const [strictly, orEqual] = isDown(columns[index]!) ? ['lt', 'lte'] : ['gt', 'gte'];
    if (index === columns.length - 1) return { [column]: { [strictly!]: at } };
    // The first condition lets an index scan start at the position.
    return { [column]: { [orEqual!]: at }, OR: [{ [column]: { [strictly!]: at } }, beyond(index + 1)] };
  };
  return {
    where: from === null ? {} : beyond(0),
    orderBy: columns.map((one) => ({ [one.column]: isDown(one) ? 'desc' : 'asc' }) as Record<Column, 'asc' | 'desc'>),
    take: limit + 1,
  };
}

/** Prisma's counts by one column, in the form of `counts`. */
export const countsBy = <Column extends string>(
  column: Column,
  groups: readonly ({ _count: number } & Record<Column, string | null>)[],
): Counted[] => groups.map((group) => ({ id: group[column]!, n: group._count }));
