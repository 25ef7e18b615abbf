import type { LinkVerdict, Resolvers } from '../generated/graph.ts';
import { statistics } from './statistics.service.ts';
import { timeline } from './timeline.service.ts';

export const statisticsResolvers: Resolvers = {
  Query: {
    statistics: (_root, _args, { call }) => statistics(call),
    timeline: (_root, args, { call }) => timeline(call, args),
  },
  Statistics: {
    rows: (of) => of.rows(),
    users: (of) => of.users(),
    edits: (of) => of.edits(),
    groups: (of, args) => of.groups(args),
    links: (of, args) => of.links(args),
    linkOrganizations: (of, args) => of.linkOrganizations(args),
  },
  StateStatistics: { state: ({ name }) => name },
  LinkStatistics: { verdict: ({ name }) => name.toUpperCase() as LinkVerdict },
  TimelineSeries: {
    user: ({ dimension, key }, _args, { loaders }) => (dimension === 'USER' ? loaders.userById.load(key) : null),
    organization: ({ dimension, key }, _args, { loaders }) =>
      dimension === 'ORGANIZATION' ? loaders.organizationById.load(key) : null,
  },
};
