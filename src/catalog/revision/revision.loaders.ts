import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { counts, lists, pages } from '../../kernel/pages.ts';
import { readerOf } from '../document/readable.ts';
import { countsOfGroupRevisions, countsOfObjects, pagesOfGroupRevisions, pagesOfObjects } from './pages.sql.ts';
import { type RevisionRecord, revisionsByIds } from './revision.store.ts';

export const revisionLoaders = ({ sql, actor }: Call) => ({
  /** A revision that a readable object refers to, so its visibility is not checked again. */
  revisionById: new DataLoader<string, RevisionRecord | null>(async (ids) =>
    inOrder(ids, await revisionsByIds(sql, ids), ({ id }) => id),
  ),
  /** Objects that a revision changed or concerns and that the caller may see. */
  objectsByRevision: lists(
    (ids) => pagesOfObjects(sql, ids, null, readerOf(actor)),
    (object) => object.revisionId,
  ),
  /** The same in pages, one more than the limit. */
  objectPagesByRevision: pages(
    (ids, page) => pagesOfObjects(sql, ids, page, readerOf(actor)),
    (object) => object.revisionId,
  ),
  objectCountByRevision: counts((ids) => countsOfObjects(sql, ids, readerOf(actor))),
  /** Revisions of a loaded group, latest first, one more than the page's limit. */
  revisionPagesByGroup: pages(
    (ids, page) => pagesOfGroupRevisions(sql, ids, page, readerOf(actor)),
    (revision) => revision.groupId,
  ),
  revisionCountByGroup: counts((ids) => countsOfGroupRevisions(sql, ids, readerOf(actor))),
});
