/** Converts the details of an activity to the wire format. */
import type { ActionActivityDetailsQuery, ActivityChange, ActivityPiece } from '../../../src/generated/operations.ts';

type Detail = ActionActivityDetailsQuery['activityDetails'][number];

const PIECES: Readonly<Record<ActivityPiece, { type: string; key: string }>> = {
  DATASET: { type: 'Package', key: 'package' },
  RESOURCE: { type: 'Resource', key: 'resource' },
  EXTRA: { type: 'PackageExtra', key: 'package_extra' },
  TAG: { type: 'tag', key: 'tag' },
};
const CHANGES: Readonly<Record<ActivityChange, string>> = { CREATED: 'new', CHANGED: 'changed', DELETED: 'deleted' };
/** Tags are added and removed, never changed. */
const TAG_CHANGES: Readonly<Record<ActivityChange, string>> = {
  CREATED: 'added',
  CHANGED: 'changed',
  DELETED: 'removed',
};

/** Keys on the wire in addition to the piece's own fields. */
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
