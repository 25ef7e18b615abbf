import type { Resolvers } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import {
  passwordChange,
  passwordLinkCreate,
  passwordReset,
  passwordResetOf,
  passwordResetRequest,
} from './recovery.service.ts';

export const recoveryResolvers: Resolvers = {
  Query: {
    passwordReset: (_root, { key }, { call }) => passwordResetOf(call, key),
  },
  Mutation: {
    requestPasswordReset: payload('accepted', (call, { input }) => passwordResetRequest(call, input)),
    resetPassword: payload('user', (call, { input }) => passwordReset(call, input)),
    createPasswordLink: payload('link', (call, { input }) => passwordLinkCreate(call, input)),
    changePassword: payload('user', (call, { input }) => passwordChange(call, input)),
  },
};
