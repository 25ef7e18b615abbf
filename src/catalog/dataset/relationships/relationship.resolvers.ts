import type { Resolvers } from '../../../generated/graph.ts';
import { created } from '../../../kernel/idempotency.ts';
import { asId, toGlobalId } from '../../../kernel/ids.ts';
import { payload } from '../../../kernel/mutation.ts';
import { visibleLinks } from '../read/visible.ts';
import { datasetLinks, linkCreate, linkDelete, linkNodes, linkUpdate } from './relationship.service.ts';

export const linkResolvers: Resolvers = {
  Query: {
    datasetRelationships: (_root, args, { call }) => datasetLinks(call, args),
  },
  Mutation: {
    createDatasetRelationship: created('createDatasetRelationship', 'relationship', linkCreate, linkNodes),
    updateDatasetRelationship: payload('relationship', (call, { input }) => linkUpdate(call, input)),
    deleteDatasetRelationship: payload('deletedId', (call, { input }) =>
      asId('DatasetRelationship', linkDelete(call, input)),
    ),
  },
  Dataset: {
    relationships: (dataset, _args, { loaders }) => visibleLinks(loaders, dataset),
  },
  DatasetRelationship: {
    id: (link) => toGlobalId('DatasetRelationship', link.id),
    databaseId: (link) => link.id,
    subject: (link, _args, { loaders }) => loaders.datasetById.load(link.subjectId),
    object: (link, _args, { loaders }) => loaders.datasetById.load(link.objectId),
  },
};
