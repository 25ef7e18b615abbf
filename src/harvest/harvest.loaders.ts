import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import type { Keyset } from '../kernel/connection.ts';
import { type OriginRecord, originsOf } from './run/known.store.ts';
import { countsOfRemarks, countsOfRuns, pagesOfRemarks, pagesOfRuns } from './run/run.store.ts';
import { mayManageSource } from './source/source.policy.ts';
import { type SourceRecord, sourcesByIds } from './source/source.store.ts';

/** A parent, and the page wanted of what it has. */
interface PageOf {
  readonly id: string;
  readonly page: Keyset;
}

export const harvestLoaders = ({ sql, actor }: Call) => ({
  /** Where a dataset was copied from; null for one that was made here. */
  originByDataset: new DataLoader<string, OriginRecord | null>(async (ids) => {
    const found = new Map((await originsOf(sql, ids)).map((origin) => [origin.datasetId, origin]));
    return ids.map((id) => found.get(id) ?? null);
  }),
  /** A source by id; null for those who may not manage it. */
  managedSource: new DataLoader<string, SourceRecord | null>(async (ids) => {
    const found = new Map((await sourcesByIds(sql, ids)).map((source) => [source.id, source]));
    return ids.map((id) => {
      const source = found.get(id);
      return source && mayManageSource(actor, source.organizationId) === null ? source : null;
    });
  }),
  /** Runs of a source that was read, one more than the page's limit, the newest first. */
  harvestRunPages: pages(
    (ids, page) => pagesOfRuns(sql, ids, page),
    (run) => run.sourceId,
  ),
  harvestRunCounts: counts((ids) => countsOfRuns(sql, ids)),
  /** Remarks of a run that was read, one more than the page's limit, in their order. */
  harvestRemarkPages: pages(
    (ids, page) => pagesOfRemarks(sql, ids, page),
    (remark) => remark.runId,
  ),
  harvestRemarkCounts: counts((ids) => countsOfRemarks(sql, ids)),
});

/** Parents of one list ask for the same page: one statement. */
const pages = <Row>(
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

const counts = (load: (ids: readonly string[]) => Promise<{ id: string; n: number }[]>) =>
  new DataLoader<string, number>(async (ids) => {
    const found = new Map((await load(ids)).map(({ id, n }) => [id, n]));
    return ids.map((id) => found.get(id) ?? 0);
  });
