import type { LoadResourceInput, Resolvers } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import { resourceLoad } from './load.service.ts';

export const loadResolvers: Resolvers = {
  Mutation: {
    loadResource: payload('job', (call, { input }: { input: LoadResourceInput }) => resourceLoad(call, input)),
  },
  Resource: {
    loading: (resource, _args, { loaders }) => loaders.loadingByResource.load(resource.id),
  },
};
