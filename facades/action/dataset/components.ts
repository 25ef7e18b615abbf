/** Schemas of datasets and resources in action results. */
import { byTextKey, DATASET_TEXTS } from '../../../src/kernel/dataset-fields.ts';
import { about, FLAG, listOf, NUMBER, object, orNull, ref, TEXT } from '../schema.ts';
import { ID, NAME, REVISION, STATE, TIME, URL } from '../texts.ts';

const organizationOfDataset = object({
  id: ID,
  name: NAME,
  title: TEXT,
  description: TEXT,
  image_url: URL,
  created: TIME,
  is_organization: FLAG,
  type: TEXT,
  state: STATE,
  approval_status: TEXT,
  revision_id: REVISION,
});

const groupOfDataset = object({
  id: ID,
  name: NAME,
  title: TEXT,
  display_name: TEXT,
  description: TEXT,
  image_display_url: URL,
});

const relationshipOfDataset = object({
  id: ID,
  type: TEXT,
  comment: TEXT,
  __extras: object({ subject_package_id: TEXT, object_package_id: TEXT, revision_id: REVISION }),
});

export const dataset = object(
  {
    id: ID,
    name: NAME,
    title: TEXT,
    type: about('Type of the dataset. Fields of the type are further keys.'),
    state: STATE,
    private: about('True if only members of the owner organization may read it.', FLAG),
    ...byTextKey((key) => orNull(about(DATASET_TEXTS[key].about))),
    license_title: orNull(TEXT),
    isopen: about('Whether the license is open.', FLAG),
    owner_org: orNull(about('Id of the organization that owns it.')),
    creator_user_id: orNull(TEXT),
    organization: orNull(organizationOfDataset),
    metadata_created: TIME,
    metadata_modified: TIME,
    revision_id: REVISION,
    num_resources: NUMBER,
    num_tags: NUMBER,
    resources: about('By position.', listOf(ref('Resource'))),
    tags: about(
      'By name.',
      listOf(object({ id: ID, name: TEXT, display_name: TEXT, state: STATE, vocabulary_id: orNull(TEXT) })),
    ),
    extras: about('Extras, by key.', listOf(object({ key: TEXT, value: TEXT }))),
    groups: about('By display name.', listOf(groupOfDataset)),
    relationships_as_subject: listOf(relationshipOfDataset),
    relationships_as_object: listOf(relationshipOfDataset),
  },
  { license_url: TEXT },
);

export const resource = object({
  id: ID,
  package_id: about('Id of its dataset.'),
  position: about('From 0.', NUMBER),
  state: STATE,
  url: URL,
  name: orNull(TEXT),
  description: TEXT,
  format: TEXT,
  hash: TEXT,
  size: orNull(about('Bytes.', NUMBER)),
  revision_id: REVISION,
  mimetype: orNull(TEXT),
  mimetype_inner: orNull(TEXT),
  resource_type: orNull(TEXT),
  url_type: orNull(about('`upload` for a file that is kept here.')),
  cache_url: orNull(TEXT),
  webstore_url: orNull(TEXT),
  created: orNull(TEXT),
  last_modified: orNull(TEXT),
  cache_last_updated: orNull(TEXT),
  webstore_last_updated: orNull(TEXT),
  datastore_active: FLAG,
});
