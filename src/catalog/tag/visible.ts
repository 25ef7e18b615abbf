/** Which tags a caller may know of. */
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { readerOf } from '../document/readable.ts';
import { tagsCarried } from './tag.sql.ts';
import { type TagRecord, tagsByIds } from './tag.store.ts';

/** Tags by id in the order asked; null where there is none that the caller may know of. */
export const tagNodes = async (call: Call, ids: readonly string[]): Promise<(TagRecord | null)[]> =>
  inOrder(ids, await shownTags(call, await tagsByIds(call.db, ids)), (tag) => tag.id);

/** Free tags are told to those who may read a dataset that carries them; tags of vocabularies to everybody. */
export async function shownTags(call: Call, tags: readonly TagRecord[]): Promise<TagRecord[]> {
  const free = tags.filter((tag) => tag.vocabularyId === null).map((tag) => tag.id);
  if (call.actor.sysadmin || free.length === 0) return [...tags];
  const carried = await tagsCarried(call.sql, free, readerOf(call.actor));
  return tags.filter((tag) => tag.vocabularyId !== null || carried.has(tag.id));
}
