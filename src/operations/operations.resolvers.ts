import type { JobState, Resolvers } from '../generated/graph.ts';
import { toGlobalId } from '../kernel/ids.ts';
import { operations } from './operations.service.ts';

export const operationsResolvers: Resolvers = {
  Site: { operations: (_site, _args, { call }) => operations(call) },
  Operations: {
    processes: (of) => of.processes(),
    traffic: (of, args) => of.traffic(args),
    slowRequests: (of) => of.slowRequests(),
    jobs: (of) => of.jobs(),
    datastore: (of) => of.datastore(),
  },
  JobCount: { state: ({ state }) => state.toUpperCase() as JobState },
  DatastoreSize: { largest: (of, args) => of.largest(args) },
  DatastoreTableSize: {
    resource: ({ resourceId }, _args, { loaders }) =>
      loaders.nodeByGlobalId.load(toGlobalId('Resource', resourceId)) as never,
  },
};
