import type { RateDatasetInput, Resolvers } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import { datasetRate } from './rating.service.ts';

export const ratingResolvers: Resolvers = {
  Mutation: {
    rateDataset: payload('dataset', (call, { input }: { input: RateDatasetInput }) => datasetRate(call, input)),
  },
  Dataset: {
    ratingCount: async (dataset, _args, { loaders }) => (await loaders.ratingsByDataset.load(dataset.id)).count,
    ratingAverage: async (dataset, _args, { loaders }) => (await loaders.ratingsByDataset.load(dataset.id)).average,
    viewerRating: (dataset, _args, { loaders }) => loaders.ratingOfCaller.load(dataset.id),
  },
};
