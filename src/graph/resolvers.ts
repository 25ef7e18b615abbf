import { followerResolvers } from '../accounts/follower/follower.resolvers.ts';
import { userResolvers } from '../accounts/user/user.resolvers.ts';
import { datasetResolvers } from '../catalog/dataset/dataset.resolvers.ts';
import { historyResolvers } from '../catalog/dataset/history.resolvers.ts';
import { groupResolvers } from '../catalog/group/group.resolvers.ts';
import { memberResolvers } from '../catalog/group/member.resolvers.ts';
import { licenseResolvers } from '../catalog/license/license.resolvers.ts';
import { resourceResolvers } from '../catalog/resource/resource.resolvers.ts';
import { revisionResolvers } from '../catalog/revision/revision.resolvers.ts';
import { siteResolvers } from '../catalog/site/site.resolvers.ts';
import { tagResolvers } from '../catalog/tag/tag.resolvers.ts';
import { vocabularyResolvers } from '../catalog/vocabulary/vocabulary.resolvers.ts';
import type { Resolvers } from '../generated/graph.ts';
import { nodeResolvers } from './node/node.resolvers.ts';

/** Every feature's resolvers, in feature order. */
export const resolvers: Resolvers[] = [
  nodeResolvers,
  siteResolvers,
  licenseResolvers,
  tagResolvers,
  vocabularyResolvers,
  groupResolvers,
  memberResolvers,
  userResolvers,
  datasetResolvers,
  historyResolvers,
  resourceResolvers,
  followerResolvers,
  revisionResolvers,
];
