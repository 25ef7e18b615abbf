/** Schemas of groups, organizations and their users in action results. */
import { ANYTHING, about, FLAG, listOf, NUMBER, object, orNull, ref, TEXT } from '../schema.ts';
import { ID, NAME, REVISION, STATE, TIME, URL } from '../texts.ts';

export const groupCore = {
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

export const userCore = {
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

export const capacity = about('Capacity of the member.');

export const group = object(
  { ...groupCore, num_followers: NUMBER },
  {
    extras: listOf(object({ id: ID, key: TEXT, value: TEXT, group_id: TEXT, state: STATE, revision_id: REVISION })),
    users: listOf(object({ ...userCore, capacity })),
    groups: about(
      'Parent groups.',
      listOf(object({ ...groupCore, capacity: TEXT, groups: listOf(object({ name: NAME, capacity: TEXT })) })),
    ),
    packages: listOf(ref('Dataset')),
    tags: listOf(ANYTHING),
  },
);

export const user = object(userCore, {
  email: about('Present only for callers who may see the account.', orNull(TEXT)),
  apikey: about('Present only for callers who may see the account.', orNull(TEXT)),
  image_url: about('Present only if there is an image.', TEXT),
  image_display_url: about('Present only if there is an image.', TEXT),
  datasets: listOf(ref('Dataset')),
  num_followers: NUMBER,
});
