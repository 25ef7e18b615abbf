/** Reads and writes records by operations of the graph, so that imports and harvests do exactly what clients may. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import {
  RecordDatasetCreateDocument,
  RecordDatasetDeleteDocument,
  RecordDatasetDocument,
  RecordDatasetPatchDocument,
  RecordDatasetReplaceDocument,
  RecordGroupCreateDocument,
  RecordGroupDocument,
  RecordGroupPatchDocument,
  RecordOrganizationCreateDocument,
  RecordOrganizationDocument,
  RecordOrganizationPatchDocument,
  RecordTableDeleteDocument,
  RecordUserDocument,
  RecordVocabulariesDocument,
  RecordVocabularyCreateDocument,
  RecordVocabularyDocument,
  type RecordVocabularyQuery,
  RecordVocabularyUpdateDocument,
} from '../generated/operations.ts';
import type { RunOperation } from '../graph/run.ts';
import type { Call } from '../kernel/call.ts';
import { invalidField, orNull } from '../kernel/errors.ts';
import { JsonText } from '../kernel/json.ts';
import { datasetFields } from './form/dataset.ts';
import { groupFields } from './form/group.ts';
import { groupDict } from './form/group-dict.ts';
import { asFlag, asText } from './form/readers.ts';
import type { GroupKind, Kind } from './kinds.ts';

/** A dictionary of the Action API. */
export type Dictionary = Readonly<Record<string, unknown>>;

/** Runs operations as a given caller, with a new call for each. */
export interface RecordRunner {
  readonly run: RunOperation;
  call(): Call;
}

type Vocabulary = NonNullable<RecordVocabularyQuery['vocabulary']>;

const run = <Data, Variables>(
  runner: RecordRunner,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> => runner.run(document, variables, runner.call());

/** The record of an object. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function showRecord(runner: RecordRunner, kind: Kind, id: string): Promise<Dictionary> {
  if (kind === 'organization')
    return groupDict((await run(runner, RecordOrganizationDocument, { id })).organization!, true);
  if (kind === 'group') return groupDict((await run(runner, RecordGroupDocument, { id })).group!, true);
  const { document } = (await run(runner, RecordDatasetDocument, { id })).dataset!;
  return (document instanceof JsonText ? document.toJSON() : document) as Dictionary;
}

/** The record of an object by id or name; null when missing. */
export const findRecord = (runner: RecordRunner, kind: Kind, id: unknown): Promise<Dictionary | null> =>
  found(id, (id) => showRecord(runner, kind, id));

export const findVocabulary = (runner: RecordRunner, id: unknown): Promise<Vocabulary | null> =>
  found(id, async (id) => (await run(runner, RecordVocabularyDocument, { id })).vocabulary!);

export const findUser = (runner: RecordRunner, id: unknown): Promise<{ readonly name: string } | null> =>
  found(id, async (id) => (await run(runner, RecordUserDocument, { id })).user!);

const found = async <T>(id: unknown, show: (id: string) => Promise<T>): Promise<T | null> =>
  typeof id === 'string' && id !== '' ? orNull(show(id)) : null;

/** Vocabularies by name, without their tags. */
export const listVocabularies = async (runner: RecordRunner) =>
  (await run(runner, RecordVocabulariesDocument, {})).vocabularyList;

/** Creates the object of a record. Returns its id. @throws CatalogError when the record is refused */
export async function createRecord(runner: RecordRunner, kind: Kind, record: Dictionary): Promise<string> {
  const databaseId = textOf(record.id) || undefined;
  if (kind === 'dataset') {
    const input = { ...datasetFields(record), name: textOf(record.name) ?? '', databaseId };
    return (await run(runner, RecordDatasetCreateDocument, { input })).createDataset.dataset!.databaseId;
  }
  const name = textOf(record.name);
  if (!name) throw invalidField('name', 'Missing value');
  const input = { ...groupFields(record), name, databaseId };
  if (kind === 'organization')
    return (await run(runner, RecordOrganizationCreateDocument, { input })).createOrganization.organization!.databaseId;
  const typed = { input: { ...input, type: textOf(record.type) } };
  return (await run(runner, RecordGroupCreateDocument, typed)).createGroup.group!.databaseId;
}

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : asText(value);

/** The statements of a record about an existing object, as fields of the mutation that changes it. @throws CatalogError VALIDATION */
export const changedFields = (kind: Kind, record: Dictionary) =>
  kind === 'dataset' ? datasetFields(record) : groupChange(record);

const groupChange = (record: Dictionary) => ({
  ...groupFields(record),
  clearUpload: asFlag(record.clear_upload ?? false),
});

/** Replaces the dataset with the record's id, or changes what is given of an organization or group. @throws CatalogError */
export async function changeRecord(runner: RecordRunner, kind: Kind, record: Dictionary): Promise<void> {
  const id = asText(record.id);
  if (kind === 'dataset')
    await run(runner, RecordDatasetReplaceDocument, { input: { ...datasetFields(record), dataset: id } });
  else await changeGroup(runner, kind, id, groupChange(record));
}

async function changeGroup(runner: RecordRunner, kind: GroupKind, id: string, fields: ReturnType<typeof groupChange>) {
  if (kind === 'organization')
    await run(runner, RecordOrganizationPatchDocument, { input: { ...fields, organization: id } });
  else await run(runner, RecordGroupPatchDocument, { input: { ...fields, group: id } });
}

/** Changes what is given of a dataset. @throws CatalogError */
export async function patchDataset(runner: RecordRunner, dataset: string, part: Dictionary): Promise<void> {
  await run(runner, RecordDatasetPatchDocument, { input: { ...datasetFields(part), dataset } });
}

/** Marks a dataset deleted. @throws CatalogError */
export async function deleteDataset(runner: RecordRunner, dataset: string): Promise<void> {
  await run(runner, RecordDatasetDeleteDocument, { input: { dataset } });
}

/** Creates a vocabulary with its tags. Returns its id. @throws CatalogError */
export const createVocabulary = async (runner: RecordRunner, name: string, tags: readonly string[]): Promise<string> =>
  (await run(runner, RecordVocabularyCreateDocument, { input: { name, tags: [...tags] } })).createVocabulary.vocabulary!
    .databaseId;

/** Replaces the tags of a vocabulary. @throws CatalogError */
export async function replaceTags(runner: RecordRunner, idOrName: string, tags: readonly string[]): Promise<void> {
  await run(runner, RecordVocabularyUpdateDocument, { input: { idOrName, tags: [...tags] } });
}

/** Deletes the table of a resource, if it has one. @throws CatalogError */
export async function deleteTable(runner: RecordRunner, resourceId: string): Promise<void> {
  await orNull(run(runner, RecordTableDeleteDocument, { input: { resourceId, force: true } }));
}
