/** Activities as the wire has them. */
import type {
  ActionActivityDetailsQuery,
  ActionActivityFragment,
  ActivityChange,
  ActivityPiece,
  ActivityType,
} from '../../../src/generated/operations.ts';
import { wireTime } from '../../shared/wire/time.ts';

/** Types: the graph's word → the wire's. */
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

/** An activity dictionary; what was asked for besides (`is_new`) stays. */
export const activityDict = <A extends ActionActivityFragment>({ type, data, fields, timestamp, ...activity }: A) => ({
  ...activity,
  timestamp: wireTime(timestamp),
  activity_type: TYPES[type],
  data: data ?? (fields == null ? {} : dataOf(type, fields as Readonly<Record<string, unknown>>)),
});

/** The object by the word for its kind; a related item beside its dataset, which is told of new ones only. */
function dataOf(type: ActivityType, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (type.startsWith('DATASET_')) return { package: fields };
  if (!type.startsWith('RELATED_ITEM_')) return { group: fields };
  const { dataset = null, ...related } = fields;
  return { related, ...(type !== 'RELATED_ITEM_DELETED' && { dataset }) };
}

type Detail = ActionActivityDetailsQuery['activityDetails'][number];

const PIECES: Readonly<Record<ActivityPiece, { type: string; key: string }>> = {
  DATASET: { type: 'Package', key: 'package' },
  RESOURCE: { type: 'Resource', key: 'resource' },
  EXTRA: { type: 'PackageExtra', key: 'package_extra' },
  TAG: { type: 'tag', key: 'tag' },
};
const CHANGES: Readonly<Record<ActivityChange, string>> = { CREATED: 'new', CHANGED: 'changed', DELETED: 'deleted' };
/** Tags are put on and taken off. */
const TAG_CHANGES: Readonly<Record<ActivityChange, string>> = {
  CREATED: 'added',
  CHANGED: 'changed',
  DELETED: 'removed',
};

/** What the wire shows besides the piece's own fields. */
const BESIDES: Readonly<Record<ActivityPiece, (detail: Detail, state: string) => object>> = {
  DATASET: () => ({}),
  RESOURCE: (_detail, state) => ({ state }),
  EXTRA: ({ object_id: id, activity }, state) => ({
    id,
    package_id: activity.objectId,
    revision_id: activity.revisionId,
    state,
  }),
  TAG: () => ({}),
};

/** An entry of activity_detail_list. */
export function detailDict(detail: Detail) {
  const { piece, change, fields, activity, id, object_id } = detail;
  const { type, key } = PIECES[piece];
  return {
    id,
    object_id,
    activity_id: activity.id,
    object_type: type,
    activity_type: (piece === 'TAG' ? TAG_CHANGES : CHANGES)[change],
    data: {
      ...(piece === 'TAG' && { package: activity.fields }),
      [key]: { ...(fields as object), ...BESIDES[piece](detail, change === 'DELETED' ? 'deleted' : 'active') },
    },
  };
}
