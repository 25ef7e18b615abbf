import type { Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { created, once } from '../../kernel/idempotency.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { localized } from '../../kernel/languages.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload, payloads } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import { noted } from '../../kernel/usage.ts';
import { resourceConnection, resourcesPage } from './pages.service.ts';
import { extrasOf } from './resource.extras.ts';
import {
  resourceCreate,
  resourceDelete,
  resourceNodes,
  resourcePatch,
  resourceReplace,
  resourceSearch,
  resourceShow,
  resourcesReorder,
} from './resource.service.ts';

const deletedResource = (...args: Parameters<typeof resourceDelete>) => asId('Resource', resourceDelete(...args));

export const resourceResolvers: Resolvers = {
  Query: {
    resource: (_root, { id, databaseId }, { call, loaders }) =>
      noted(
        call,
        'resource',
        lookUp({ id, databaseId }, (by) =>
          resourceShow(call, by, (dataset) => void loaders.datasetById.prime(dataset.id, dataset)),
        ),
      ),
    resources: (_root, args, { call }) => resourcesPage(call, args),
    resourceSearch: (_root, { input }, { call }) => resourceSearch(call, input),
  },
  Mutation: {
    createResource: created('createResource', 'resource', resourceCreate, resourceNodes),
    createResources: payloads('resource', once('createResource', resourceCreate, resourceNodes)),
    updateResources: payloads('resource', resourcePatch),
    deleteResources: payloads('deletedId', deletedResource),
    replaceResource: payload('resource', (call, { input }) => resourceReplace(call, input)),
    updateResource: payload('resource', (call, { input }) => resourcePatch(call, input)),
    deleteResource: payload('deletedId', (call, { input }) => deletedResource(call, input)),
    reorderResources: payload('dataset', (call, { input }) => resourcesReorder(call, input)),
  },
  Dataset: { resourceConnection: (dataset, args, { call }) => resourceConnection(call, dataset, args) },
  ResourceConnection: connectionResolvers,
  Resource: {
    id: (resource) => toGlobalId('Resource', resource.id),
    dataset: (resource, _args, { loaders }) => loaders.datasetById.load(resource.datasetId),
    name: ({ body }, { language }, { loaders }) => localized(body.name, language, loaders, body.name_translated),
    description: ({ body }, { language }, { loaders }) =>
      localized(body.description, language, loaders, body.description_translated),
    extras: ({ body }) => extrasOf(body),
    file: (resource, _args, { loaders }) => loaders.fileByResource.load(resource.id),
    document: ({ body }) => body,
  },
};

export const resourceNodeReaders: NodeReaders = { Resource: resourceNodes };
