import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import { counts, pages } from '../kernel/pages.ts';
import { countsOfDeadLetters, pagesOfDeadLetters } from './dead-letter.store.ts';
import { readLog } from './webhook.store.ts';

export const webhookLoaders = ({ db, sql }: Call) => ({
  /** Number of changes after a cursor. Not cached: an earlier mutation of the request may have added some. */
  changesAfter: new DataLoader<number, number>(
    async (cursors) => {
      const { last, unplaced } = await readLog(db);
      return cursors.map((cursor) => Math.max(last - cursor, 0) + unplaced);
    },
    { cache: false },
  ),
  /** Dead letters of a loaded webhook, one more than the page's limit, oldest first. */
  deadLetterPages: pages(
    (ids, page) => pagesOfDeadLetters(db, ids, page),
    ({ webhookId }) => webhookId,
  ),
  deadLetterCounts: counts((ids) => countsOfDeadLetters(sql, ids)),
});
