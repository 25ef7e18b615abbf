import type { Resolvers } from '../../../generated/graph.ts';
import { payload } from '../../../kernel/mutation.ts';
import { datasetsChange } from './bulk.service.ts';

export const bulkResolvers: Resolvers = {
  Mutation: {
    changeDatasets: payload('changedIds', (call, { input }) => datasetsChange(call, input)),
  },
};
