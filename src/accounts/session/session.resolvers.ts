import type { Resolvers } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import { login, logout } from './session.service.ts';

export const sessionResolvers: Resolvers = {
  Mutation: {
    login: payload('session', (call, { input }) => login(call, input)),
    logout: payload('ended', (call, { input }) => logout(call, input)),
  },
};
