import type { Resolvers } from '../../generated/graph.ts';
import { datasetSearch } from './search.service.ts';

export const searchResolvers: Resolvers = {
  Query: {
    datasetSearch: (_root, { input }, { call }) => datasetSearch(call, input),
  },
};
