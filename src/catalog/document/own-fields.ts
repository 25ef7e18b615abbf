/** Selects a dataset's own fields from its document, for the log and for activities. Pure. */
import type { DatasetBody } from './record.ts';

/** Lists and derived keys are not the dataset's own fields. */
export const NOT_OWN = [
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
];

/** The document without these keys. */
export const ownFields = (body: DatasetBody): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([key]) => !NOT_OWN.includes(key)));
