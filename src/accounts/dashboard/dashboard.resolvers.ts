import type { Resolvers } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import {
  dashboardActivities,
  dashboardMarkSeen,
  dashboardOfCaller,
  isNew,
  newActivityCount,
} from './dashboard.service.ts';
import { digestsSend } from './digest.service.ts';

export const dashboardResolvers: Resolvers = {
  Query: { viewerDashboard: (_root, _args, { call }) => dashboardOfCaller(call) },
  Mutation: {
    markDashboardSeen: payload('dashboard', (call, { input }) => dashboardMarkSeen(call, input)),
    sendActivityDigests: payload('digests', (call, { input }) => digestsSend(call, input)),
  },
  Activity: { isNew: (activity, _args, { call, loaders }) => isNew(call, loaders, activity) },
  Dashboard: {
    newActivityCount: (dashboard, _args, { call }) => newActivityCount(call, dashboard),
    activities: (dashboard, args, { call, loaders }) => dashboardActivities(call, loaders, dashboard, args),
  },
};
