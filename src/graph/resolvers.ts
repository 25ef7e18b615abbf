import { dashboardResolvers } from '../accounts/dashboard/dashboard.resolvers.ts';
import { followerResolvers } from '../accounts/follower/follower.resolvers.ts';
import { invitationResolvers } from '../accounts/invitation/invitation.resolvers.ts';
import { recoveryResolvers } from '../accounts/recovery/recovery.resolvers.ts';
import { registrationResolvers } from '../accounts/registration/registration.resolvers.ts';
import { roleResolvers } from '../accounts/role/role.resolvers.ts';
import { sessionResolvers } from '../accounts/session/session.resolvers.ts';
import { tokenResolvers } from '../accounts/token/token.resolvers.ts';
import { userResolvers } from '../accounts/user/user.resolvers.ts';
import { activityResolvers } from '../catalog/activity/activity.resolvers.ts';
import { bulkResolvers } from '../catalog/dataset/bulk/bulk.resolvers.ts';
import { datasetResolvers } from '../catalog/dataset/dataset.resolvers.ts';
import { historyResolvers } from '../catalog/dataset/history/history.resolvers.ts';
import { linkResolvers } from '../catalog/dataset/relationships/relationship.resolvers.ts';
import { reviseResolvers } from '../catalog/dataset/revise/revise.resolvers.ts';
import { fileResolvers } from '../catalog/file/file.resolvers.ts';
import { ticketResolvers } from '../catalog/file/ticket.resolvers.ts';
import { groupResolvers } from '../catalog/group/group.resolvers.ts';
import { memberResolvers } from '../catalog/group/member.resolvers.ts';
import { licenseResolvers } from '../catalog/license/license.resolvers.ts';
import { nameResolvers } from '../catalog/name/name.resolvers.ts';
import { ratingResolvers } from '../catalog/rating/rating.resolvers.ts';
import { relatedResolvers } from '../catalog/related/related.resolvers.ts';
import { resourceResolvers } from '../catalog/resource/resource.resolvers.ts';
import { revisionResolvers } from '../catalog/revision/revision.resolvers.ts';
import { siteResolvers } from '../catalog/site/site.resolvers.ts';
import { tagResolvers } from '../catalog/tag/tag.resolvers.ts';
import { taskResolvers } from '../catalog/task/task.resolvers.ts';
import { translationResolvers } from '../catalog/translation/translation.resolvers.ts';
import { viewResolvers } from '../catalog/view/view.resolvers.ts';
import { vocabularyResolvers } from '../catalog/vocabulary/vocabulary.resolvers.ts';
import { tableResolvers } from '../datastore/tables/table.resolvers.ts';
import { feedResolvers } from '../feed/feed.resolvers.ts';
import type { Resolvers } from '../generated/graph.ts';
import { harvestResolvers } from '../harvest/harvest.resolvers.ts';
import { jobResolvers } from '../jobs/job.resolvers.ts';
import { resourceLinkResolvers } from '../links/link.resolvers.ts';
import { loadResolvers } from '../loading/table/load.resolvers.ts';
import { operationsResolvers } from '../operations/operations.resolvers.ts';
import { qualityResolvers } from '../quality/quality.resolvers.ts';
import { searchResolvers } from '../search/find/search.resolvers.ts';
import { statisticsResolvers } from '../statistics/statistics.resolvers.ts';
import { usageResolvers } from '../usage/usage.resolvers.ts';
import { webhookResolvers } from '../webhooks/webhook.resolvers.ts';
import { federationResolvers } from './federation/federation.resolvers.ts';
import { nodeResolvers } from './node/node.resolvers.ts';

/** Every feature's resolvers, in feature order. */
export const resolvers: Resolvers[] = [
  nodeResolvers,
  federationResolvers,
  siteResolvers,
  licenseResolvers,
  tagResolvers,
  vocabularyResolvers,
  translationResolvers,
  groupResolvers,
  memberResolvers,
  userResolvers,
  sessionResolvers,
  recoveryResolvers,
  tokenResolvers,
  invitationResolvers,
  registrationResolvers,
  viewResolvers,
  taskResolvers,
  datasetResolvers,
  historyResolvers,
  linkResolvers,
  bulkResolvers,
  reviseResolvers,
  resourceResolvers,
  resourceLinkResolvers,
  fileResolvers,
  ticketResolvers,
  tableResolvers,
  jobResolvers,
  harvestResolvers,
  webhookResolvers,
  loadResolvers,
  nameResolvers,
  ratingResolvers,
  relatedResolvers,
  roleResolvers,
  followerResolvers,
  revisionResolvers,
  activityResolvers,
  dashboardResolvers,
  feedResolvers,
  searchResolvers,
  statisticsResolvers,
  operationsResolvers,
  usageResolvers,
  qualityResolvers,
];
