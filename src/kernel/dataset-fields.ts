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
   * Matching in search. `exact`: the whole value. `words`: its words under its name, and the whole value. `text`: the same, and its words
   * in searches without a field name. `value`: the whole value, which facets count. `notes`: for the notes only, because the index has a
   * weight for them (src/search/query/fields.ts).
   */
  readonly search: 'exact' | 'words' | 'text' | 'value' | 'notes';
}

/** By name on the wire, in the order of documents. */
export const DATASET_TEXTS = {
  notes: { field: 'notes', about: 'Description, in Markdown.', search: 'notes' },
  url: { field: 'url', about: 'URL of the source of the dataset.', search: 'exact' },
  version: { field: 'label', about: 'Version of the dataset. At most 100 characters.', search: 'exact' },
  author: { field: 'author', about: 'Author of the data.', search: 'text' },
  author_email: { field: 'authorEmail', about: 'E-mail address of the author.', search: 'words' },
  maintainer: { field: 'maintainer', about: 'Maintainer of the data.', search: 'text' },
  maintainer_email: { field: 'maintainerEmail', about: 'E-mail address of the maintainer.', search: 'words' },
  license_id: { field: 'licenseId', about: 'Id of a license from license_list.', search: 'value' },
} as const satisfies Readonly<Record<string, TextField>>;

type Texts = typeof DATASET_TEXTS;
export type DatasetTextKey = keyof Texts;
export type DatasetTextField = Texts[DatasetTextKey]['field'];
export type TextSearch = TextField['search'];
/** Keys of the texts that search finds in one way. */
export type KeysSearchedBy<Way extends TextSearch> = {
  [Key in DatasetTextKey]: Texts[Key]['search'] extends Way ? Key : never;
}[DatasetTextKey];
/** Wire name → name in the graph. */
type Names = { readonly [Key in DatasetTextKey]: Texts[Key]['field'] };

export const DATASET_TEXT_KEYS = Object.keys(DATASET_TEXTS) as DatasetTextKey[];
export const DATASET_TEXT_FIELDS = DATASET_TEXT_KEYS.map((key) => DATASET_TEXTS[key].field);

/** An object with a value for each text, by its name on the wire. */
export const byTextKey = <Value>(value: (key: DatasetTextKey, field: DatasetTextField) => Value) =>
  Object.fromEntries(DATASET_TEXT_KEYS.map((key) => [key, value(key, DATASET_TEXTS[key].field)])) as Record<
    DatasetTextKey,
    Value
  >;

/** An object with a value for each text, by its name in the graph. */
export const byTextField = <Value>(value: (key: DatasetTextKey, field: DatasetTextField) => Value) =>
  Object.fromEntries(
    DATASET_TEXT_KEYS.map((key) => [DATASET_TEXTS[key].field, value(key, DATASET_TEXTS[key].field)]),
  ) as Record<DatasetTextField, Value>;

export const DATASET_TEXT_NAMES = byTextKey((_key, field) => field) as Names;

/** Wire names of the texts that search finds in these ways, in the order of documents. */
export const textsSearchedBy = <Way extends TextSearch>(...ways: readonly Way[]): KeysSearchedBy<Way>[] =>
  DATASET_TEXT_KEYS.filter((key): key is KeysSearchedBy<Way> =>
    (ways as readonly TextSearch[]).includes(DATASET_TEXTS[key].search),
  );

/** Keys of a dataset's document with lists, and with what follows from other rows. */
export const DERIVED_KEYS = [
  'resources',
  'tags',
  'extras',
  'groups',
  'relationships_as_subject',
  'relationships_as_object',
  'organization',
  'num_resources',
  'num_tags',
  'license_title',
  'license_url',
  'isopen',
  'metadata_created',
] as const;

/** Keys of a dataset's document. All others belong to its declared type. */
export const CORE_KEYS = [
  'id',
  'name',
  'title',
  ...DATASET_TEXT_KEYS,
  'state',
  'type',
  'owner_org',
  'private',
  ...DERIVED_KEYS,
  'metadata_modified',
  'creator_user_id',
  'revision_id',
] as const;

/** Texts of a resource: wire name → name in the graph. */
export const RESOURCE_TEXT_NAMES = {
  url: 'url',
  name: 'name',
  description: 'description',
  format: 'format',
  hash: 'hash',
  mimetype: 'mimetype',
  mimetype_inner: 'mimetypeInner',
  resource_type: 'resourceType',
  url_type: 'urlType',
  cache_url: 'cacheUrl',
  webstore_url: 'webstoreUrl',
  created: 'created',
  last_modified: 'lastModified',
  cache_last_updated: 'cacheLastUpdated',
  webstore_last_updated: 'webstoreLastUpdated',
} as const;

/** Keys of a resource, stored or as input. All others are extras. */
export const RESOURCE_CORE_KEYS = [
  'id',
  ...Object.keys(RESOURCE_TEXT_NAMES),
  'size',
  'package_id',
  'position',
  'state',
  'revision_id',
  'datastore_active',
  'upload',
  'clear_upload',
] as const;
