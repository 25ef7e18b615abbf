/** Loads lists of datasets below many parents: one statement for all groups, organizations, users or tags of a page. */
import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import type { JsonText } from '../../kernel/json.ts';
import { inOrder } from '../../kernel/node.ts';
import { counts, grouped, pages } from '../../kernel/pages.ts';
import { readerOf } from '../document/readable.ts';
import type { DatasetRecord } from '../document/record.ts';
import { mayReadDataset } from './dataset.policy.ts';
import { listDocuments } from './dataset.sql.ts';
import { type CopyKey, countCopies, listCopies, pagesOfCopies } from './history/history.sql.ts';
import { listDatasetFacts } from './read/facts.store.ts';
import { countLists, type DatasetList, type Listed, listPages } from './read/lists.sql.ts';
import { type ListText, listTexts } from './read/texts.sql.ts';

/** A list and the requested page of it. */
export interface ListPage extends DatasetList {
  readonly page: Keyset;
}

export function datasetLoaders(call: Call) {
  const { sql, actor, settings } = call;
  const reader = readerOf(actor);
  return {
    /** A dataset by id; null when it is missing or the caller may not read it. */
    datasetById: new DataLoader<string, DatasetRecord | null>(async (ids) => {
      const found = (await listDocuments(sql, ids)).filter((it) => mayReadDataset(actor, it, settings) === null);
      return inOrder(ids, found, (dataset) => dataset.id);
    }),
    /** One row more than the page's limit, in list order. */
    datasetPages: new DataLoader<ListPage, Listed[], string>(
      (requested) =>
        grouped(
          requested,
          ({ id: _id, ...rest }) => JSON.stringify(rest),
          (first, ids) => listPages(sql, first, ids, first.page, reader),
        ),
      { cacheKeyFn: (requested) => JSON.stringify(requested) },
    ),
    datasetCounts: new DataLoader<DatasetList, number, string>(
      (requested) =>
        grouped(
          requested,
          ({ id: _id, ...rest }) => JSON.stringify(rest),
          (first, ids) => countLists(sql, first, ids, reader),
        ),
      { cacheKeyFn: (requested) => JSON.stringify(requested) },
    ),
    /** Documents of a list as one JSON text; null when some document differs between readers. */
    datasetTexts: new DataLoader<ListText, JsonText | null, string>(
      (requested) =>
        grouped(
          requested,
          ({ id: _id, ...rest }) => JSON.stringify(rest),
          (first, ids) => listTexts(sql, first, ids),
        ),
      { cacheKeyFn: (requested) => JSON.stringify(requested) },
    ),
    ...readLoaders(call),
    ...historyLoaders(sql, reader),
  };
}

/** Datasets by id, under the policy of every read. */
function readLoaders({ sql, actor, settings }: Call) {
  return {
    /** Whether the caller may read the dataset; false when it is missing. */
    mayReadDataset: new DataLoader<string, boolean>(async (ids) => {
      const found = await listDatasetFacts(sql, ids);
      const read = new Set(
        found.filter(({ facts }) => mayReadDataset(actor, facts, settings) === null).map(({ facts }) => facts.id),
      );
      return ids.map((id) => read.has(id));
    }),
  };
}

function historyLoaders(sql: Call['sql'], reader: readonly unknown[]) {
  return {
    /** Copies that the caller may read, latest first, one more than the page's limit. */
    historyPages: pages(
      (ids, page) => pagesOfCopies(sql, ids, page, reader),
      (copy) => copy.datasetId,
    ),
    /** Number of these copies. */
    historyCounts: counts((ids) => countCopies(sql, ids, reader)),
    /** A copy by its key. The key comes from a page, so visibility is not checked again. */
    historyCopies: new DataLoader<CopyKey, DatasetRecord | null, string>((keys) => listCopies(sql, keys), {
      cacheKeyFn: ({ datasetId, revisionId }) => `${datasetId} ${revisionId}`,
    }),
  };
}
