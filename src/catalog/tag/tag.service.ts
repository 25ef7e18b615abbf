import { recordRevision } from '../../changes/changes.service.ts';
import { likeText } from '../../infra/postgres/like.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import { allow, checkVersion, limitAt, notFound, type Problem, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { PageOf } from '../../kernel/pages.ts';
import { removeTagsFromDocuments } from '../document/document.service.ts';
import { findVocabulary, lockVocabulary, touchVocabularies } from '../vocabulary/vocabulary.store.ts';
import { insertMissingTags } from './find-or-create.sql.ts';
import { mayChangeTags } from './tag.policy.ts';
import { checkTagName } from './tag.rules.ts';
import { countTags, listTags, pageOfTags, type TagChoice } from './tag.sql.ts';
import { deleteTags, findTag, insertTag, lockTags, type TagRecord, tagsOfVocabularies } from './tag.store.ts';
import { shownTags } from './visible.ts';

export { type FoundTags, findTags, tagIdsFor } from './find-or-create.service.ts';
export { checkTagName } from './tag.rules.ts';
export { tagNodes } from './visible.ts';

export interface TagFilter {
  readonly vocabulary?: string | null;
  readonly words?: readonly string[] | null;
}
/** The backing types of TagConnection and TagList. */
export type TagConnectionRecord = Connection<TagRecord>;
export interface TagPage {
  readonly nodes: TagRecord[];
  readonly totalCount: () => Promise<number>;
}

const NOTHING: TagPage = { nodes: [], totalCount: async () => 0 };

/** A page of tags by name. @throws CatalogError NOT_FOUND (vocabulary), LIMIT, VALIDATION (cursor). */
export async function tagConnection(call: Call, args: TagFilter & PageArgs): Promise<TagConnectionRecord> {
  const page = keyset(args, ['string'], call.settings['catalog.limits.rows']);
  const choice = await choose(call, args);
  if (choice === null) return connection<TagRecord>([], page, keyOf, NOTHING.totalCount);
  const rows = await pageOfTags(call.sql, choice, page);
  return connection(rows, page, keyOf, () => countTags(call.sql, choice));
}

interface Loaders {
  tagPagesByVocabulary: { load(requested: PageOf): Promise<TagRecord[]> };
  tagCountByVocabulary: { load(vocabularyId: string): Promise<number> };
}

/** A page of the tags of a loaded vocabulary, by name. @throws CatalogError LIMIT, VALIDATION (cursor). */
export async function vocabularyTags(
  call: Call,
  loaders: Loaders,
  vocabularyId: string,
  args: PageArgs,
): Promise<TagConnectionRecord> {
  const page = keyset(args, ['string'], call.settings['catalog.limits.rows']);
  const rows = await loaders.tagPagesByVocabulary.load({ id: vocabularyId, page });
  return connection(rows, page, keyOf, () => loaders.tagCountByVocabulary.load(vocabularyId));
}

/** Tags by name, with offset and limit. @throws CatalogError NOT_FOUND (vocabulary), LIMIT, VALIDATION (negative numbers). */
export async function tagList(
  call: Call,
  args: TagFilter & { limit?: number | null; offset?: number | null },
): Promise<TagPage> {
  const limit = args.limit ?? null;
  const offset = args.offset ?? 0;
  checkPosition(limit, offset, call.settings['catalog.limits.rows']);
  const choice = await choose(call, args);
  if (choice === null) return NOTHING;
  return {
    nodes: await listTags(call.sql, choice, { limit, offset }),
    totalCount: () => countTags(call.sql, choice),
  };
}

/** @throws CatalogError NOT_FOUND for an unknown vocabulary, or a tag that is missing or hidden from the caller. */
export async function tagShow(
  call: Call,
  { id: idOrName, vocabulary }: { id: string; vocabulary?: string | null },
): Promise<TagRecord> {
  const tag = await findTag(call.sql, idOrName, await vocabularyIdOrNull(call, vocabulary));
  if (!tag || (await shownTags(call, [tag])).length === 0) throw notFound(`Could not find tag "${idOrName}"`);
  return tag;
}

/** Adds a tag to a vocabulary. @throws CatalogError NOT_AUTHORIZED, VALIDATION. */
export async function tagCreate(
  call: Call,
  { name, vocabularyId }: { name: string; vocabularyId: string },
): Promise<TagRecord> {
  authorize(call);
  return inTransaction(call, async (call) => {
    const problems: Problem[] = checkTagName(name).map((message) => ({ path: ['name'], message }));
    if ((await touchVocabularies(call.db, [vocabularyId])) === 0) {
      problems.push({ path: ['vocabularyId'], message: 'Tag vocabulary was not found.' });
    } else if ((await findTag(call.sql, name, vocabularyId))?.name === name) {
      problems.push({ path: ['vocabularyId'], message: `Tag ${name} already belongs to vocabulary ${vocabularyId}` });
    }
    refuse(problems);
    const tag = { id: newId(), name, vocabularyId };
    await insertTag(call.db, tag);
    await record(call, tag, 'created');
    return tag;
  });
}

/** Deletes a tag and removes it from every dataset; returns the deleted tag. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND. */
export async function tagDelete(
  call: Call,
  input: { id: string; vocabulary?: string | null; expectedVersion?: number | null },
): Promise<TagRecord> {
  authorize(call);
  return inTransaction(call, async (call) => {
    const tag = await tagShow(call, input);
    if (tag.vocabularyId !== null) {
      const vocabulary = await lockVocabulary(call, tag.vocabularyId);
      if (vocabulary) checkVersion('The vocabulary', vocabulary.version, input.expectedVersion);
      await touchVocabularies(call.db, [tag.vocabularyId]);
    }
    await dropTags(call, [tag]);
    await record(call, tag, 'deleted');
    return tag;
  });
}

/**
 * Sets the tags of a vocabulary: tags that keep their name keep their id, others are deleted and removed from every
 * dataset. The caller checks names and permission and has locked the vocabulary. Call it inside a transaction.
 */
export async function setTagsOf(call: Call, vocabularyId: string, names: readonly string[]): Promise<void> {
  const requested = new Set(names);
  const before = await tagsOfVocabularies(call.sql, [vocabularyId]);
  await dropTags(
    call,
    before.filter((tag) => !requested.has(tag.name)),
  );
  for (const tag of before) requested.delete(tag.name);
  await insertMissingTags(
    call.sql,
    [...requested].map((name) => ({ name, vocabularyId })),
  );
}

async function dropTags(call: Call, tags: readonly TagRecord[]): Promise<void> {
  if (tags.length === 0) return;
  const ids = tags.map((tag) => tag.id);
  await lockTags(call, ids);
  await removeTagsFromDocuments(call, ids);
  await deleteTags(call.db, ids);
}

const keyOf = (tag: TagRecord): [string] => [tag.name];

function authorize(call: Call): void {
  allow(mayChangeTags(call.actor));
}

const record = (call: Call, tag: TagRecord, action: 'created' | 'deleted'): Promise<void> =>
  recordRevision(call, newId(), `${action === 'created' ? 'Create' : 'Delete'} tag ${tag.name}`, [
    { objectType: 'tag', objectId: tag.id, action, detail: { name: tag.name, vocabularyId: tag.vocabularyId } },
  ]);

async function vocabularyIdOrNull(call: Call, idOrName: string | null | undefined): Promise<string | null> {
  if (idOrName == null || idOrName === '') return null;
  const vocabulary = await findVocabulary(call.sql, idOrName);
  if (!vocabulary) throw notFound(`Could not find vocabulary "${idOrName}"`);
  return vocabulary.id;
}

/** Limit of words, because each is compared with every tag's name. */
const MAX_WORDS = 100;

/** The SQL filter; null for a word search without words, which finds nothing. */
async function choose(call: Call, { vocabulary, words }: TagFilter): Promise<TagChoice | null> {
  const vocabularyId = await vocabularyIdOrNull(call, vocabulary);
  if (words == null) return { vocabularyId, patterns: [] };
  const distinct = [...new Set(words.map((word) => word.trim()).filter(Boolean))];
  if (distinct.length > MAX_WORDS) {
    throw limitAt('words', `At most ${MAX_WORDS} different words`);
  }
  return distinct.length === 0
    ? null
    : { vocabularyId, patterns: distinct.map((word) => `%${likeText(word, 'words')}%`) };
}

function checkPosition(limit: number | null, offset: number, max: number): void {
  const negative = Object.entries({ limit: limit ?? 0, offset }).filter(([, value]) => value < 0);
  refuse(negative.map(([field]) => ({ path: [field], message: 'Must be a natural number' })));
  if (limit !== null && limit > max) {
    throw limitAt('limit', `Must be at most ${max} (got ${limit}; catalog.limits.rows)`);
  }
}
