/** Maps catalog fields to Solr fields (solr/conf/schema.xml), and encodes their values. */

import { createHash } from 'node:crypto';
import { byTextField } from '../../kernel/dataset-fields.ts';
import type { Column, ExactField, TextField, Type } from '../query/fields.ts';

/** The only document that is not a dataset: the position of the feed. */
export const FEED_ID = '(feed)';

const COLUMNS: Readonly<Record<Column, string>> = {
  id: 'id',
  name: 'name',
  title: 'title',
  ...byTextField((key) => key),
  state: 'state',
  capacity: 'capacity',
  private: 'private',
  revisionId: 'revision_id',
  creatorId: 'creator_id',
  ownerId: 'owner_id',
  createdAt: 'created_at',
  modifiedAt: 'modified_at',
  resourceCount: 'resource_count',
  tagCount: 'tag_count',
  viewsTotal: 'views_total',
  viewsRecent: 'views_recent',
};

export const columnName = (column: Column): string => COLUMNS[column];

export interface SolrField {
  readonly name: string;
  readonly type: Type;
}

export type StoredField = Exclude<ExactField, { kind: 'constant' }>;

/** The field, or null for an unknown vocabulary. `vocabularies`: names → fields of search_value. */
export function solrField(field: StoredField, vocabularies: ReadonlyMap<string, string>): SolrField | null {
  switch (field.kind) {
    case 'column':
      return { name: COLUMNS[field.of], type: field.type };
    case 'value':
      return { name: field.of, type: 'text' };
    case 'vocabulary': {
      const known = vocabularies.get(field.of);
      return known === undefined ? null : { name: valueName(known), type: 'text' };
    }
    case 'extra':
      return { name: extraName(field.of), type: 'text' };
    case 'resource':
      return { name: 'res_url', type: 'text' };
  }
}

/** The field of a value of search_value. */
export const valueName = (field: string): string =>
  field.startsWith('vocab:') ? `vocab_${encoded(field.slice('vocab:'.length))}` : field;

export const extraName = (key: string): string => `extra_${encoded(key)}`;

const MAX_NAME_LENGTH = 200;

/** Letters, digits and underscores only: Solr's functions and sort orders accept no other names. */
function encoded(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9]/gu, (letter) => `_${letter.codePointAt(0)!.toString(16)}_`);
  return plain.length <= MAX_NAME_LENGTH ? plain : createHash('sha256').update(name).digest('hex');
}

/** The field that contains the words. */
export const wordsName = (field: TextField): string => (field.kind === 'ownWords' ? 'field_words' : WORDS[field.of]);
const WORDS = { dataset: 'words', title: 'title_words', notes: 'notes_words' } as const;

/** Maximum characters of a value. Solr accepts 32,766 bytes, so stored values and search values are truncated equally. */
const MAX_VALUE_LENGTH = 8_000;
export const solrValue = (value: string): string =>
  value.length <= MAX_VALUE_LENGTH ? value : value.slice(0, MAX_VALUE_LENGTH).toWellFormed();
