import type { Resolvers } from '../../../generated/graph.ts';
import { payload } from '../../../kernel/mutation.ts';
import { visibleLinks } from '../read/visible.ts';
import { datasetLinks, linkCreate, linkDelete, linkUpdate } from './link.service.ts';

export const linkResolvers: Resolvers = {
  Query: {
    datasetRelationships: (_root, args, { call }) => datasetLinks(call, args),
  },
  Mutation: {
    createDatasetRelationship: payload('relationship', (call, { input }) => linkCreate(call, input)),
    updateDatasetRelationship: payload('relationship', (call, { input }) => linkUpdate(call, input)),
    deleteDatasetRelationship: payload('deletedId', (call, { input }) => linkDelete(call, input)),
  },
  Dataset: {
    relationships: (dataset, _args, { loaders }) => visibleLinks(loaders, dataset),
  },
  DatasetRelationship: {
    databaseId: (link) => link.id,
    subject: (link, _args, { loaders }) => loaders.datasetById.load(link.subjectId),
    object: (link, _args, { loaders }) => loaders.datasetById.load(link.objectId),
  },
};
