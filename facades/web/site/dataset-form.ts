/** Fields of the dataset form: from a dataset, and to the input of a mutation. */
import type { PageEditDatasetQuery, UpdateDatasetInput } from '../../../src/generated/operations.ts';
import { DATASET_TEXT_FIELDS, type DatasetTextField } from '../../../src/kernel/dataset-fields.ts';
import { extraTexts, type FormFields, inputOf, type Texts } from './form-texts.ts';
import type { Texts as Messages } from './texts.ts';

export type EditedDataset = NonNullable<PageEditDatasetQuery['dataset']>;

/** Lists to choose from. Empty ones still show the chosen value. */
export interface Choices {
  readonly licenses: readonly { readonly code: string; readonly title: string }[];
  readonly organizations: readonly { readonly name: string; readonly displayName: string }[];
}

export const NO_CHOICES: Choices = { licenses: [], organizations: [] };

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

/** Fields of the form, in its order. `isNew`: of a new dataset. */
export function fieldsOf({ licenses, organizations }: Choices, t: Messages['t'], isNew = false): FormFields {
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

/** Texts of the form for a stored dataset. Tags of vocabularies are in a hidden field. */
export function textsOf(dataset: EditedDataset): Record<string, string> {
  const { tags, extras, organization, version } = dataset;
  const texts = DATASET_TEXT_FIELDS.map((field) => [field, dataset[field] ?? '']);
  return {
    ...Object.fromEntries(texts),
    title: dataset.title,
    name: dataset.name,
    tags: tags
      .filter(({ vocabularyId }) => !vocabularyId)
      .map(({ name }) => name)
      .join(', '),
    vocabularyTags: JSON.stringify(tags.filter(({ vocabularyId }) => vocabularyId)),
    ownerOrganization: organization?.name ?? '',
    private: String(dataset.private),
    version: String(version),
    ...extraTexts(extras),
  };
}

/** The fields of the input that form texts stand for. Only those of `names`. */
export function datasetInput(
  fields: FormFields,
  texts: Texts,
  names: readonly string[],
): Omit<UpdateDatasetInput, 'dataset'> {
  const input = inputOf(fields, texts, names, ['name']);
  if (names.includes('private')) input.private = texts.private === 'true';
  if (names.includes('tags'))
    input.tags = [...(input.tags as string[]).map((name) => ({ name })), ...vocabularyTagsOf(texts.vocabularyTags)];
  return input;
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
