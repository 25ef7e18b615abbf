import type { Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { payload } from '../../kernel/mutation.ts';
import { followableTypename, followeeConnection, followeeCount, followeeList } from './followee.service.ts';
import {
  callerIsFollowing,
  type FollowKind,
  followerConnection,
  followerCount,
  followerList,
  objectFollow,
  objectUnfollow,
} from './follower.service.ts';

const key = (kind: FollowKind, { id }: { id: string }) => ({ kind, id });

export const followerResolvers: Resolvers = {
  Query: {
    followerCount: (_root, args, { call }) => followerCount(call, args),
    followerList: (_root, args, { call }) => followerList(call, args),
    viewerIsFollowing: (_root, args, { call }) => callerIsFollowing(call, args),
    followees: (_root, args, { call }) => followeeList(call, args),
    followeeCount: (_root, args, { call }) => followeeCount(call, args),
  },
  Mutation: {
    followObject: payload('following', (call, { input }) => objectFollow(call, input)),
    unfollowObject: payload('objectId', (call, { input }) => objectUnfollow(call, input)),
  },
  FolloweeConnection: connectionResolvers,
  Followable: { __resolveType: followableTypename },
  User: {
    followerCount: (user, _args, { loaders }) => loaders.followerCountByObject.load(key('USER', user)),
    viewerIsFollowing: (user, _args, { loaders }) => loaders.followedByCaller.load(key('USER', user)),
    followees: (user, args, { call, loaders }) => followeeConnection(call, loaders, user.id, args),
    followers: (user, args, { call, loaders }) => followerConnection(call, loaders, key('USER', user), args),
  },
  Dataset: {
    followerCount: (dataset, _args, { loaders }) => loaders.followerCountByObject.load(key('DATASET', dataset)),
    viewerIsFollowing: (dataset, _args, { loaders }) => loaders.followedByCaller.load(key('DATASET', dataset)),
    followers: (dataset, args, { call, loaders }) => followerConnection(call, loaders, key('DATASET', dataset), args),
  },
  Group: {
    followerCount: (group, _args, { loaders }) => loaders.followerCountByObject.load(key('GROUP', group)),
    viewerIsFollowing: (group, _args, { loaders }) => loaders.followedByCaller.load(key('GROUP', group)),
    followers: (group, args, { call, loaders }) => followerConnection(call, loaders, key('GROUP', group), args),
  },
  Organization: {
    followerCount: (group, _args, { loaders }) => loaders.followerCountByObject.load(key('GROUP', group)),
    viewerIsFollowing: (group, _args, { loaders }) => loaders.followedByCaller.load(key('GROUP', group)),
    followers: (group, args, { call, loaders }) => followerConnection(call, loaders, key('GROUP', group), args),
  },
};
