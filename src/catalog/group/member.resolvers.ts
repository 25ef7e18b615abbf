import type {
  AddGroupMemberInput,
  RemoveGroupMemberInput,
  RemoveMemberInput,
  Resolvers,
  SetMemberRoleInput,
} from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import { memberAdd, memberDrop, memberList, memberRemove, memberRoles, memberSetRole } from './member.service.ts';

export const memberResolvers: Resolvers = {
  Query: {
    groupMembers: (_root, args, { call }) => memberList(call, args),
    memberRoles: (_root, { groupType }) => memberRoles(groupType ?? null),
  },
  Mutation: {
    setMemberRole: payload('member', (call, { input }: { input: SetMemberRoleInput }) => memberSetRole(call, input)),
    removeMember: payload('removedId', (call, { input }: { input: RemoveMemberInput }) => memberRemove(call, input)),
    addGroupMember: payload('member', (call, { input }: { input: AddGroupMemberInput }) => memberAdd(call, input)),
    removeGroupMember: payload('removedId', (call, { input }: { input: RemoveGroupMemberInput }) =>
      memberDrop(call, input),
    ),
  },
  GroupMember: { databaseId: (member) => member.id },
};
