import type { Resolvers, TokenScope } from '../../generated/graph.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { payload } from '../../kernel/mutation.ts';
import { tokenCreate, tokenList, tokenRevoke, tokensVisible } from './token.service.ts';

export const tokenResolvers: Resolvers = {
  Query: {
    tokens: (_root, { user }, { call }) => tokenList(call, user),
  },
  Mutation: {
    createToken: payload('created', (call, { input }) => tokenCreate(call, input)),
    revokeToken: payload('revokedId', (call, { input }) => asId('Token', tokenRevoke(call, input))),
  },
  Token: {
    id: (token) => toGlobalId('Token', token.id),
    databaseId: (token) => token.id,
    user: (token, _args, { loaders }) => loaders.userById.load(token.userId),
    scope: (token) => token.scope.toUpperCase() as TokenScope,
    lastUsedAt: (token) => token.usedAt,
  },
  User: {
    tokens: (user, _args, { call, loaders }) => (tokensVisible(call, user) ? loaders.tokensByUser.load(user.id) : null),
  },
};
