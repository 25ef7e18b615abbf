/** Finds or creates the tags of a dataset by name, in a vocabulary or free. */
import type { Call } from '../../kernel/call.ts';
import { conflict, invalid, type Problem } from '../../kernel/errors.ts';
import { touchVocabularies, vocabulariesByIds } from '../vocabulary/vocabulary.store.ts';
import { idsByTag, insertMissingTags, type RequestedTag, tagKey } from './find-or-create.sql.ts';
import { mayChangeTags } from './tag.policy.ts';

/**
 * Problems of tags for a dataset: unknown vocabularies, and tags missing in a vocabulary to which the caller may not
 * add. Paths are `tags`, the index in `requested`, and the field. Empty without problems.
 */
export async function tagProblems(call: Call, requested: readonly RequestedTag[]): Promise<Problem[]> {
  const vocabularyIds = new Set(requested.flatMap((tag) => tag.vocabularyId ?? []));
  if (vocabularyIds.size === 0) return [];
  const known = new Set((await vocabulariesByIds(call.sql, [...vocabularyIds])).map(({ id }) => id));
  const lacking = mayChangeTags(call.actor) === null ? null : await idsByTag(call.sql, requested);
  return requested.flatMap((tag, index): Problem[] => {
    if (tag.vocabularyId === null) return [];
    const message = !known.has(tag.vocabularyId)
      ? 'Tag vocabulary was not found.'
      : lacking && !lacking.has(tagKey(tag))
        ? `Tag ${tag.name} does not belong to vocabulary ${tag.vocabularyId}`
        : null;
    return message === null ? [] : [{ path: ['tags', index, 'vocabularyId'], message }];
  });
}

/**
 * Ids of the tags, in their order, including duplicates. Creates missing free tags, and missing tags of a vocabulary if
 * the caller may add them. Call it inside the transaction that uses the ids. Names are not checked here. @throws
 * CatalogError VALIDATION with the problems of tagProblems, CONFLICT during the deletion of a tag.
 */
export async function tagIdsFor(call: Call, requested: readonly RequestedTag[]): Promise<string[]> {
  if (requested.length === 0) return [];
  const problems = await tagProblems(call, requested);
  if (problems.length > 0) throw invalid(problems);
  let ids = await idsByTag(call.sql, requested);
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
