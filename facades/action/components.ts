/** The dictionaries that actions answer, each under its name. Rows refer to them; every answer in a test is held against them. */
import {
  ANYTHING,
  about,
  either,
  FLAG,
  listOf,
  NULL,
  NUMBER,
  OBJECT,
  object,
  orNull,
  ref,
  type Schema,
  TEXT,
} from './schema.ts';

const ID = about('Id, for ever the same.');
const NAME = about('Name, as in addresses.');
const STATE = about('`active`, `draft` or `deleted`.');
const REVISION = about('Id of the revision that changed it last.');
const TIME = about('UTC, such as `2026-11-21T10:00:00.123000`.');
const URL = about('Address, or an empty text.');

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

const dataset = object(
  {
    id: ID,
    name: NAME,
    title: TEXT,
    type: about('The kind of dataset; its own fields stand beside these keys.'),
    state: STATE,
    private: about('Whether only members of the owner organization may see it.', FLAG),
    notes: orNull(about('Description, in Markdown.')),
    url: orNull(TEXT),
    version: orNull(TEXT),
    author: orNull(TEXT),
    author_email: orNull(TEXT),
    maintainer: orNull(TEXT),
    maintainer_email: orNull(TEXT),
    license_id: orNull(TEXT),
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
    extras: about('Free pairs, by key.', listOf(object({ key: TEXT, value: TEXT }))),
    groups: about('By display name.', listOf(groupOfDataset)),
    relationships_as_subject: listOf(relationshipOfDataset),
    relationships_as_object: listOf(relationshipOfDataset),
  },
  { license_url: TEXT },
);

const resource = object({
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

const groupCore = {
  id: ID,
  name: NAME,
  title: TEXT,
  display_name: TEXT,
  description: TEXT,
  image_url: URL,
  image_display_url: URL,
  type: TEXT,
  is_organization: FLAG,
  approval_status: TEXT,
  state: STATE,
  created: TIME,
  revision_id: REVISION,
  package_count: NUMBER,
};

const userCore = {
  id: ID,
  name: NAME,
  fullname: orNull(TEXT),
  display_name: TEXT,
  about: orNull(TEXT),
  openid: orNull(TEXT),
  email_hash: TEXT,
  activity_streams_email_notifications: FLAG,
  created: TIME,
  state: STATE,
  sysadmin: FLAG,
  number_of_edits: NUMBER,
  number_created_packages: NUMBER,
};

const capacity = about('What the member may do there.');

const group = object(
  { ...groupCore, num_followers: NUMBER },
  {
    extras: listOf(object({ id: ID, key: TEXT, value: TEXT, group_id: TEXT, state: STATE, revision_id: REVISION })),
    users: listOf(object({ ...userCore, capacity })),
    groups: about(
      'Groups above it.',
      listOf(object({ ...groupCore, capacity: TEXT, groups: listOf(object({ name: NAME, capacity: TEXT })) })),
    ),
    packages: listOf(ref('Dataset')),
    tags: listOf(ANYTHING),
  },
);

const legacyDataset = object(
  {
    id: ID,
    name: NAME,
    title: TEXT,
    state: STATE,
    license: orNull(about('Title of the license.')),
    notes_rendered: about('The description as HTML.'),
    ratings_average: orNull({ type: 'number' }),
    ratings_count: NUMBER,
    ckan_url: about('Address of the page.'),
    catalog_url: about('The same.'),
    tags: about('Names of free tags.', listOf(TEXT)),
    groups: about('Ids.', listOf(TEXT)),
    extras: { type: 'object', additionalProperties: TEXT },
    resources: listOf(OBJECT),
    relationships: listOf(ref('Relationship')),
  },
  { license_url: TEXT },
);

const legacyGroup = object({
  ...groupCore,
  extras: { type: 'object', additionalProperties: TEXT },
  users: listOf(object({ ...userCore, capacity })),
  packages: about('Ids of the first 1,000 datasets.', listOf(TEXT)),
  groups: listOf(OBJECT),
  tags: listOf(ANYTHING),
});

const tag = object(
  { id: ID, name: TEXT, display_name: TEXT, vocabulary_id: orNull(TEXT) },
  { packages: listOf(ref('Dataset')) },
);

const user = object(userCore, {
  email: about('Only for those who may see the account.', orNull(TEXT)),
  apikey: about('Only for those who may see the account.', orNull(TEXT)),
  image_url: about('Only where there is an image.', TEXT),
  image_display_url: about('Only where there is an image.', TEXT),
  datasets: listOf(ref('Dataset')),
  num_followers: NUMBER,
});

const license = object({
  id: about('What `license_id` of a dataset holds.'),
  title: TEXT,
  url: URL,
  is_okd_compliant: about('Whether it conforms to the Open Definition.', FLAG),
});

const failure = object({
  help: TEXT,
  success: { const: false },
  error: {
    ...object({
      __type: about('The kind of error, such as `Not Found Error`, `Authorization Error`, `Validation Error`.'),
      message: about('What is wrong, in one line.'),
    }),
    description:
      'With a Validation Error also one key per field that is wrong: a list of texts, or one entry per item.',
  },
});

const view = object(
  {
    id: ID,
    resource_id: TEXT,
    package_id: TEXT,
    title: TEXT,
    description: orNull(TEXT),
    view_type: about('Its type; the fields of the type stand beside these keys.'),
  },
  { config: about('What is needed to show it as it was left, as JSON.') },
);

const revision = object(
  { id: ID, timestamp: TIME, author: orNull(TEXT), message: orNull(TEXT), approved_timestamp: NULL },
  {
    packages: about('Names of datasets that it changed.', listOf(TEXT)),
    groups: about('Names of groups and organizations that it changed or concerns.', listOf(TEXT)),
  },
);

const task = object(
  {
    id: ID,
    entity_id: TEXT,
    entity_type: TEXT,
    task_type: TEXT,
    key: TEXT,
    value: orNull(TEXT),
    state: orNull(TEXT),
    error: orNull(TEXT),
    last_updated: orNull(TIME),
  },
  { status: NULL, date_done: NULL, traceback: NULL, task_status: OBJECT },
);

const token = object({
  id: ID,
  user_id: TEXT,
  name: TEXT,
  scope: about('`read`, `write` or `admin`.'),
  created_at: TIME,
  last_access: orNull(TIME),
  expires_at: orNull(TIME),
});

/** By name. A dictionary may have more keys than these: free keys of resources, fields of a dataset type. */
export const components: Readonly<Record<string, Schema>> = {
  Dataset: dataset,
  Resource: resource,
  Group: group,
  LegacyDataset: legacyDataset,
  LegacyGroup: legacyGroup,
  Organization: group,
  User: user,
  Tag: tag,
  Vocabulary: object({ id: ID, name: NAME, tags: listOf(ref('Tag')) }),
  License: license,
  View: view,
  Revision: revision,
  Relationship: object({ type: TEXT, comment: orNull(TEXT), subject: orNull(NAME), object: orNull(NAME) }),
  TaskStatus: task,
  Token: token,
  Activity: object(
    {
      id: ID,
      timestamp: TIME,
      user_id: orNull(about('Who did it; null for nobody that has an account.')),
      object_id: TEXT,
      revision_id: orNull(TEXT),
      activity_type: about('Such as `changed package`.'),
      data: about('The object as it was then, as a rule.', ANYTHING),
    },
    { is_new: about('On the dashboard: somebody else did it, and it has not been seen.', FLAG) },
  ),
  ActivityDetail: object({
    id: ID,
    activity_id: TEXT,
    object_id: orNull(TEXT),
    object_type: TEXT,
    activity_type: TEXT,
    data: ANYTHING,
  }),
  Member: object({
    id: ID,
    group_id: TEXT,
    table_name: about('`user`, `package` or `group`.'),
    table_id: about('Id of the member.'),
    capacity: TEXT,
    state: STATE,
    revision_id: REVISION,
  }),
  Following: object({ follower_id: TEXT, object_id: TEXT, datetime: TIME }),
  Followee: object({ type: TEXT, display_name: TEXT, dict: either(ref('User'), ref('Dataset'), ref('Group')) }),
  Status: object({
    site_title: TEXT,
    site_description: TEXT,
    site_url: TEXT,
    ckan_version: about('Level of the contract.'),
    catalog_version: about('Version of this software.'),
    error_emails_to: orNull(TEXT),
    locale_default: TEXT,
    extensions: listOf(TEXT),
  }),
  Failure: failure,
  BadRequest: about('What cannot be read of the request, or that there is no such action.'),
};
