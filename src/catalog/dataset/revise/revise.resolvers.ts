import type { Resolvers } from '../../../generated/graph.ts';
import { payload } from '../../../kernel/mutation.ts';
import { datasetRevise } from './revise.service.ts';

export const reviseResolvers: Resolvers = {
  Mutation: {
    reviseDataset: payload('revised', (call, { input }) => datasetRevise(call, input)),
  },
};
