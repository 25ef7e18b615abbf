/** Finds or creates the tags of a dataset by name, in a vocabulary or free. */
import type { Call } from '../../kernel/call.ts';
import { conflict, type Problem } from '../../kernel/errors.ts';
import { touchVocabularies, vocabulariesByIds } from '../vocabulary/vocabulary.store.ts';
import { idsByTag, insertMissingTags, type RequestedTag, tagKey } from './find-or-create.sql.ts';
import { mayChangeTags } from './tag.policy.ts';

/** The tags that exist of those requested for a dataset. */
export interface FoundTags {
  /** By tagKey. */
  readonly ids: ReadonlyMap<string, string>;
  /**
   * Unknown vocabularies, and tags missing in a vocabulary to which the caller may not add. Paths are `tags`, the index in the request,
   * and the field.
   */
  readonly problems: readonly Problem[];
}

/** Finds the requested tags. They cannot be deleted until the transaction ends. Sends its statements before waiting. */
export async function findTags(call: Call, requested: readonly RequestedTag[]): Promise<FoundTags> {
  const vocabularyIds = [...new Set(requested.flatMap((tag) => tag.vocabularyId ?? []))];
  const [ids, vocabularies] = await Promise.all([
    idsByTag(call.sql, requested),
    vocabularyIds.length === 0 ? [] : vocabulariesByIds(call.sql, vocabularyIds),
  ]);
  const known = new Set(vocabularies.map(({ id }) => id));
  const mayAdd = mayChangeTags(call.actor) === null;
  const problems = requested.flatMap((tag, index): Problem[] => {
    if (tag.vocabularyId === null) return [];
    const message = !known.has(tag.vocabularyId)
      ? 'Tag vocabulary was not found.'
      : mayAdd || ids.has(tagKey(tag))
        ? null
        : `Tag ${tag.name} does not belong to vocabulary ${tag.vocabularyId}`;
    return message === null ? [] : [{ path: ['tags', index, 'vocabularyId'], message }];
  });
  return { ids, problems };
}

/**
 * Ids of the tags, in their order, including duplicates. Creates those that were not found, which the caller has
 * checked. Call it inside the transaction that uses the ids. @throws CatalogError CONFLICT during the deletion of a tag.
 */
export async function tagIdsFor(
  call: Call,
  requested: readonly RequestedTag[],
  found: FoundTags['ids'],
): Promise<string[]> {
  let ids = found;
  const missing = new Map(requested.filter((tag) => !ids.has(tagKey(tag))).map((tag) => [tagKey(tag), tag]));
  if (missing.size > 0) {
    await insertMissingTags(call.sql, [...missing.values()]);
    const changed = new Set([...missing.values()].flatMap((tag) => tag.vocabularyId ?? []));
    if (changed.size > 0) await touchVocabularies(call.db, [...changed]);
    ids = await idsByTag(call.sql, requested);
  }
  return requested.map((tag) => {
    const id = ids.get(tagKey(tag));
    if (id === undefined) throw conflict(`Tag ${tag.name} is being deleted. Try again.`);
    return id;
  });
}
