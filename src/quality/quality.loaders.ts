import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import { inOrder } from '../kernel/node.ts';
import { grouped, lists } from '../kernel/pages.ts';
import { scopeListOf } from '../statistics/scopes.policy.ts';
import { type QualityRow, scoresOf } from './score.store.ts';
import { type OwnerDays, type PastRow, sumsBefore, sumsOfOwners } from './summary.sql.ts';

export const qualityLoaders = ({ actor, sql }: Call) => ({
  /** The score of a readable dataset; null before its first score. */
  scoreByDataset: new DataLoader<string, QualityRow | null>(async (ids) =>
    inOrder(ids, await scoresOf(sql, ids), (row) => row.datasetId),
  ),
  /** Sums of the datasets of an organization (`*`: of all) that the caller may read, by scope. */
  sumsByOwner: lists(
    (ids) => sumsOfOwners(sql, scopeListOf(actor), ids),
    (row) => row.owner,
  ),
  /** The same before each of several days. */
  pastSumsByOwner: new DataLoader<OwnerDays, readonly PastRow[], string>(
    (keys) =>
      grouped(
        keys,
        ({ days }) => days.join(),
        async ({ days }, owners) => {
          const rows = await sumsBefore(sql, scopeListOf(actor), owners, days);
          return new Map(owners.map((owner) => [owner, rows.filter((row) => row.owner === owner)]));
        },
      ),
    { cacheKeyFn: ({ id, days }) => [id, ...days].join() },
  ),
});
