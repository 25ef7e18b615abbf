import type { ActivityType, Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { created } from '../../kernel/idempotency.ts';
import { toGlobalId } from '../../kernel/ids.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import {
  activityConnection,
  activityCreate,
  activityDetails,
  activityList,
  activityNodes,
  detailsOfActivity,
  fieldsOfActivity,
  objectOfActivity,
  objectTypename,
  typeOf,
} from './activity.service.ts';

type Kind = Parameters<typeof activityConnection>[2]['kind'];
const stream = (kind: Kind, { id }: { id: string }) => ({ kind, id });

export const activityResolvers: Resolvers = {
  Query: {
    activities: (_root, args, { call, loaders }) => activityConnection(call, loaders, { kind: 'ALL', id: '' }, args),
    activityList: (_root, args, { call }) => activityList(call, args),
    activityDetails: (_root, { id }, { call }) => activityDetails(call, id),
  },
  Mutation: {
    createActivity: created('createActivity', 'activity', activityCreate, activityNodes),
  },
  Activity: {
    id: (activity) => toGlobalId('Activity', activity.id),
    databaseId: (activity) => activity.id,
    type: (activity) => typeOf(activity) as ActivityType,
    actor: (activity, _args, { loaders }) =>
      activity.actorId === null ? null : loaders.userById.load(activity.actorId),
    objectName: ({ detail, objectId }) => detail.name ?? objectId,
    objectTitle: ({ detail, objectId }) => detail.title || detail.name || objectId,
    object: (activity, _args, { loaders }) => objectOfActivity(loaders, activity),
    fields: (activity, _args, { loaders }) => fieldsOfActivity(loaders, activity),
    data: ({ detail }) => detail.noted?.data ?? null,
    details: (activity, _args, { loaders }) => detailsOfActivity(loaders, activity),
  },
  ActivityObject: { __resolveType: objectTypename },
  ActivityConnection: connectionResolvers,
  User: {
    activities: (user, args, { call, loaders }) => activityConnection(call, loaders, stream('USER', user), args),
  },
  Dataset: {
    activities: (dataset, args, { call, loaders }) =>
      activityConnection(call, loaders, stream('DATASET', dataset), args),
  },
  Group: {
    activities: (group, args, { call, loaders }) => activityConnection(call, loaders, stream('GROUP', group), args),
  },
  Organization: {
    activities: (owner, args, { call, loaders }) =>
      activityConnection(call, loaders, stream('ORGANIZATION', owner), args),
  },
};

export const activityNodeReaders: NodeReaders = { Activity: activityNodes };
