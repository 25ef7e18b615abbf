import type { Call } from './call.ts';

/**
 * Objects of one type by raw id, in the order of `ids`, for `node` and `nodes`. Null for an unknown object or one that
 * the read policy hides; never throws for either. Set-based: one look-up for all ids.
 */
export type NodeReader = (call: Call, ids: readonly string[]) => Promise<readonly (object | null)[]>;

/** The record of an object in the graph whose type is not known yet. */
export type NodeRecord = object;

/** Readers by GraphQL type name; each feature's resolvers file exports its own. */
export type NodeReaders = Readonly<Record<string, NodeReader>>;

/** Sorts rows into the order of their ids, with null for missing ones: the last step of every NodeReader. */
export function inOrder<Row extends object>(
  ids: readonly string[],
  rows: Iterable<Row>,
  idOf: (row: Row) => string,
): (Row | null)[] {
  const byId = new Map<string, Row>();
  for (const row of rows) byId.set(idOf(row), row);
  return ids.map((id) => byId.get(id) ?? null);
}

/** The row with this id, else the first one, which matches by name; null without rows. A name cannot hide another row. */
export const idWins = <Row extends { readonly id: string }>(found: readonly Row[], idOrName: string): Row | null =>
  found.find(({ id }) => id === idOrName) ?? found[0] ?? null;
