import { dashboardLoaders } from '../accounts/dashboard/dashboard.loaders.ts';
import { followerLoaders } from '../accounts/follower/follower.loaders.ts';
import { tokenLoaders } from '../accounts/token/token.loaders.ts';
import { userLoaders } from '../accounts/user/user.loaders.ts';
import { activityLoaders } from '../catalog/activity/activity.loaders.ts';
import { datasetLoaders } from '../catalog/dataset/dataset.loaders.ts';
import { fileLoaders } from '../catalog/file/file.loaders.ts';
import { groupLoaders } from '../catalog/group/group.loaders.ts';
import { ratingLoaders } from '../catalog/rating/rating.loaders.ts';
import { relatedLoaders } from '../catalog/related/related.loaders.ts';
import { revisionLoaders } from '../catalog/revision/revision.loaders.ts';
import { tagLoaders } from '../catalog/tag/tag.loaders.ts';
import { viewLoaders } from '../catalog/view/view.loaders.ts';
import { vocabularyLoaders } from '../catalog/vocabulary/vocabulary.loaders.ts';
import { tableLoaders } from '../datastore/table.loaders.ts';
import type { Call } from '../kernel/call.ts';

/** Batch loaders, made per request: a field that can stand inside a list loads through one of these. */
export type Loaders = ReturnType<typeof createLoaders>;

export function createLoaders(call: Call) {
  return {
    ...userLoaders(call),
    ...tokenLoaders(call),
    ...tagLoaders(call),
    ...vocabularyLoaders(call),
    ...groupLoaders(call),
    ...datasetLoaders(call),
    ...fileLoaders(call),
    ...ratingLoaders(call),
    ...relatedLoaders(call),
    ...viewLoaders(call),
    ...tableLoaders(call),
    ...followerLoaders(call),
    ...revisionLoaders(call),
    ...activityLoaders(call),
    ...dashboardLoaders(call),
  };
}
