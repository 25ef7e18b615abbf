/** Texts of the dataset form: from a dataset, to the input of a mutation, and compared with those of another editor. */
import type { PageEditDatasetQuery, UpdateDatasetInput } from '../../../src/generated/operations.ts';
import { hashOf } from '../../shared/packed.ts';

export type Texts = Readonly<Record<string, string>>;
export type EditedDataset = NonNullable<PageEditDatasetQuery['dataset']>;

/** Fields of the form, in its order, with their labels. */
export const FIELDS = {
  title: 'Title',
  name: 'Name in the URL',
  notes: 'Description',
  tags: 'Tags',
  licenseId: 'License',
  ownerOrganization: 'Organization',
  private: 'Visibility',
  url: 'Source',
  label: 'Version',
  author: 'Author',
  authorEmail: 'E-mail address of the author',
  maintainer: 'Maintainer',
  maintainerEmail: 'E-mail address of the maintainer',
  extras: 'Custom fields',
} as const;
export type FieldName = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

export const VISIBILITY = { false: 'Public: everyone can see it', true: 'Private: only its organization can see it' };

/** Empty rows for custom fields below the filled ones. */
const EMPTY_ROWS = 3;
/** Maximum rows of custom fields in a form. */
const MAX_ROWS = 1000;

/** Texts of the form for a stored dataset. Tags of vocabularies are in a hidden field. */
export function textsOf(dataset: EditedDataset): Record<string, string> {
  const { tags, extras, organization, databaseId, version } = dataset;
  const texts: Record<string, string> = {
    title: dataset.title,
    name: dataset.name,
    notes: dataset.notes ?? '',
    tags: tags
      .filter(({ vocabularyId }) => !vocabularyId)
      .map(({ name }) => name)
      .join(', '),
    vocabularyTags: JSON.stringify(tags.filter(({ vocabularyId }) => vocabularyId)),
    licenseId: dataset.licenseId ?? '',
    ownerOrganization: organization?.name ?? '',
    private: String(dataset.private),
    url: dataset.url ?? '',
    label: dataset.label ?? '',
    author: dataset.author ?? '',
    authorEmail: dataset.authorEmail ?? '',
    maintainer: dataset.maintainer ?? '',
    maintainerEmail: dataset.maintainerEmail ?? '',
    id: databaseId,
    version: String(version),
  };
  for (const [index, { key, value }] of extras.entries()) Object.assign(texts, rowOf(index, key, value));
  return { ...texts, base: baseOf(texts) };
}

const rowOf = (index: number, key: string, value: string) => ({
  [`extra-key-${index}`]: key,
  [`extra-value-${index}`]: value,
});

/** Rows of custom fields, with empty ones at the end. */
export function rowsOf(texts: Texts): { key: string; value: string }[] {
  const filled = extrasOf(texts);
  return [...filled, ...Array.from({ length: EMPTY_ROWS }, () => ({ key: '', value: '' }))];
}

function extrasOf(texts: Texts): { key: string; value: string }[] {
  const rows: { key: string; value: string }[] = [];
  for (let index = 0; index < MAX_ROWS && texts[`extra-key-${index}`] !== undefined; index++) {
    const row = { key: texts[`extra-key-${index}`]!.trim(), value: texts[`extra-value-${index}`] ?? '' };
    if (row.key || row.value) rows.push(row);
  }
  return rows;
}

/** The fields of the input that form texts stand for. Only those of `fields`. */
export function inputOf(texts: Texts, fields: readonly FieldName[] = FIELD_NAMES): Omit<UpdateDatasetInput, 'dataset'> {
  const input: Record<string, unknown> = {};
  for (const field of fields) input[field] = inputValue(texts, field);
  return input;
}

function inputValue(texts: Texts, field: FieldName): unknown {
  if (field === 'private') return texts.private === 'true';
  if (field === 'extras') return extrasOf(texts);
  if (field === 'tags') return [...tagsOf(texts.tags ?? ''), ...vocabularyTagsOf(texts.vocabularyTags)];
  const text = plain(texts[field] ?? '');
  return field === 'name' ? text : text || null;
}

const tagsOf = (text: string): { name: string }[] =>
  [...new Set(text.split(',').map((tag) => tag.trim()))].filter(Boolean).map((name) => ({ name }));

/** The hidden list of the form; empty if someone has changed it to something else. */
function vocabularyTagsOf(json = '[]'): { name: string; vocabularyId: string }[] {
  try {
    const list: { name: unknown; vocabularyId: unknown }[] = JSON.parse(json);
    return list.map(({ name, vocabularyId }) => ({ name: String(name), vocabularyId: String(vocabularyId) }));
  } catch {
    return [];
  }
}

/** Browsers send line ends as CRLF. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim();

/** A field as text, to compare and to show. */
export function textOf(texts: Texts, field: FieldName): string {
  if (field === 'extras')
    return extrasOf(texts)
      .map(({ key, value }) => `${key}: ${plain(value)}`)
      .sort()
      .join('\n');
  if (field === 'tags')
    return tagsOf(texts.tags ?? '')
      .map(({ name }) => name)
      .sort()
      .join(', ');
  return plain(texts[field] ?? '');
}

/** Hashes of the fields as the editor got them, in the order of the form. They show which fields the editor has changed. */
const baseOf = (texts: Texts): string => FIELD_NAMES.map((field) => hashOf(textOf(texts, field))).join('.');

export interface Difference {
  readonly field: FieldName;
  readonly mine: string;
  readonly theirs: string;
  /** Whether the editor of the form has changed the field. */
  readonly isMine: boolean;
}

/** Fields that differ between a form and the dataset that another user has saved. */
export function differencesOf(mine: Texts, theirs: Texts): Difference[] {
  const base = (mine.base ?? '').split('.');
  return FIELD_NAMES.map((field, index) => {
    const own = textOf(mine, field);
    return { field, mine: own, theirs: textOf(theirs, field), isMine: hashOf(own) !== base[index] };
  }).filter((difference) => difference.mine !== difference.theirs);
}

/** Name of the radio buttons that choose between two versions of a field. */
export const choiceOf = (field: FieldName): string => `choice-${field}`;

/** Fields to write: all but those for which the other version was chosen. */
export const chosenFields = (texts: Texts): FieldName[] =>
  FIELD_NAMES.filter((field) => texts[choiceOf(field)] !== 'theirs');

/** The form's texts over those of the stored dataset. Fields with the other version chosen are the stored ones. */
export function merged(stored: Texts, form: Texts): Record<string, string> {
  const isExtra = (key: string) => key.startsWith('extra-');
  const isTheirs = (key: string) => form[choiceOf((isExtra(key) ? 'extras' : key) as FieldName)] === 'theirs';
  const own = Object.entries(form).filter(([key]) => !isTheirs(key));
  const hasRows = own.some(([key]) => isExtra(key));
  return Object.fromEntries([...Object.entries(stored).filter(([key]) => !hasRows || !isExtra(key)), ...own]);
}
