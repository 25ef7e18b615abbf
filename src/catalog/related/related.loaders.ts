import type { Call } from '../../kernel/call.ts';
import { counts, pages } from '../../kernel/pages.ts';
import { pagesOfDatasets } from './related.sql.ts';
import { countsOfDatasets } from './related.store.ts';

export const relatedLoaders = ({ sql }: Call) => ({
  /** One item more than the page's limit, oldest first. */
  relatedPages: pages(
    (ids, page) => pagesOfDatasets(sql, ids, page),
    (item) => item.datasetId!,
  ),
  /** Number of a dataset's items. */
  relatedCounts: counts((ids) => countsOfDatasets(sql, ids)),
});
