/** Schemas of all dictionaries in action results, by name. Actions refer to them, and tests validate every response against them. */
import { dataset, resource } from './dataset/components.ts';
import { group, user } from './group/components.ts';
import { legacyDataset, legacyGroup } from './legacy/components.ts';
import {
  ANYTHING,
  about,
  either,
  FLAG,
  listOf,
  NULL,
  OBJECT,
  object,
  orNull,
  ref,
  type Schema,
  TEXT,
} from './schema.ts';
import { ID, NAME, REVISION, STATE, TIME, URL } from './texts.ts';

const tag = object(
  { id: ID, name: TEXT, display_name: TEXT, vocabulary_id: orNull(TEXT) },
  { packages: listOf(ref('Dataset')) },
);

const license = object({
  id: about('Id of the license, the value of `license_id` in a dataset.'),
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
      message: about('One-line description of the error.'),
    }),
    description:
      'A Validation Error has one more key for each invalid field: a list of strings, or one entry per item.',
  },
});

const view = object(
  {
    id: ID,
    resource_id: TEXT,
    package_id: TEXT,
    title: TEXT,
    description: orNull(TEXT),
    view_type: about('Type of the view. Fields of the type are further keys.'),
  },
  { config: about('State of the view that its viewer has saved, as JSON.') },
);

const revision = object(
  { id: ID, timestamp: TIME, author: orNull(TEXT), message: orNull(TEXT), approved_timestamp: NULL },
  {
    packages: about('Names of the changed datasets.', listOf(TEXT)),
    groups: about(
      'Names of the changed groups and organizations, and of those that contain the changed datasets.',
      listOf(TEXT),
    ),
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

/** By name. A dictionary may have additional keys: custom keys of resources, fields of a dataset type. */
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
      user_id: orNull(about('Id of the user who made the change. Null for callers without an account.')),
      object_id: TEXT,
      revision_id: orNull(TEXT),
      activity_type: about('Type of the activity, such as `changed package`.'),
      data: about('Usually the object at that time.', ANYTHING),
    },
    { is_new: about('On the dashboard: true for unseen activities of other users.', FLAG) },
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
    ckan_version: about('Version of CKAN whose contract this service follows.'),
    catalog_version: about('Version of this software.'),
    error_emails_to: orNull(TEXT),
    locale_default: TEXT,
    extensions: listOf(TEXT),
  }),
  Failure: failure,
  BadRequest: about('The fault of the request, or that the action does not exist.'),
};
