/** Recognizes the kind of a record by its keys. Pure. */
import { DATASET_TEXT_KEYS } from '../../kernel/dataset-fields.ts';
import type { Dictionary } from '../gateway.ts';
import type { Kind } from '../kinds.ts';

/** Other objects of the Action API → keys unique to them. The first match counts. */
const OTHERS: readonly (readonly [what: string, keys: readonly string[]])[] = [
  [
    'a user',
    [
      'email_hash',
      'number_created_packages',
      'number_administered_packages',
      'number_of_edits',
      'apikey',
      'sysadmin',
      'fullname',
      'password',
      'password_hash',
      'reset_key',
      'openid',
      'activity_streams_email_notifications',
      'email',
      'about',
      'last_active',
    ],
  ],
  ['an activity', ['activity_type']],
  ['a related item', ['view_count', 'owner_id']],
  ['a resource view', ['view_type']],
  ['a resource', ['package_id']],
  ['a revision', ['approved_timestamp']],
  ['a tag', ['vocabulary_id']],
  [
    'a license',
    [
      'od_conformance',
      'osd_conformance',
      'is_okd_compliant',
      'is_osi_compliant',
      'domain_content',
      'domain_data',
      'domain_software',
    ],
  ],
];

/** Texts of a dataset that other objects have, too: they do not tell that a record is a dataset. */
export const COMMON_TEXTS = new Set<string>(['url', 'version']);
/** Keys that only datasets have. */
const DATASET = [
  ...DATASET_TEXT_KEYS.filter((key) => !COMMON_TEXTS.has(key)),
  'owner_org',
  'private',
  'license_title',
  'isopen',
  'metadata_created',
  'metadata_modified',
  'num_resources',
  'num_tags',
  'tag_string',
  'relationships_as_subject',
  'relationships_as_object',
  'creator_user_id',
];

const RELATED_TYPES = new Set(['api', 'application', 'idea', 'news_article', 'paper', 'post', 'visualization']);
const VOCABULARY = new Set(['id', 'name', 'tags']);

/** Kind of a record; null when unknown, or not importable. */
export function kindOf(record: Dictionary): Kind | null {
  if (typeof record.is_organization === 'boolean') return record.is_organization ? 'organization' : 'group';
  if (has(record, 'is_organization')) return null;
  if (Array.isArray(record.resources)) return 'dataset';
  if (record.type === 'organization' || record.type === 'group' || record.type === 'dataset') return record.type;
  if (otherKindOf(record) !== null) return null;
  return DATASET.some((key) => has(record, key)) || (has(record, 'tags') && has(record, 'title')) ? 'dataset' : null;
}

/** Name of a kind that cannot be imported, such as "a user"; null when unknown or importable. */
export function otherKindOf(record: Dictionary): string | null {
  if (typeof record.is_organization === 'boolean' || Array.isArray(record.resources)) return null;
  const found = OTHERS.find(([, keys]) => keys.some((key) => has(record, key)));
  if (found) return found[0];
  if (typeof record.type === 'string' && RELATED_TYPES.has(record.type)) return 'a related item';
  const keys = Object.keys(record);
  return Array.isArray(record.tags) && keys.every((key) => VOCABULARY.has(key)) ? 'a vocabulary' : null;
}

/** Reason for refusing a record without a kind. */
export function whyRefused(record: Dictionary): string {
  if (has(record, 'is_organization')) return '`is_organization` must be true or false';
  const other = otherKindOf(record);
  if (other === null)
    return 'unknown kind of record: a dataset has `resources` or another dataset field; an organization or group has `is_organization`';
  const hint = other === 'a user' ? ' Create users with `catalog user add`.' : '';
  return `this record is ${other}. Only datasets, organizations and groups can be imported.${hint}`;
}

const has = (record: Dictionary, key: string): boolean => Object.hasOwn(record, key);
