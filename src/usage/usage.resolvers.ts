import type { Resolvers } from '../generated/graph.ts';
import { catalogUsage, emptySearches, summaryOf, usageOf, usageTop } from './usage.service.ts';

export const usageResolvers: Resolvers = {
  Site: {
    usage: (_site, args, { call, loaders }) => catalogUsage(call, loaders, args),
    usageTop: (_site, args, { call, loaders }) => usageTop(call, loaders, args),
    emptySearches: (_site, args, { call }) => emptySearches(call, args),
  },
  Dataset: {
    usage: ({ id }, args, { call, loaders }) => usageOf(call, loaders, { of: 'datasets', id }, args),
    usageSummary: ({ id }, _args, { loaders }) => summaryOf(loaders, { of: 'datasets', id }),
  },
  Resource: {
    usage: ({ id }, args, { call, loaders }) => usageOf(call, loaders, { of: 'resources', id }, args),
    usageSummary: ({ id }, _args, { loaders }) => summaryOf(loaders, { of: 'resources', id }),
  },
  Organization: {
    usage: ({ id }, args, { call, loaders }) => usageOf(call, loaders, { of: 'organizations', id }, args),
  },
  Usage: {
    views: (of) => of.series('view'),
    downloads: (of) => of.series('download'),
    reads: (of) => of.series('read'),
  },
  CatalogUsage: {
    views: (of) => of.series('view'),
    downloads: (of) => of.series('download'),
    reads: (of) => of.series('read'),
    searches: (of) => of.series('search'),
    emptySearches: (of) => of.series('emptySearch'),
  },
  UsageSummary: {
    views: (of) => of.figures('view'),
    downloads: (of) => of.figures('download'),
    reads: (of) => of.figures('read'),
  },
};
