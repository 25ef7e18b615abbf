/** Lists of datasets below many parents at once: one statement for all groups, organizations, users or tags of a page. */
import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { readerOf } from '../document/readable.ts';
import { countLists, type DatasetList, type Listed, listPages } from './lists.store.ts';

/** A list and the page wanted of it. */
export interface ListPage extends DatasetList {
  readonly page: Keyset;
}

export function datasetLoaders({ sql, actor }: Call) {
  const reader = readerOf(actor);
  return {
    /** One row more than the page's limit, in order. */
    datasetPages: new DataLoader<ListPage, Listed[], string>(
      (wanted) =>
        grouped(
          wanted,
          ({ of, shows, page }) => JSON.stringify([of, shows, page]),
          (first, ids) => listPages(sql, first, ids, first.page, reader),
        ),
      { cacheKeyFn: ({ of, id, shows, page }) => JSON.stringify([of, id, shows, page]) },
    ),
    datasetCounts: new DataLoader<DatasetList, number, string>(
      (wanted) =>
        grouped(
          wanted,
          ({ of, shows }) => `${of} ${shows}`,
          (first, ids) => countLists(sql, first, ids, reader),
        ),
      { cacheKeyFn: ({ of, id, shows }) => `${of} ${shows} ${id}` },
    ),
  };
}

/** Answers in the order wanted; lists of one kind are read together. */
async function grouped<List extends DatasetList, T>(
  wanted: readonly List[],
  kindOf: (list: List) => string,
  read: (first: List, ids: string[]) => Promise<Map<string, T>>,
): Promise<T[]> {
  const kinds = new Map<string, List[]>();
  for (const list of wanted) kinds.set(kindOf(list), [...(kinds.get(kindOf(list)) ?? []), list]);
  const found = new Map<string, Map<string, T>>();
  for (const [kind, lists] of kinds) found.set(kind, await read(lists[0]!, [...new Set(lists.map((list) => list.id))]));
  return wanted.map((list) => found.get(kindOf(list))!.get(list.id)!);
}
