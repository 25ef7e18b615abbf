import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { type TagRecord, tagsOfVocabularies } from './tag.store.ts';

export const tagLoaders = ({ sql }: Call) => ({
  /** All tags of a vocabulary, by name. */
  tagsByVocabulary: new DataLoader<string, TagRecord[]>(async (ids) => {
    const tags = new Map<string, TagRecord[]>(ids.map((id) => [id, []]));
    for (const tag of await tagsOfVocabularies(sql, ids)) tags.get(tag.vocabularyId!)!.push(tag);
    return ids.map((id) => tags.get(id)!);
  }),
});
