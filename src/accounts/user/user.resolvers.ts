import type { Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { created } from '../../kernel/idempotency.ts';
import { toGlobalId } from '../../kernel/ids.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import {
  accountVisible,
  apiKeyGenerate,
  apiKeyOf,
  emailHashOf,
  emailOf,
  siteUser,
  userConnection,
  userCreate,
  userDelete,
  userImage,
  userImageAddress,
  userList,
  userNodes,
  userOfCaller,
  userPatch,
  userReplace,
  userShow,
  userSuggestions,
} from './user.service.ts';

export const userResolvers: Resolvers = {
  Query: {
    viewer: (_root, _args, { call }) => userOfCaller(call),
    user: (_root, { id, name, databaseId }, { call }) => lookUp({ id, name, databaseId }, (by) => userShow(call, by)),
    userImage: (_root, { name }, { call }) => userImage(call, name),
    users: (_root, args, { call }) => userConnection(call, args),
    userList: (_root, args, { call, loaders }) => userList(call, loaders, args),
    userSuggestions: (_root, args, { call }) => userSuggestions(call, args),
    siteUser: (_root, _args, { call }) => siteUser(call),
  },
  Mutation: {
    createUser: created('createUser', 'user', userCreate, userNodes),
    replaceUser: payload('user', (call, { input }) => userReplace(call, input)),
    updateUser: payload('user', (call, { input }) => userPatch(call, input)),
    deleteUser: payload('user', (call, { input }) => userDelete(call, input)),
    generateApiKey: payload('user', (call, { input }) => apiKeyGenerate(call, input)),
  },
  User: {
    id: (user) => toGlobalId('User', user.id),
    databaseId: (user) => user.id,
    email: (user, _args, { call }) => emailOf(call, user),
    imageDisplayUrl: (user, _args, { call }) => userImageAddress(call, user),
    image: async (user, _args, { loaders }) => {
      const image = await loaders.imageByUser.load(user.id);
      return image && { ...image, isPublic: true };
    },
    emailHash: (user, _args, { call }) => emailHashOf(call, user),
    apiKey: (user, _args, { call, caller }) => (caller === 'facade' || user.hasNewKey ? apiKeyOf(call, user) : null),
    viewerSeesAccount: (user, _args, { call }) => accountVisible(call, user),
    numberOfEdits: (user, _args, { loaders }) => loaders.editsByUser.load(user.id),
    datasetCount: (user, _args, { loaders }) => loaders.datasetCountByUser.load(user.id),
  },
  UserConnection: connectionResolvers,
};

export const userNodeReaders: NodeReaders = { User: userNodes };
