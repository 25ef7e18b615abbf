import { userNodeReaders } from '../../accounts/user/user.resolvers.ts';
import { activityNodeReaders } from '../../catalog/activity/activity.resolvers.ts';
import { datasetNodeReaders } from '../../catalog/dataset/dataset.resolvers.ts';
import { groupNodeReaders } from '../../catalog/group/group.resolvers.ts';
import { relatedNodeReaders } from '../../catalog/related/related.resolvers.ts';
import { resourceNodeReaders } from '../../catalog/resource/resource.resolvers.ts';
import { revisionNodeReaders } from '../../catalog/revision/revision.resolvers.ts';
import { tagNodeReaders } from '../../catalog/tag/tag.resolvers.ts';
import { viewNodeReaders } from '../../catalog/view/view.resolvers.ts';
import { vocabularyNodeReaders } from '../../catalog/vocabulary/vocabulary.resolvers.ts';
import { harvestNodeReaders } from '../../harvest/harvest.resolvers.ts';
import { jobNodeReaders } from '../../jobs/job.resolvers.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import { webhookNodeReaders } from '../../webhooks/webhook.resolvers.ts';

/** Type that implements `Node` → function that reads its objects by id. One line per feature. A house test finds missing types. */
export const nodeReaders: NodeReaders = {
  ...userNodeReaders,
  ...tagNodeReaders,
  ...vocabularyNodeReaders,
  ...groupNodeReaders,
  ...datasetNodeReaders,
  ...resourceNodeReaders,
  ...revisionNodeReaders,
  ...relatedNodeReaders,
  ...viewNodeReaders,
  ...activityNodeReaders,
  ...jobNodeReaders,
  ...harvestNodeReaders,
  ...webhookNodeReaders,
};
