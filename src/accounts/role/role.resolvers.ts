import type { Resolvers, SetRolesOfUsersInput, SetUserRolesInput } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import { roleList, rolesOfUsersSet, userRolesSet } from './role.service.ts';

export const roleResolvers: Resolvers = {
  Query: { roles: (_root, args, { call }) => roleList(call, args) },
  Mutation: {
    setUserRoles: payload('roleList', (call, { input }: { input: SetUserRolesInput }) => userRolesSet(call, input)),
    setRolesOfUsers: payload('roleList', (call, { input }: { input: SetRolesOfUsersInput }) =>
      rolesOfUsersSet(call, input),
    ),
  },
  RoleAssignment: {
    databaseId: (role) => role.id,
    user: (role, _args, { loaders }) => loaders.userById.load(role.userId),
  },
};
