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
import { translationLoaders } from '../catalog/translation/translation.loaders.ts';
import { viewLoaders } from '../catalog/view/view.loaders.ts';
import { vocabularyLoaders } from '../catalog/vocabulary/vocabulary.loaders.ts';
import { tableLoaders } from '../datastore/tables/table.loaders.ts';
import { harvestLoaders } from '../harvest/harvest.loaders.ts';
import type { Call } from '../kernel/call.ts';
import { linkLoaders } from '../links/link.loaders.ts';
import { loadLoaders } from '../loading/table/load.loaders.ts';
import { qualityLoaders } from '../quality/quality.loaders.ts';
import { usageLoaders } from '../usage/usage.loaders.ts';
import { webhookLoaders } from '../webhooks/webhook.loaders.ts';
import { nodeLoaders } from './node/batch.ts';

const features = [
  userLoaders,
  tokenLoaders,
  tagLoaders,
  vocabularyLoaders,
  translationLoaders,
  groupLoaders,
  datasetLoaders,
  fileLoaders,
  ratingLoaders,
  relatedLoaders,
  viewLoaders,
  tableLoaders,
  loadLoaders,
  linkLoaders,
  followerLoaders,
  revisionLoaders,
  activityLoaders,
  dashboardLoaders,
  harvestLoaders,
  webhookLoaders,
  usageLoaders,
  qualityLoaders,
  nodeLoaders,
] as const;

type Of<Features extends readonly unknown[]> = Features extends readonly [
  infer First extends (call: Call) => object,
  ...infer Rest,
]
  ? ReturnType<First> & Of<Rest>
  : unknown;

/** Batch loaders, created per request. A field that can occur inside a list uses one of them. */
export type Loaders = Of<typeof features>;

/** Creates the loaders of a feature on first use of one of them, because a request needs few of all loaders. */
class LazyLoaders {
  constructor(
    readonly callOf: CallOf,
    readonly made: Record<string, unknown>[] = [],
  ) {}
}

/** The call of the loaders of a feature. Called at each use of one of them; only the first result counts. */
export type CallOf = (feature: number) => Call;

let areNamed = false;

/** Defines a property of LazyLoaders for each loader. Creating loaders reads no data, so any call can be used. */
function nameLoaders(call: Call): void {
  areNamed = true;
  features.forEach((make, index) => {
    for (const name of Object.keys(make(call)))
      Object.defineProperty(LazyLoaders.prototype, name, {
        get(this: LazyLoaders) {
          const call = this.callOf(index);
          this.made[index] ??= make(call) as Record<string, unknown>;
          return this.made[index][name];
        },
      });
  });
}

export function createLoaders(call: Call): Loaders {
  if (!areNamed) nameLoaders(call);
  return new LazyLoaders(() => call) as unknown as Loaders;
}

/** The same loaders with another `callOf`. */
export const usingLoaders = (loaders: Loaders, callOf: CallOf): Loaders =>
  new LazyLoaders(callOf, (loaders as unknown as LazyLoaders).made) as unknown as Loaders;
