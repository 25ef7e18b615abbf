import { recordRevision } from '../../changes/changes.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import { allow, checkVersion, notFound, type Problem, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inOrder } from '../../kernel/node.ts';
import { checkTagName, setTagsOf } from '../tag/tag.service.ts';
import { mayChangeVocabularies } from './vocabulary.policy.ts';
import { checkVocabularyName } from './vocabulary.rules.ts';
import {
  countVocabularies,
  deleteVocabulary,
  findVocabulary,
  insertVocabulary,
  listVocabularies,
  lockVocabulary,
  ownerOfName,
  pageOfVocabularies,
  renameVocabulary,
  type VocabularyRecord,
  vocabulariesByIds,
} from './vocabulary.store.ts';

/** The backing type of VocabularyConnection. */
export type VocabularyConnectionRecord = Connection<VocabularyRecord>;

/** A page of vocabularies by name. @throws CatalogError LIMIT, VALIDATION (cursor). */
export async function vocabularyConnection(call: Call, args: PageArgs): Promise<VocabularyConnectionRecord> {
  const page = keyset(args, ['string'], call.settings['catalog.limits.rows']);
  const rows = await pageOfVocabularies(call.db, page);
  return connection(
    rows,
    page,
    (row) => [row.name],
    () => countVocabularies(call.db),
  );
}

/** All vocabularies, by name. */
export const vocabularyList = (call: Call): Promise<VocabularyRecord[]> => listVocabularies(call.sql, null);

/** Vocabularies in the order of `ids`; null for a missing one. */
export const vocabularyNodes = async (call: Call, ids: readonly string[]): Promise<(VocabularyRecord | null)[]> =>
  inOrder(ids, await vocabulariesByIds(call.sql, ids), (vocabulary) => vocabulary.id);

/** @throws CatalogError NOT_FOUND. */
export async function vocabularyShow(call: Call, idOrName: string): Promise<VocabularyRecord> {
  return orNotFound(await findVocabulary(call.sql, idOrName), idOrName);
}

/** Creates a vocabulary and its tags. @throws CatalogError NOT_AUTHORIZED, VALIDATION (all problems at once). */
export async function vocabularyCreate(
  call: Call,
  { name, tags = [] }: { name: string; tags?: readonly string[] },
): Promise<VocabularyRecord> {
  authorize(call);
  return inTransaction(call, async (call) => {
    refuse([...nameProblems(name, await ownerOfName(call.db, name), null), ...tagProblems(tags)]);
    const vocabulary = await insertVocabulary(call.db, newId(), name);
    await setTagsOf(call, vocabulary.id, tags);
    await record(call, vocabulary, 'created', { tags });
    return vocabulary;
  });
}

export interface VocabularyPatch {
  readonly id: string;
  readonly name?: string | null;
  readonly tags?: readonly string[] | null;
  readonly expectedVersion?: number | null;
}

/**
 * Changes the fields in the input; omitted ones stay. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND, VALIDATION (all
 * problems at once), CONFLICT (expectedVersion).
 */
export async function vocabularyUpdate(
  call: Call,
  { id: idOrName, name, tags, expectedVersion }: VocabularyPatch,
): Promise<VocabularyRecord> {
  authorize(call);
  return inTransaction(call, async (call) => {
    const before = await lock(call, idOrName, expectedVersion);
    refuse([
      ...(name === undefined
        ? []
        : nameProblems(name, name === null ? null : await ownerOfName(call.db, name), before.id)),
      ...(tags === undefined ? [] : tagProblems(tags)),
    ]);
    if (tags) await setTagsOf(call, before.id, tags);
    const after = await renameVocabulary(call.db, before.id, name ?? before.name);
    await record(call, after, 'updated', {
      ...(name && name !== before.name && { formerName: before.name }),
      ...(tags && { tags }),
    });
    return after;
  });
}

/**
 * Deletes a vocabulary with its tags, removes them from every dataset and returns its id. @throws CatalogError
 * NOT_AUTHORIZED, NOT_FOUND, CONFLICT (expectedVersion).
 */
export async function vocabularyDelete(
  call: Call,
  input: { id: string; expectedVersion?: number | null },
): Promise<string> {
  authorize(call);
  return inTransaction(call, async (call) => {
    const vocabulary = await lock(call, input.id, input.expectedVersion);
    await setTagsOf(call, vocabulary.id, []);
    await deleteVocabulary(call.db, vocabulary.id);
    await record(call, vocabulary, 'deleted', {});
    return vocabulary.id;
  });
}

function authorize(call: Call): void {
  allow(mayChangeVocabularies(call.actor));
}

async function lock(
  call: Call,
  idOrName: string,
  expectedVersion: number | null | undefined,
): Promise<VocabularyRecord> {
  const vocabulary = orNotFound(await lockVocabulary(call, idOrName), idOrName);
  checkVersion('The vocabulary', vocabulary.version, expectedVersion);
  return vocabulary;
}

function orNotFound(vocabulary: VocabularyRecord | null, idOrName: string): VocabularyRecord {
  if (!vocabulary) throw notFound(`Could not find vocabulary "${idOrName}"`);
  return vocabulary;
}

const problemsAt = (path: (string | number)[], messages: readonly string[]): Problem[] =>
  messages.map((message) => ({ path, message }));

const nameProblems = (name: string | null, takenBy: string | null, self: string | null): Problem[] =>
  problemsAt(['name'], name === null ? ['Missing value'] : checkVocabularyName(name, takenBy, self));

const tagProblems = (tags: readonly string[] | null): Problem[] =>
  tags === null
    ? problemsAt(['tags'], ['Missing value'])
    : tags.flatMap((tag, index) => problemsAt(['tags', index], checkTagName(tag)));

const VERB = { created: 'Create', updated: 'Update', deleted: 'Delete' } as const;

const record = (
  call: Call,
  { id, name }: VocabularyRecord,
  action: keyof typeof VERB,
  detail: Record<string, unknown>,
): Promise<void> =>
  recordRevision(call, newId(), `${VERB[action]} vocabulary ${name}`, [
    { objectType: 'vocabulary', objectId: id, action, detail: { name, ...detail } },
  ]);
