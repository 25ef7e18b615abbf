import type {
  AddGroupMemberInput,
  RemoveGroupMemberInput,
  RemoveMemberInput,
  Resolvers,
  SetMemberRoleInput,
} from '../../generated/graph.ts';
import { asId } from '../../kernel/ids.ts';
import { payload } from '../../kernel/mutation.ts';
import { memberAdd, memberDrop, memberList, memberRemove, memberRoles, memberSetRole } from './member.service.ts';

/** Types of members, other than groups and organizations. */
const TYPES: Readonly<Record<string, string>> = { user: 'User', dataset: 'Dataset' };

export const memberResolvers: Resolvers = {
  Query: {
    groupMembers: (_root, args, { call }) => memberList(call, args),
    memberRoles: (_root, { groupType }) => memberRoles(groupType ?? null),
  },
  Mutation: {
    setMemberRole: payload('member', (call, { input }: { input: SetMemberRoleInput }) => memberSetRole(call, input)),
    removeMember: payload('removedId', (call, { input }: { input: RemoveMemberInput }) =>
      asId('User', memberRemove(call, input)),
    ),
    addGroupMember: payload('member', (call, { input }: { input: AddGroupMemberInput }) => memberAdd(call, input)),
    removeGroupMember: payload('removedId', (call, { input }: { input: RemoveGroupMemberInput }) =>
      asId(TYPES[input.objectType] ?? 'Group', memberDrop(call, input)),
    ),
  },
  GroupMember: { databaseId: (member) => member.id },
};
