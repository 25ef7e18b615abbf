import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import { counts, pages } from '../kernel/pages.ts';
import { countsOfLetters, pagesOfLetters } from './dead-letter.store.ts';
import { readLog } from './webhook.store.ts';

export const webhookLoaders = ({ db }: Call) => ({
  /** How many changes of the log are after a cursor. Not cached: a mutation before may have added some. */
  changesBehind: new DataLoader<number, number>(
    async (cursors) => {
      const { last, unplaced } = await readLog(db);
      return cursors.map((cursor) => Math.max(last - cursor, 0) + unplaced);
    },
    { cache: false },
  ),
  /** Dead letters of a webhook that was read, one more than the page's limit, the oldest first. */
  letterPages: pages(
    (ids, page) => pagesOfLetters(db, ids, page),
    ({ webhookId }) => webhookId,
  ),
  letterCounts: counts((ids) => countsOfLetters(db, ids)),
});
