import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { type VocabularyRecord, vocabulariesByIds } from './vocabulary.store.ts';

export const vocabularyLoaders = ({ sql }: Call) => ({
  /** A vocabulary by id; null when there is none. */
  vocabularyById: new DataLoader<string, VocabularyRecord | null>(async (ids) => {
    const found = new Map((await vocabulariesByIds(sql, ids)).map((vocabulary) => [vocabulary.id, vocabulary]));
    return ids.map((id) => found.get(id) ?? null);
  }),
});
