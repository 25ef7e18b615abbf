/** What of a document is the dataset's own: what the log keeps, and what activities show. Pure. */
import type { DatasetBody } from './record.ts';

/** Lists and what is derived are no fields of the dataset itself. */
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

/** The document without the others. */
export const ownFields = (body: DatasetBody): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([key]) => !NOT_OWN.includes(key)));
