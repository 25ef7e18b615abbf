/**
 * The plain text fields of a dataset. The Action API, the graph, the tables, search, imports and harvests derive their names from
 * this declaration. docs/how-to/add-a-dataset-field.md lists the files that a new field needs beside it.
 */

interface TextField {
  /** Name in the graph. The column is the same in snake case. */
  readonly field: string;
  /** Meaning, for the help of actions. */
  readonly about: string;
  /**
   * Matching in search. `exact`: the whole value. `words`: its words, and the whole value. `other`: search/query/fields.ts says how.
   */
  readonly search: 'exact' | 'words' | 'other';
}

/** By name on the wire, in the order of documents. */
export const DATASET_TEXTS = {
  notes: { field: 'notes', about: 'Description, in Markdown.', search: 'other' },
  url: { field: 'url', about: 'Where the dataset comes from.', search: 'exact' },
  version: { field: 'label', about: 'At most 100 characters.', search: 'exact' },
  author: { field: 'author', about: 'Who made the data.', search: 'words' },
  author_email: { field: 'authorEmail', about: 'Address of the author.', search: 'words' },
  maintainer: { field: 'maintainer', about: 'Who keeps the data.', search: 'words' },
  maintainer_email: { field: 'maintainerEmail', about: 'Address of the maintainer.', search: 'words' },
  license_id: { field: 'licenseId', about: 'An id listed by license_list.', search: 'other' },
} as const satisfies Readonly<Record<string, TextField>>;

type Texts = typeof DATASET_TEXTS;
export type DatasetTextKey = keyof Texts;
export type DatasetTextField = Texts[DatasetTextKey]['field'];
/** Fields that search compares as whole values. */
export type SearchedTextField = Exclude<DatasetTextField, 'licenseId'>;
/** Wire name → name in the graph. */
type Names = { readonly [Key in DatasetTextKey]: Texts[Key]['field'] };

export const DATASET_TEXT_KEYS = Object.keys(DATASET_TEXTS) as DatasetTextKey[];
export const DATASET_TEXT_FIELDS = DATASET_TEXT_KEYS.map((key) => DATASET_TEXTS[key].field);

/** An object with a value for each text, by its name on the wire. */
export const byTextKey = <Value>(value: (field: DatasetTextField, key: DatasetTextKey) => Value) =>
  Object.fromEntries(DATASET_TEXT_KEYS.map((key) => [key, value(DATASET_TEXTS[key].field, key)])) as Record<
    DatasetTextKey,
    Value
  >;

/** An object with a value for each text, by its name in the graph. */
export const byTextField = <Value>(value: (key: DatasetTextKey, field: DatasetTextField) => Value) =>
  Object.fromEntries(
    DATASET_TEXT_KEYS.map((key) => [DATASET_TEXTS[key].field, value(key, DATASET_TEXTS[key].field)]),
  ) as Record<DatasetTextField, Value>;

export const DATASET_TEXT_NAMES = byTextKey((field) => field) as Names;

/** Wire names of the texts that search finds in one way. */
export const textsSearchedBy = (way: TextField['search']): DatasetTextKey[] =>
  DATASET_TEXT_KEYS.filter((key) => DATASET_TEXTS[key].search === way);

/** The column of a field. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
