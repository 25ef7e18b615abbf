import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import { counts, pages } from '../kernel/pages.ts';
import { type OriginRecord, originsOf } from './run/known.store.ts';
import { countsOfRemarks, countsOfRuns, pagesOfRemarks, pagesOfRuns } from './run/run.store.ts';
import { mayManageSource } from './source/source.policy.ts';
import { type SourceRecord, sourcesByIds } from './source/source.store.ts';

export const harvestLoaders = ({ db, sql, actor }: Call) => ({
  /** Origin of a harvested dataset; null for a local one. */
  originByDataset: new DataLoader<string, OriginRecord | null>(async (ids) => {
    const found = await originsOf(db, ids);
    return ids.map((id) => found.get(id) ?? null);
  }),
  /** A source by id; null when the caller may not manage it. */
  managedSource: new DataLoader<string, SourceRecord | null>(async (ids) => {
    const found = new Map((await sourcesByIds(db, ids)).map((source) => [source.id, source]));
    return ids.map((id) => {
      const source = found.get(id);
      return source && mayManageSource(actor, source.organizationId) === null ? source : null;
    });
  }),
  /** Runs of an already authorized source, newest first, one more than the page's limit. */
  harvestRunPages: pages(
    (ids, page) => pagesOfRuns(db, ids, page),
    (run) => run.sourceId,
  ),
  harvestRunCounts: counts((ids) => countsOfRuns(sql, ids)),
  /** Remarks of an already authorized run in order, one more than the page's limit. */
  harvestRemarkPages: pages(
    (ids, page) => pagesOfRemarks(db, ids, page),
    (remark) => remark.runId,
  ),
  harvestRemarkCounts: counts((ids) => countsOfRemarks(sql, ids)),
});
