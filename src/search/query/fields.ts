/** Defines the fields for search, filters, sorting and facets, under the names CKAN users know. Independent of the engine. */

import {
  byTextKey,
  DATASET_TEXT_NAMES,
  DATASET_TEXTS,
  type DatasetTextField,
  type DatasetTextKey,
  type KeysSearchedBy,
  type TextSearch,
  textsSearchedBy,
} from '../../kernel/dataset-fields.ts';

/** Fields with a single value per dataset. */
export type Column =
  | 'id'
  | 'name'
  | 'title'
  | DatasetTextField
  | 'state'
  | 'capacity'
  | 'private'
  | 'revisionId'
  | 'creatorId'
  | 'ownerId'
  | 'createdAt'
  | 'modifiedAt'
  | 'resourceCount'
  | 'tagCount'
  | 'viewsTotal'
  | 'viewsRecent';

export type Type = 'text' | 'instant' | 'int';

/** Word fields: the whole dataset, its title, its notes, or a field with an index of its own. */
export type TextField =
  | { readonly kind: 'words'; readonly of: 'dataset' | 'title' | 'notes' }
  | { readonly kind: 'ownWords'; readonly of: string; readonly exact: ExactField };

/** Fields of whole values. */
export type ExactField =
  | { readonly kind: 'value'; readonly of: string }
  | { readonly kind: 'vocabulary'; readonly of: string }
  | { readonly kind: 'column'; readonly of: Column; readonly type: Type }
  | { readonly kind: 'extra'; readonly of: string }
  | { readonly kind: 'resource'; readonly of: 'url' }
  /** The same for every dataset of the site. */
  | { readonly kind: 'constant'; readonly of: 'siteId' | 'entityType' };

export type Field = TextField | ExactField;

const column = (of: Column, type: Type = 'text'): ExactField => ({ kind: 'column', of, type });
const value = (of: string): ExactField => ({ kind: 'value', of });
const own = (of: string, exact: ExactField): TextField => ({ kind: 'ownWords', of, exact });

/**
 * The only text that is searched as notes, because the index has a weight and a limit for it. A second one fails the type check: `wordsOf`
 * of entry.rules.ts names the notes.
 */
const NOTES: Record<KeysSearchedBy<'notes'>, Field> = { notes: { kind: 'words', of: 'notes' } };

const wholeText = (key: DatasetTextKey): ExactField => column(DATASET_TEXT_NAMES[key]);
const ownText = (key: DatasetTextKey): Field => own(key, wholeText(key));
/** The field of a text of a dataset, by its declared matching. */
const TEXTS: Readonly<Record<TextSearch, (key: DatasetTextKey) => Field>> = {
  exact: wholeText,
  words: ownText,
  text: ownText,
  value,
  notes: () => NOTES.notes,
};

const FIELDS: Readonly<Record<string, Field>> = {
  text: { kind: 'words', of: 'dataset' },
  title: { kind: 'words', of: 'title' },
  id: column('id'),
  name: column('name'),
  title_string: column('title'),
  ...byTextKey((key) => TEXTS[DATASET_TEXTS[key].search](key)),
  state: column('state'),
  capacity: column('capacity'),
  private: column('private'),
  revision_id: column('revisionId'),
  creator_user_id: column('creatorId'),
  owner_org: column('ownerId'),
  metadata_created: column('createdAt', 'instant'),
  metadata_modified: column('modifiedAt', 'instant'),
  num_resources: column('resourceCount', 'int'),
  num_tags: column('tagCount', 'int'),
  views_total: column('viewsTotal', 'int'),
  views_recent: column('viewsRecent', 'int'),
  organization: value('organization'),
  groups: value('groups'),
  tags: value('tags'),
  isopen: value('isopen'),
  dataset_type: value('dataset_type'),
  type: value('dataset_type'),
  res_format: value('res_format'),
  res_type: value('res_type'),
  link_status: value('link_status'),
  res_name: own('res_name', { kind: 'extra', of: 'res_name' }),
  res_description: own('res_description', { kind: 'extra', of: 'res_description' }),
  res_url: { kind: 'resource', of: 'url' },
  site_id: { kind: 'constant', of: 'siteId' },
  entity_type: { kind: 'constant', of: 'entityType' },
};

/** All names except those with a key or a vocabulary in them. */
export const FIELD_NAMES = Object.keys(FIELDS);

/**
 * The field for a name. An unknown name is the key of an extra and matches its whole value. `extras_KEY` matches words of the extra,
 * `vocab_NAME` tags of a vocabulary.
 */
export function fieldOf(name: string): Field {
  if (Object.hasOwn(FIELDS, name)) return FIELDS[name]!;
  if (name.startsWith('vocab_')) return { kind: 'vocabulary', of: name.slice('vocab_'.length) };
  if (name.startsWith('extras_')) return own(name, { kind: 'extra', of: name.slice('extras_'.length) });
  return { kind: 'extra', of: name };
}

/** The exact field used to sort and count by a name; null when a word field has none. */
export function exactFieldOf(name: string): ExactField | null {
  const field = fieldOf(name);
  if (field.kind === 'ownWords') return name.startsWith('res_') ? null : field.exact;
  if (field.kind !== 'words') return field;
  return field.of === 'dataset' ? null : column(field.of);
}

/** Fields whose words are included in the whole text. */
export const isPartOfText = (name: string): boolean =>
  PARTS_OF_TEXT.has(name) || name.startsWith('extras_') || name.startsWith('vocab_');
const PARTS_OF_TEXT: ReadonlySet<string> = new Set([
  ...['text', 'title', 'name', 'tags', 'groups', 'organization', 'res_name', 'res_description'],
  ...textsSearchedBy('notes', 'text'),
]);
