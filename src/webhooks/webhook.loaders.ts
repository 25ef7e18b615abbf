import type { Call } from '../kernel/call.ts';
import { counts, pages } from '../kernel/pages.ts';
import { countsOfLetters, pagesOfLetters } from './letter.store.ts';

export const webhookLoaders = ({ sql }: Call) => ({
  /** Dead letters of a webhook that was read, one more than the page's limit, the oldest first. */
  letterPages: pages(
    (ids, page) => pagesOfLetters(sql, ids, page),
    ({ webhookId }) => webhookId,
  ),
  letterCounts: counts((ids) => countsOfLetters(sql, ids)),
});
