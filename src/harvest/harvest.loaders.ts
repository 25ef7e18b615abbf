import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import { counts, pages } from '../kernel/pages.ts';
import { type OriginRecord, originsOf } from './run/known.store.ts';
import { countsOfRemarks, countsOfRuns, pagesOfRemarks, pagesOfRuns } from './run/run.store.ts';
import { mayManageSource } from './source/source.policy.ts';
import { type SourceRecord, sourcesByIds } from './source/source.store.ts';

export const harvestLoaders = ({ db, actor }: Call) => ({
  /** Where a dataset was copied from; null for one that was made here. */
  originByDataset: new DataLoader<string, OriginRecord | null>(async (ids) => {
    const found = await originsOf(db, ids);
    return ids.map((id) => found.get(id) ?? null);
  }),
  /** A source by id; null for those who may not manage it. */
  managedSource: new DataLoader<string, SourceRecord | null>(async (ids) => {
    const found = new Map((await sourcesByIds(db, ids)).map((source) => [source.id, source]));
    return ids.map((id) => {
      const source = found.get(id);
      return source && mayManageSource(actor, source.organizationId) === null ? source : null;
    });
  }),
  /** Runs of a source that was read, one more than the page's limit, the newest first. */
  harvestRunPages: pages(
    (ids, page) => pagesOfRuns(db, ids, page),
    (run) => run.sourceId,
  ),
  harvestRunCounts: counts((ids) => countsOfRuns(db, ids)),
  /** Remarks of a run that was read, one more than the page's limit, in their order. */
  harvestRemarkPages: pages(
    (ids, page) => pagesOfRemarks(db, ids, page),
    (remark) => remark.runId,
  ),
  harvestRemarkCounts: counts((ids) => countsOfRemarks(db, ids)),
});
