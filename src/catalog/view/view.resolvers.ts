import type { Resolvers } from '../../generated/graph.ts';
import { created } from '../../kernel/idempotency.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import {
  viewCreate,
  viewDelete,
  viewNodes,
  viewShow,
  viewsClear,
  viewsMakeDefault,
  viewsReorder,
  viewTypeList,
  viewTypesOf,
  viewUpdate,
} from './view.service.ts';

export const viewResolvers: Resolvers = {
  Query: {
    resourceView: (_root, { id, databaseId }, { call }) => lookUp({ id, databaseId }, (by) => viewShow(call, by)),
    resourceViewTypes: (_root, _args, { call }) => viewTypeList(call),
  },
  Mutation: {
    createResourceView: created('createResourceView', 'view', viewCreate, viewNodes),
    updateResourceView: payload('view', (call, { input }) => viewUpdate(call, input)),
    deleteResourceView: payload('deletedId', (call, { input }) => asId('ResourceView', viewDelete(call, input))),
    reorderResourceViews: payload('views', (call, { input }) => viewsReorder(call, input)),
    clearResourceViews: payload('count', (call, { input }) => viewsClear(call, input)),
    createDefaultResourceViews: payload('views', (call, { input }) => viewsMakeDefault(call, input)),
  },
  Resource: {
    views: (resource, _args, { loaders }) =>
      loaders.viewsByResource.load({ id: resource.id, datasetId: resource.datasetId }),
    viewTypes: ({ id, format, urlType, body }, _args, { call }) =>
      viewTypesOf(call, { id, format: format ?? '', inDatastore: body.datastore_active || urlType === 'datastore' }),
  },
  ResourceView: {
    id: (view) => toGlobalId('ResourceView', view.id),
    databaseId: (view) => view.id,
    dataset: (view, _args, { loaders }) => loaders.datasetById.load(view.datasetId),
    resource: async (view, _args, { loaders }) => {
      const dataset = await loaders.datasetById.load(view.datasetId);
      return dataset?.resourceById(view.resourceId) ?? null;
    },
    viewType: (view) => view.type,
  },
  ResourceViewField: {
    description: (field) => field.about,
    required: (field) => field.required ?? false,
    options: (field) => [...(field.options ?? [])],
  },
};

export const viewNodeReaders: NodeReaders = { ResourceView: viewNodes };
