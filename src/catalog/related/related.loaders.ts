import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { countsOfDatasets, pagesOfDatasets, type RelatedRecord } from './related.store.ts';

/** A dataset that was read, and the page wanted of its items. */
interface RelatedPage {
  readonly datasetId: string;
  readonly page: Keyset;
}

export const relatedLoaders = ({ sql }: Call) => ({
  /** One item more than the page's limit, the oldest first. Datasets of one page of a list ask for the same page. */
  relatedPages: new DataLoader<RelatedPage, RelatedRecord[], string>(
    async (wanted) => {
      const pages = new Map<string, Map<string, RelatedRecord[]>>();
      for (const { page } of wanted) {
        const key = JSON.stringify(page);
        if (pages.has(key)) continue;
        const ids = wanted.filter((other) => JSON.stringify(other.page) === key).map(({ datasetId }) => datasetId);
        pages.set(key, await pagesOfDatasets(sql, [...new Set(ids)], page));
      }
      return wanted.map(({ datasetId, page }) => pages.get(JSON.stringify(page))!.get(datasetId) ?? []);
    },
    { cacheKeyFn: ({ datasetId, page }) => JSON.stringify([datasetId, page]) },
  ),
  /** How many items a dataset that was read has. */
  relatedCounts: new DataLoader<string, number>(async (ids) => {
    const counts = await countsOfDatasets(sql, ids);
    return ids.map((id) => counts.get(id) ?? 0);
  }),
});
