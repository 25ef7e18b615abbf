import type { Resolvers } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import { userInvite } from './invitation.service.ts';

export const invitationResolvers: Resolvers = {
  Mutation: {
    inviteUser: payload('invitation', (call, { input }) => userInvite(call, input)),
  },
};
