import type { Resolvers } from '../../../generated/graph.ts';
import { toGlobalId } from '../../../kernel/ids.ts';
import { payload } from '../../../kernel/mutation.ts';
import { datasetsChange } from './bulk.service.ts';

export const bulkResolvers: Resolvers = {
  Mutation: {
    changeDatasets: payload('changedIds', async (call, { input }) =>
      (await datasetsChange(call, input)).map((id) => toGlobalId('Dataset', id)),
    ),
  },
};
