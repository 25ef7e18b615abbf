import type { Resolvers } from '../../../generated/graph.ts';
import { connectionResolvers } from '../../../kernel/connection.ts';
import { copyChanges, historyConnection } from './history.service.ts';

export const historyResolvers: Resolvers = {
  Dataset: {
    history: (dataset, args, { call, loaders }) => historyConnection(call, loaders, dataset, args),
  },
  DatasetVersion: {
    createdAt: (copy) => copy.at,
    dataset: (copy, _args, { loaders }) => loaders.historyCopies.load(copy),
    changes: (copy, _args, { loaders }) => copyChanges(loaders, copy),
  },
  DatasetVersionConnection: connectionResolvers,
};
