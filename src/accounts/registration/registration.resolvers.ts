import type { Resolvers } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import { register } from './registration.service.ts';

export const registrationResolvers: Resolvers = {
  Mutation: {
    register: payload('registration', (call, { input }) => register(call, input)),
  },
  RegisterPayload: {
    session: ({ registration }) => registration?.session ?? null,
    mailed: ({ registration }) => registration?.mailed ?? null,
  },
};
