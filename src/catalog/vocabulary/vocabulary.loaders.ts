import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { type VocabularyRecord, vocabulariesByIds } from './vocabulary.store.ts';

export const vocabularyLoaders = ({ sql }: Call) => ({
  /** A vocabulary by id; null when there is none. */
  vocabularyById: new DataLoader<string, VocabularyRecord | null>(async (ids) =>
    inOrder(ids, await vocabulariesByIds(sql, ids), ({ id }) => id),
  ),
});
