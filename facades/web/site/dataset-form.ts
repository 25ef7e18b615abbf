/** Fields of the dataset form: from a dataset, and to the input of a mutation. */
import type {
  PageEditDatasetQuery,
  UpdateDatasetInput,
  VocabularyOfFormFragment,
} from '../../../src/generated/operations.ts';
import { DATASET_TEXT_FIELDS, type DatasetTextField } from '../../../src/kernel/dataset-fields.ts';
import { CatalogError, invalid } from '../../../src/kernel/errors.ts';
import { extraTexts, type FormFields, inputOf, type Texts, tagsOf } from './form-texts.ts';
import { MANY } from './submitted.ts';
import type { Texts as Messages } from './texts.ts';
import { type DatasetType, typeFields, typeInput, typeTexts } from './type-fields.ts';

export type EditedDataset = NonNullable<PageEditDatasetQuery['dataset']>;

/** Lists to choose from. Empty ones still show the chosen value. */
export interface Choices {
  readonly licenses: readonly { readonly code: string; readonly title: string }[];
  readonly organizations: readonly { readonly name: string; readonly displayName: string }[];
  /** Declared types with their fields. */
  readonly types: readonly DatasetType[];
  readonly vocabularies: VocabularyOfFormFragment['nodes'];
}

export const NO_CHOICES: Choices = { licenses: [], organizations: [], types: [], vocabularies: [] };

/** Name of the field with the tags of a vocabulary. */
const tagsName = (vocabularyId: string): string => MANY + vocabularyId;

/** A field for each vocabulary: a choice, or a line if it has many tags. */
const vocabularyFields = ({ vocabularies }: Choices, t: Messages['t']): FormFields =>
  Object.fromEntries(
    vocabularies.map(({ databaseId, name, tagConnection: { nodes, pageInfo } }) => [
      tagsName(databaseId),
      pageInfo.hasNextPage
        ? { label: name, kind: 'tags', hint: t('edit.tagsHint') }
        : {
            ...{ label: name, kind: 'many', hint: t('fields.vocabularyHint') },
            options: Object.fromEntries(nodes.map((tag) => [tag.name, tag.name])),
          },
    ]),
  );

/** Texts that the form presents in its own way. The other ones are lines with a label made of their name. */
const textFields = (t: Messages['t']): Partial<Record<DatasetTextField, FormFields[string]>> => ({
  notes: { label: t('edit.description'), kind: 'area', rows: 8, hint: t('edit.notesHint') },
  url: { label: t('edit.source'), hint: t('edit.sourceHint') },
  label: { label: t('edit.version'), hint: t('edit.versionHint') },
  author: { label: t('edit.author') },
  authorEmail: { label: t('edit.authorEmail') },
  maintainer: { label: t('edit.maintainer') },
  maintainerEmail: { label: t('edit.maintainerEmail') },
});

/** `resourceCount` → `Resource count`. */
const labelOf = (field: string): string =>
  field[0]!.toUpperCase() + field.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** `update_frequency` → `Update frequency`. */
const titleOf = (name: string): string => labelOf(name || '_').replaceAll(/[_-]+/g, ' ');

/** Fields of the form, in its order. `isNew`: of a new dataset. */
export function fieldsOf(choices: Choices, form: Texts, t: Messages['t'], isNew = false): FormFields {
  const { licenses, organizations, types } = choices;
  const known = textFields(t);
  const { notes, licenseId, ...texts } = Object.fromEntries(
    DATASET_TEXT_FIELDS.map((field) => [field, known[field] ?? { label: labelOf(field) }]),
  ) as Record<DatasetTextField, FormFields[string]>;
  const licenseOptions = Object.fromEntries(licenses.map(({ code, title }) => [code, title]));
  const organizationOptions = Object.fromEntries(organizations.map(({ name, displayName }) => [name, displayName]));
  return {
    title: { label: t('edit.title'), hint: t('edit.titleHint') },
    name: { label: t('edit.url'), hint: `${t('edit.urlHint')} ${isNew ? t('edit.urlNew') : t('edit.urlOld')}` },
    notes,
    tags: { label: t('edit.tags'), kind: 'tags', hint: t('edit.tagsHint') },
    ...vocabularyFields(choices, t),
    ...typeFields(types, form, t, titleOf),
    licenseId: { label: t('edit.license'), kind: 'choice', options: { '': t('edit.notGiven'), ...licenseOptions } },
    ownerOrganization: {
      label: t('edit.organization'),
      kind: 'choice',
      options: { '': t('edit.none'), ...organizationOptions },
    },
    private: {
      label: t('edit.visibility'),
      kind: 'choice',
      options: { false: t('edit.public'), true: t('edit.private') },
    },
    ...texts,
    extras: { label: t('edit.customFields'), kind: 'extras' },
  };
}

/** Texts of the form for a stored dataset. Tags of vocabularies without a field are in a hidden one. */
export function textsOf(dataset: EditedDataset, { types, vocabularies }: Choices): Record<string, string> {
  const { tags, extras, organization, version } = dataset;
  const texts = DATASET_TEXT_FIELDS.map((field) => [field, dataset[field] ?? '']);
  const listed = new Set(vocabularies.map(({ databaseId }) => databaseId));
  const tagsIn = (id: string | null) =>
    tags
      .filter(({ vocabularyId }) => (vocabularyId || null) === id)
      .map(({ name }) => name)
      .join(', ');
  return {
    ...Object.fromEntries(texts),
    title: dataset.title,
    name: dataset.name,
    tags: tagsIn(null),
    ...Object.fromEntries(vocabularies.map(({ databaseId }) => [tagsName(databaseId), tagsIn(databaseId)])),
    vocabularyTags: JSON.stringify(tags.filter(({ vocabularyId }) => vocabularyId && !listed.has(vocabularyId))),
    type: dataset.type,
    ...typeTexts(types, dataset.type, dataset.fields),
    ownerOrganization: organization?.name ?? '',
    private: String(dataset.private),
    version: String(version),
    ...extraTexts(extras),
  };
}

/** Whether a field of the form has tags. */
export const isTags = (name: string): boolean => name === 'tags' || name.startsWith(MANY);

/** Tags of the form, with the fields that they are from. */
const tagsIn = (fields: FormFields, texts: Texts): { field: string; name: string; vocabularyId?: string }[] => [
  ...tagsOf(texts.tags).map((name) => ({ field: 'tags', name })),
  ...Object.keys(fields)
    .filter((field) => field.startsWith(MANY))
    .flatMap((field) => tagsOf(texts[field]).map((name) => ({ field, name, vocabularyId: field.slice(MANY.length) }))),
];

/** The fields of the input that form texts stand for. Only those of `names`. */
export function datasetInput(
  fields: FormFields,
  texts: Texts,
  names: readonly string[],
  { types }: Choices,
): Omit<UpdateDatasetInput, 'dataset'> {
  const own = typeInput(types, texts, names);
  const common = names.filter((name) => !isTags(name) && !name.startsWith('fields-'));
  const input = inputOf(fields, texts, common, ['name']);
  if (names.includes('private')) input.private = texts.private === 'true';
  if (names.some(isTags))
    input.tags = [
      ...tagsIn(fields, texts).map(({ field: _field, ...tag }) => tag),
      ...vocabularyTagsOf(texts.vocabularyTags),
    ];
  return { ...input, ...(Object.keys(own).length > 0 && { fields: own }) };
}

/** The refusal of an input, with tags' problems at the fields that they are from. */
export function atTagFields(thrown: unknown, fields: FormFields, texts: Texts): unknown {
  if (!(thrown instanceof CatalogError) || thrown.kind !== 'VALIDATION') return thrown;
  const tags = tagsIn(fields, texts);
  return invalid(
    thrown.problems.map(({ path, message }) => {
      const field = path[0] === 'tags' ? tags[Number(path[1])]?.field : undefined;
      return { path: field ? [field] : path, message };
    }),
  );
}

/** The hidden list of the form; empty if someone has changed it to something else. */
function vocabularyTagsOf(json = '[]'): { name: string; vocabularyId: string }[] {
  try {
    const list: { name: unknown; vocabularyId: unknown }[] = JSON.parse(json);
    return list.map(({ name, vocabularyId }) => ({ name: String(name), vocabularyId: String(vocabularyId) }));
  } catch {
    return [];
  }
}
