import type { Call } from './call.ts';

/**
 * Objects of one type by raw id, in the order of `ids`, for `node` and `nodes`. Null where there is no such object
 * or where the read policy hides it; never throws for either. Set-based: one look-up for all ids.
 */
export type NodeReader = (call: Call, ids: readonly string[]) => Promise<readonly (object | null)[]>;

/** What stands behind an object in the graph until its type is known. */
export type NodeRecord = object;

/** Readers by the name of the type in the graph; each feature's resolvers file exports its own. */
export type NodeReaders = Readonly<Record<string, NodeReader>>;

/** Puts rows into the order of their ids, with null where there is none: the tail of every NodeReader. */
export function inOrder<Row extends object>(
  ids: readonly string[],
  rows: Iterable<Row>,
  idOf: (row: Row) => string,
): (Row | null)[] {
  const byId = new Map<string, Row>();
  for (const row of rows) byId.set(idOf(row), row);
  return ids.map((id) => byId.get(id) ?? null);
}

/** The row with this id, else the first one, which has it as its name; null when there is none. A name cannot hide another row. */
export const idWins = <Row extends { readonly id: string }>(found: readonly Row[], idOrName: string): Row | null =>
  found.find(({ id }) => id === idOrName) ?? found[0] ?? null;
