/** Loaders for connections that stand inside lists: parents of one list ask for the same page, in one statement. */
import DataLoader from 'dataloader';
import type { Keyset } from './connection.ts';

/** A parent, and the page wanted of what it has. */
export interface PageOf {
  readonly id: string;
  readonly page: Keyset;
}

/** Pages by parent; `load` reads one more row of each than the page's limit. */
export const pages = <Row>(
  load: (ids: readonly string[], page: Keyset) => Promise<Row[]>,
  parentOf: (row: Row) => string,
): DataLoader<PageOf, Row[], string> =>
  new DataLoader<PageOf, Row[], string>(
    async (wanted) => {
      const alike = new Map<string, PageOf[]>();
      for (const one of wanted) {
        const key = JSON.stringify(one.page);
        alike.set(key, [...(alike.get(key) ?? []), one]);
      }
      const found = new Map<PageOf, Row[]>();
      for (const group of alike.values()) {
        const byParent = new Map(group.map((one): [string, Row[]] => [one.id, []]));
        const ids = [...byParent.keys()];
        for (const row of await load(ids, group[0]!.page)) byParent.get(parentOf(row))?.push(row);
        for (const one of group) found.set(one, byParent.get(one.id)!);
      }
      return wanted.map((one) => found.get(one)!);
    },
    { cacheKeyFn: ({ id, page }) => JSON.stringify([id, page]) },
  );

/** How many a parent has; 0 where nothing is said of it. */
export const counts = (load: (ids: readonly string[]) => Promise<{ id: string; n: number }[]>) =>
  new DataLoader<string, number>(async (ids) => {
    const found = new Map((await load(ids)).map(({ id, n }) => [id, n]));
    return ids.map((id) => found.get(id) ?? 0);
  });
