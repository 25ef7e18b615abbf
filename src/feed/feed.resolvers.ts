import type { Resolvers } from '../generated/graph.ts';
import { connectionResolvers } from '../kernel/connection.ts';
import { toGlobalId } from '../kernel/ids.ts';
import {
  changeConnection,
  changeStream,
  changesEnd,
  cursorAt,
  globalIdOf,
  typenameOf,
  type VisibleChange,
} from './feed.service.ts';

export const feedResolvers: Resolvers = {
  Query: {
    changes: (_root, args, { call }) => changeConnection(call, args),
    changesEnd: (_root, { at }, { call }) => changesEnd(call, at),
  },
  Subscription: {
    changes: {
      // Blocks (kernel/events.ts), not single events: graph/subscriptions/subscriptions.ts runs the operation once per
      // event for all readers with the same visibility.
      subscribe: (_root, args, { call }) =>
        changeStream(call, args) as Promise<unknown> as Promise<AsyncIterable<never>>,
      resolve: (change: unknown) => change as VisibleChange,
    },
  },
  Change: {
    cursor: ({ position }) => cursorAt(position),
    sequence: ({ position }) => position,
    nodeId: ({ objectType, objectId }) => globalIdOf(objectType, objectId),
    actor: ({ actorId }, _args, { loaders }) => (actorId === null ? null : loaders.userById.load(actorId)),
    revision: ({ revisionId }, _args, { loaders }) =>
      revisionId === null ? null : loaders.revisionById.load(revisionId),
    node: ({ objectType, objectId, isGone }, _args, { loaders }) => {
      const type = isGone ? null : typenameOf(objectType);
      return type === null ? null : loaders.nodeByGlobalId.load(toGlobalId(type, objectId));
    },
    dataset: ({ datasetId }, _args, { loaders }) => (datasetId === null ? null : loaders.datasetById.load(datasetId)),
  },
  ChangeConnection: connectionResolvers,
};
