import type { Resolvers } from '../../generated/graph.ts';
import { payload } from '../../kernel/mutation.ts';
import { uploadBegin } from './ticket.service.ts';

export const ticketResolvers: Resolvers = {
  Mutation: {
    beginUpload: payload('upload', (call, { input }) => uploadBegin(call, input)),
  },
};
