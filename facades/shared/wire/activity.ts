/** Converts activities to the wire format. */
import type { ActionActivityFragment, ActivityType } from '../../../src/generated/operations.ts';
import { wireTime } from '../../../src/records/form/time.ts';

/** Type: graph → wire. */
export const TYPES: Readonly<Record<ActivityType, string>> = {
  DATASET_CREATED: 'new package',
  DATASET_CHANGED: 'changed package',
  DATASET_DELETED: 'deleted package',
  USER_CREATED: 'new user',
  USER_CHANGED: 'changed user',
  GROUP_CREATED: 'new group',
  GROUP_CHANGED: 'changed group',
  GROUP_DELETED: 'deleted group',
  ORGANIZATION_CREATED: 'new organization',
  ORGANIZATION_CHANGED: 'changed organization',
  ORGANIZATION_DELETED: 'deleted organization',
  RELATED_ITEM_CREATED: 'new related item',
  RELATED_ITEM_CHANGED: 'changed related item',
  RELATED_ITEM_DELETED: 'deleted related item',
  DATASET_FOLLOWED: 'follow dataset',
  USER_FOLLOWED: 'follow user',
  GROUP_FOLLOWED: 'follow group',
};

/** An activity dictionary; keeps additional keys such as `is_new`. */
export const activityDict = <A extends ActionActivityFragment>({ type, data, fields, timestamp, ...activity }: A) => ({
  ...activity,
  timestamp: wireTime(timestamp),
  activity_type: TYPES[type],
  data: data ?? (fields == null ? {} : dataOf(type, fields as Readonly<Record<string, unknown>>)),
});

/** The object, keyed by its kind. Activities of new related items include the dataset. */
function dataOf(type: ActivityType, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (type.startsWith('DATASET_')) return { package: fields };
  if (!type.startsWith('RELATED_ITEM_')) return { group: fields };
  const { dataset = null, ...related } = fields;
  return { related, ...(type !== 'RELATED_ITEM_DELETED' && { dataset }) };
}
