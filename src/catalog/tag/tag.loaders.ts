import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { counts, lists, pages } from '../../kernel/pages.ts';
import { tagPagesOfVocabularies } from './tag.sql.ts';
import { type TagRecord, tagCountsOfVocabularies, tagsOfVocabularies } from './tag.store.ts';
import { tagNodes } from './visible.ts';

export const tagLoaders = (call: Call) => ({
  /** A tag by id; null for a missing tag or one that the caller may not see. */
  tagById: new DataLoader<string, TagRecord | null>((ids) => tagNodes(call, ids)),
  /** All tags of a vocabulary, by name. */
  tagsByVocabulary: lists(
    (ids) => tagsOfVocabularies(call.sql, ids),
    (tag) => tag.vocabularyId!,
  ),
  /** The same in pages, one more than the limit. */
  tagPagesByVocabulary: pages(
    (ids, page) => tagPagesOfVocabularies(call.sql, ids, page),
    (tag) => tag.vocabularyId!,
  ),
  tagCountByVocabulary: counts((ids) => tagCountsOfVocabularies(call.sql, ids)),
});
