/** Visibility of tags. */
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { readerOf } from '../document/readable.ts';
import { tagsCarried } from './tag.sql.ts';
import { type TagRecord, tagsByIds } from './tag.store.ts';

/** Tags in the order of the ids; null for a missing tag or one that the caller may not see. */
export const tagNodes = async (call: Call, ids: readonly string[]): Promise<(TagRecord | null)[]> =>
  inOrder(ids, await shownTags(call, await tagsByIds(call.sql, ids)), (tag) => tag.id);

/** Readers of a dataset see its free tags; everyone sees tags of vocabularies. */
export async function shownTags(call: Call, tags: readonly TagRecord[]): Promise<TagRecord[]> {
  const free = tags.filter((tag) => tag.vocabularyId === null).map((tag) => tag.id);
  if (call.actor.sysadmin || free.length === 0) return [...tags];
  const carried = await tagsCarried(call.sql, free, readerOf(call.actor));
  return tags.filter((tag) => tag.vocabularyId !== null || carried.has(tag.id));
}
