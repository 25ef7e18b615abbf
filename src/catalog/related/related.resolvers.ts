import type { DeleteRelatedItemInput, Resolvers, UpdateRelatedItemInput } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { created } from '../../kernel/idempotency.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import {
  canDeleteRelated,
  canUpdateRelated,
  relatedConnection,
  relatedCreate,
  relatedDelete,
  relatedList,
  relatedNodes,
  relatedOfDataset,
  relatedPatch,
  relatedShow,
} from './related.service.ts';

export const relatedResolvers: Resolvers = {
  Query: {
    relatedItems: (_root, args, { call }) => relatedConnection(call, args),
    relatedItemList: (_root, args, { call }) => relatedList(call, args),
    relatedItem: (_root, { id, databaseId }, { call }) => lookUp({ id, databaseId }, (by) => relatedShow(call, by)),
  },
  Mutation: {
    createRelatedItem: created('createRelatedItem', 'relatedItem', relatedCreate, relatedNodes),
    updateRelatedItem: payload('relatedItem', (call, { input }: { input: UpdateRelatedItemInput }) =>
      relatedPatch(call, input),
    ),
    deleteRelatedItem: payload('deletedId', (call, { input }: { input: DeleteRelatedItemInput }) =>
      asId('RelatedItem', relatedDelete(call, input)),
    ),
  },
  RelatedItem: {
    id: (item) => toGlobalId('RelatedItem', item.id),
    databaseId: (item) => item.id,
    owner: (item, _args, { loaders }) => (item.ownerId === null ? null : loaders.userById.load(item.ownerId)),
    dataset: (item, _args, { loaders }) => (item.datasetId === null ? null : loaders.datasetById.load(item.datasetId)),
    viewerCanUpdate: (item, _args, { call }) => canUpdateRelated(call, item),
    viewerCanDelete: async (item, _args, { call, loaders }) =>
      canDeleteRelated(call, item, item.datasetId === null ? null : await loaders.datasetById.load(item.datasetId)),
  },
  RelatedItemConnection: connectionResolvers,
  Dataset: {
    relatedItems: (dataset, args, { call, loaders }) => relatedOfDataset(call, loaders, dataset.id, args),
  },
};

export const relatedNodeReaders: NodeReaders = { RelatedItem: relatedNodes };
