import type {
  CreateGroupInput,
  CreateOrganizationInput,
  DeleteGroupInput,
  DeleteOrganizationInput,
  GroupResolvers,
  PurgeGroupInput,
  PurgeOrganizationInput,
  ReplaceGroupInput,
  ReplaceOrganizationInput,
  Resolvers,
  UpdateGroupInput,
  UpdateOrganizationInput,
} from '../../generated/graph.ts';
import { markdownToHtml } from '../../infra/markdown.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { created } from '../../kernel/idempotency.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { loaded, localized } from '../../kernel/languages.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import {
  canCreateGroups,
  canDeleteGroup,
  canUpdateGroup,
  groupConnection,
  groupImage,
  groupImageAddress,
  groupList,
  groupNodes,
  groupShow,
  groupSuggestions,
  groupsPermitted,
  groupTypename,
  myCapacity,
} from './group.service.ts';
import { membershipConnection, userMemberships } from './membership.service.ts';
import { groupDelete, groupPurge, organizationDelete } from './remove.service.ts';
import { groupCreate, groupPatch, groupReplace } from './write.service.ts';

type In<Input> = { input: Input };

/** Fields that groups and organizations have in common; both are backed by the same record. */
const common = {
  databaseId: (group) => group.id,
  displayName: (group, { language }, { loaders }) => localized(group.title || group.name, language, loaders),
  description: (group, { language }, { loaders }) => localized(group.description, language, loaders),
  descriptionHtml: (group, { language }, { loaders }) =>
    loaded(localized(group.description, language, loaders), markdownToHtml),
  imageDisplayUrl: (group, _args, { call }) => groupImageAddress(call, group),
  image: async (group, _args, { loaders }) => {
    const image = await loaders.imageByGroup.load(group.id);
    return image && { ...image, isPublic: group.state === 'active' };
  },
  myCapacity: (group, _args, { call }) => myCapacity(call, group),
  viewerCanUpdate: (group, _args, { call }) => canUpdateGroup(call, group),
  viewerCanDelete: (group, _args, { call }) => canDeleteGroup(call, group),
  datasetCount: (group, _args, { loaders }) => loaders.datasetCountByGroup.load(group.id),
  visibleDatasetCount: (group, _args, { loaders }) => loaders.visibleDatasetCountByGroup.load(group.id),
  extras: (group, _args, { loaders }) => loaders.extrasByGroup.load(group.id),
  memberships: (group, _args, { loaders }) => loaders.membershipsByGroup.load(group.id),
  membershipConnection: (group, args, { call, loaders }) => membershipConnection(call, loaders, group.id, args),
  parents: (group, _args, { loaders }) => loaders.parentsByGroup.load(group.id),
} satisfies GroupResolvers;

export const groupResolvers: Resolvers = {
  Query: {
    group: (_root, { id, name, databaseId }, { call }) =>
      lookUp({ id, name, databaseId }, (by) => groupShow(call, by, false)),
    organization: (_root, { id, name, databaseId }, { call }) =>
      lookUp({ id, name, databaseId }, (by) => groupShow(call, by, true)),
    groupOrOrganization: (_root, { id, name, databaseId }, { call }) =>
      lookUp({ id, name, databaseId }, (by) => groupShow(call, by, null)),
    groupImage: (_root, { name }, { call }) => groupImage(call, name),
    groups: (_root, args, { call }) => groupConnection(call, false, args),
    organizations: (_root, args, { call }) => groupConnection(call, true, args),
    groupList: (_root, { input }, { call }) => groupList(call, input, false),
    organizationList: (_root, { input }, { call }) => groupList(call, input, true),
    groupSuggestions: (_root, args, { call }) => groupSuggestions(call, args, false),
    organizationSuggestions: (_root, args, { call }) => groupSuggestions(call, args, true),
    myGroups: (_root, args, { call }) => groupsPermitted(call, args, false),
    myOrganizations: (_root, args, { call }) => groupsPermitted(call, args, true),
  },
  Mutation: {
    createGroup: created(
      'createGroup',
      'group',
      (call, input: CreateGroupInput) => groupCreate(call, input, false),
      (call, ids) => groupNodes(call, ids, false),
    ),
    createOrganization: created(
      'createOrganization',
      'organization',
      (call, input: CreateOrganizationInput) => groupCreate(call, input, true),
      (call, ids) => groupNodes(call, ids, true),
    ),
    replaceGroup: payload('group', (call, { input }: In<ReplaceGroupInput>) =>
      groupReplace(call, input.group, input, false),
    ),
    replaceOrganization: payload('organization', (call, { input }: In<ReplaceOrganizationInput>) =>
      groupReplace(call, input.organization, input, true),
    ),
    updateGroup: payload('group', (call, { input }: In<UpdateGroupInput>) =>
      groupPatch(call, input.group, input, false),
    ),
    updateOrganization: payload('organization', (call, { input }: In<UpdateOrganizationInput>) =>
      groupPatch(call, input.organization, input, true),
    ),
    deleteGroup: payload('group', (call, { input }: In<DeleteGroupInput>) =>
      groupDelete(call, input.group, input.expectedVersion ?? null),
    ),
    deleteOrganization: payload('organization', (call, { input }: In<DeleteOrganizationInput>) =>
      organizationDelete(call, input.organization, input.expectedVersion ?? null),
    ),
    purgeGroup: payload('purgedId', (call, { input }: In<PurgeGroupInput>) =>
      asId('Group', groupPurge(call, input.group, input.expectedVersion ?? null, false)),
    ),
    purgeOrganization: payload('purgedId', (call, { input }: In<PurgeOrganizationInput>) =>
      asId('Organization', groupPurge(call, input.organization, input.expectedVersion ?? null, true)),
    ),
  },
  Site: {
    viewerCanCreateGroups: (_site, _args, { call }) => canCreateGroups(call, false),
    viewerCanCreateOrganizations: (_site, _args, { call }) => canCreateGroups(call, true),
  },
  Group: { ...common, id: (group) => toGlobalId('Group', group.id) },
  Organization: { ...common, id: (organization) => toGlobalId('Organization', organization.id) },
  GroupLike: { __resolveType: groupTypename },
  GroupExtra: { databaseId: (extra) => extra.id },
  GroupMembership: {
    user: async (membership, _args, { loaders }) => (await loaders.userById.load(membership.userId))!,
    datasetCount: (membership, _args, { loaders }) => loaders.publicDatasetCountByCreator.load(membership.userId),
  },
  User: { memberships: (user, args, { call, loaders }) => userMemberships(call, loaders, user.id, args) },
  GroupMembershipConnection: connectionResolvers,
  UserMembershipConnection: connectionResolvers,
  GroupConnection: connectionResolvers,
  OrganizationConnection: connectionResolvers,
};

export const groupNodeReaders: NodeReaders = {
  Group: (call, ids) => groupNodes(call, ids, false),
  Organization: (call, ids) => groupNodes(call, ids, true),
};
