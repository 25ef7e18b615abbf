/** Datasets in versions 1 and 2 of the API: lists of names or ids, extras as an object, and convenience fields. */
import type {
  CreateDatasetInput,
  LegacyDatasetFragment,
  UpdateDatasetInput,
} from '../../../src/generated/operations.ts';
import { toJsonText } from '../../../src/kernel/json.ts';
import { datasetFields } from '../../../src/records/form/dataset.ts';
import { asText, type Raw } from '../../../src/records/form/readers.ts';
import { relationshipDict } from '../wire/relationship.ts';
import { dictionaryOf, pairsOf, pairsOfNew, withoutNulls } from './pairs.ts';

/** API version. Version 1 refers to datasets and groups by name, 2 by id; 3 has the search only. */
export type LegacyVersion = 1 | 2 | 3;

/** The parts used of the dataset's document. */
interface Document {
  readonly license_title: string | null;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly tags: readonly { readonly name: string; readonly vocabulary_id: string | null }[];
  readonly extras: readonly { readonly key: string; readonly value: string }[];
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  readonly relationships_as_subject: unknown;
  readonly relationships_as_object: unknown;
}

/** The dataset dictionary. By the contract, its tags exclude those of vocabularies; version 1 also has `download_url`. */
export function legacyDataset(dataset: LegacyDatasetFragment, version: LegacyVersion): Record<string, unknown> {
  const {
    relationships_as_subject: _subject,
    relationships_as_object: _object,
    ...document
  } = JSON.parse(toJsonText(dataset.document)) as Document;
  const { groups, tags, extras, resources } = document;
  return {
    ...document,
    groups: groups.map(({ id, name }) => (version === 1 ? name : id)),
    tags: tags.filter((tag) => tag.vocabulary_id === null).map(({ name }) => name),
    extras: dictionaryOf(extras),
    resources: resources.map(({ revision_id: _revision, state: _state, ...resource }) => resource),
    relationships: dataset.relationships.map(relationshipDict),
    license: document.license_title,
    notes_rendered: dataset.notesHtml,
    ratings_average: dataset.ratingAverage,
    ratings_count: dataset.ratingCount,
    ckan_url: dataset.pageUrl, // ruling 5: the key that clients read, beside the renamed one
    catalog_url: dataset.pageUrl,
    ...(version === 1 && resources.length > 0 && { download_url: resources[0]!.url }),
  };
}

/** Returned with a dataset and ignored in input. */
const READ_ONLY = [
  'relationships',
  'license',
  'notes_rendered',
  'ratings_average',
  'ratings_count',
  'ckan_url',
  'catalog_url',
  'download_url',
] as const;

/** Input fields of a new dataset. Omits extras that are null. @throws CatalogError VALIDATION */
export function newDataset(raw: Raw, version: LegacyVersion): CreateDatasetInput {
  const extras = pairsOfNew(raw)?.filter(({ value }) => value !== null);
  return {
    ...datasetFields(dictionary(raw, version)),
    name: raw.name == null ? '' : asText(raw.name),
    ...(raw.id != null && { databaseId: asText(raw.id) }),
    ...(extras && { extras }),
  };
}

/** Changes of a dataset: omitted fields stay unchanged, an extra with null is removed. @throws CatalogError VALIDATION */
export function datasetChanges(raw: Raw, version: LegacyVersion): Omit<UpdateDatasetInput, 'dataset'> {
  const setExtras = pairsOf(raw);
  return {
    ...datasetFields(dictionary(raw, version)),
    ...(raw.id != null && { databaseId: asText(raw.id) }),
    ...(setExtras && { setExtras }),
  };
}

/** The Action API's dictionary of the same dataset, without extras. By the contract, ignores empty resources. */
function dictionary(raw: Raw, version: LegacyVersion): Raw {
  const own = Object.fromEntries(Object.entries(withoutNulls(raw)).filter(([key]) => !NOT_DICTIONARY.has(key)));
  if (Array.isArray(own.resources)) own.resources = own.resources.filter(saysSomething);
  const download = raw.download_url && !hasItems(raw.resources) ? { resources: [{ url: raw.download_url }] } : {};
  return {
    ...own,
    ...(raw.tags != null && { tags: named(typeof raw.tags === 'string' ? words(raw.tags) : raw.tags, 'name') }),
    ...(raw.groups != null && { groups: named(raw.groups, version === 1 ? 'name' : 'id') }),
    ...download,
  };
}

const NOT_DICTIONARY: ReadonlySet<string> = new Set(['extras', ...READ_ONLY]);

const saysSomething = (item: unknown): boolean =>
  typeof item !== 'object' || item === null || Object.keys(item).length > 0;
const hasItems = (list: unknown): boolean => Array.isArray(list) && list.length > 0;
const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Texts of a list as dictionaries with one key. Other values stay unchanged, so that the dictionary reader refuses them. */
export const named = (list: unknown, key: string): unknown =>
  Array.isArray(list) ? list.map((item) => (typeof item === 'object' ? item : { [key]: item })) : list;
