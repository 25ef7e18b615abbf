/** Help texts for the keys of datasets and resources. Lists and custom keys are read from the dictionary itself. */
import { byTextKey, DATASET_TEXTS } from '../../../src/kernel/dataset-fields.ts';
import { file, flag, type Param, text } from '../params.ts';
import { listOf, NUMBER, object, orNull, ref, type Schema, TEXT } from '../schema.ts';

/** A value that is read together with the whole dictionary. */
export const raw = (type: string, about: string, schema?: Schema): Param<unknown> => ({
  type,
  ...(schema && { schema }),
  required: false,
  about,
  read: (value) => value,
});

export const datasetParams = {
  name: text('2 to 100 of lowercase letters, digits, - and _.'),
  title: text('Title of the dataset. Default: its name.'),
  ...byTextKey((key) => text(DATASET_TEXTS[key].about)),
  state: text('active, draft or deleted. Ignored if the caller may not change it.'),
  type: text('Dataset type. Default: dataset.'),
  private: flag('True if only members of the owner organization may read it.'),
  resources: raw('list of dictionaries', 'Resources, as for resource_create.', listOf(ref('ResourceInput'))),
  tags: raw(
    'list of dictionaries',
    'Tags with name and, for a controlled tag, vocabulary_id.',
    listOf(ref('TagInput')),
  ),
  tag_string: text('Free tags, separated by commas. They are added to `tags`.'),
  extras: raw(
    'list of dictionaries',
    'Extras: pairs of `key` and `value`, both strings.',
    listOf(object({ key: TEXT, value: TEXT })),
  ),
  relationships_as_object: raw(
    'list of dictionaries',
    'Relationships in which the dataset is the object: subject, type, comment.',
    listOf(object({ subject: TEXT, type: TEXT }, { comment: TEXT })),
  ),
  relationships_as_subject: raw(
    'list of dictionaries',
    'Relationships in which the dataset is the subject: object, type, comment.',
    listOf(object({ object: TEXT, type: TEXT }, { comment: TEXT })),
  ),
  groups: raw(
    'list of dictionaries',
    'Existing groups, each by id or name.',
    listOf(object({}, { id: TEXT, name: TEXT })),
  ),
  owner_org: text('Id or name of the organization that owns it.'),
};

/** Accompanies `upload` where a file may already exist. */
export const clear_upload = flag('Deletes the uploaded file. Requires a new `url`.');

export const resourceParams = {
  url: text('URL of the data.'),
  name: text('Name of the resource.'),
  description: text('Description of the resource.'),
  format: text('File format, such as CSV.'),
  hash: text('Checksum of the file.'),
  revision_id: text('Ignored. The server sets it.'),
  resource_type: text('Kind of resource.'),
  mimetype: text('Media type.'),
  mimetype_inner: text('Media type inside an archive.'),
  webstore_url: text('URL of the data in a webstore.'),
  cache_url: text('URL of a copy of the file.'),
  size: raw('int', 'Size of the file in bytes.', orNull(NUMBER)),
  created: text('ISO date.'),
  last_modified: text('ISO date.'),
  cache_last_updated: text('ISO date.'),
  webstore_last_updated: text('ISO date.'),
  upload: file('File to upload, in a multipart request. `url` may then be empty.'),
};
