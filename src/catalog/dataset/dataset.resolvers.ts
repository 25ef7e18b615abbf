import type { Resolvers } from '../../generated/graph.ts';
import { markdownToHtml } from '../../infra/markdown.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { byTextField, type DatasetTextKey } from '../../kernel/dataset-fields.ts';
import { created, once } from '../../kernel/idempotency.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload, payloads } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import { instant } from '../../kernel/time.ts';
import {
  canCreateDatasets,
  canUpdateDataset,
  datasetDelete,
  datasetIds,
  datasetList,
  datasetNames,
  datasetPurge,
  datasetSuggestions,
  datasetsByIds,
  embeddedImage,
} from './dataset.service.ts';
import { datasetAt } from './history/history.service.ts';
import {
  datasetConnection,
  datasetsOf,
  datasetsOfOrganization,
  datasetsOfUser,
  everyDataset,
} from './read/lists.service.ts';
import { datasetStamps } from './read/stamps.service.ts';
import { visibleDocument } from './read/visible.ts';
import { declaredFields } from './types.ts';
import { datasetCreate, datasetPatch, datasetReplace, datasetSetOwner } from './write/write.service.ts';

export const datasetResolvers: Resolvers = {
  Query: {
    dataset: (_root, { id, name, databaseId, ...at }, { call }) =>
      lookUp({ id, name, databaseId }, (idOrName) => datasetAt(call, { idOrName, ...at })),
    datasets: (_root, args, { call, loaders }) => datasetConnection(call, loaders, everyDataset, args),
    datasetList: (_root, args, { call }) => datasetList(call, args),
    datasetIds: (_root, _args, { call }) => datasetIds(call),
    datasetNames: (_root, args, { call }) => datasetNames(call, args),
    datasetSuggestions: (_root, args, { call }) => datasetSuggestions(call, args),
    datasetStamps: (_root, args, { call }) => datasetStamps(call, args),
  },
  Mutation: {
    createDataset: created('createDataset', 'dataset', datasetCreate, datasetsByIds),
    createDatasets: payloads('dataset', once('createDataset', datasetCreate, datasetsByIds)),
    replaceDatasets: payloads('dataset', datasetReplace),
    updateDatasets: payloads('dataset', datasetPatch),
    deleteDatasets: payloads('dataset', datasetDelete),
    replaceDataset: payload('dataset', (call, { input }) => datasetReplace(call, input)),
    updateDataset: payload('dataset', (call, { input }) => datasetPatch(call, input)),
    deleteDataset: payload('dataset', (call, { input }) => datasetDelete(call, input)),
    purgeDataset: payload('purgedId', (call, { input }) => asId('Dataset', datasetPurge(call, input))),
    setDatasetOwner: payload('dataset', (call, { input }) => datasetSetOwner(call, input)),
  },
  Dataset: {
    id: (dataset) => toGlobalId('Dataset', dataset.id),
    databaseId: (dataset) => dataset.id,
    title: (dataset) => dataset.body.title,
    ...byTextField((key) => (dataset: { body: Record<DatasetTextKey, string | null> }) => dataset.body[key]),
    notesHtml: (dataset) => markdownToHtml(dataset.body.notes ?? ''),
    pageUrl: (dataset, _args, { call }) => `${call.settings['catalog.site_url']}/dataset/${dataset.name}`,
    licenseTitle: (dataset) => dataset.body.license_title,
    licenseUrl: (dataset) => dataset.body.license_url ?? null,
    isOpen: (dataset) => dataset.body.isopen,
    viewerCanUpdate: (dataset, _args, { call }) => canUpdateDataset(call, dataset),
    type: (dataset) => dataset.body.type,
    embeddedOrganization: (dataset) => dataset.body.organization,
    organization: ({ ownerOrganizationId }, _args, { loaders }) =>
      ownerOrganizationId === null ? null : loaders.organizationById.load(ownerOrganizationId),
    creator: ({ creatorId }, _args, { loaders }) => (creatorId === null ? null : loaders.userById.load(creatorId)),
    createdAt: (dataset) => instant(dataset.body.metadata_created),
    modifiedAt: (dataset) => instant(dataset.body.metadata_modified),
    revisionId: (dataset) => dataset.body.revision_id,
    revision: (dataset, _args, { loaders }) => loaders.revisionById.load(dataset.body.revision_id),
    resources: (dataset) => dataset.body.resources,
    resourceCount: (dataset) => dataset.body.num_resources,
    tags: (dataset) => dataset.body.tags,
    extras: (dataset) => dataset.body.extras,
    groups: (dataset) => dataset.body.groups,
    document: (dataset, _args, { loaders }) => (dataset.linked ? visibleDocument(loaders, dataset) : dataset.document),
    fields: (dataset, _args, { call }) => declaredFields(call.settings, dataset.body),
  },
  Site: { viewerCanCreateDatasets: (_site, _args, { call }) => canCreateDatasets(call) },
  EmbeddedTag: {
    databaseId: (tag) => tag.id,
    displayName: (tag) => tag.display_name,
    vocabularyId: (tag) => tag.vocabulary_id,
    tag: (tag, _args, { loaders }) => loaders.tagById.load(tag.id),
  },
  EmbeddedGroup: {
    databaseId: (group) => group.id,
    displayName: (group) => group.display_name,
    imageUrl: (group) => group.image_display_url,
    group: (group, _args, { loaders }) => loaders.groupById.load(group.id),
  },
  EmbeddedOrganization: {
    databaseId: (organization) => organization.id,
    imageUrl: (organization, _args, { call }) => embeddedImage(call, organization.image_url),
    createdAt: (organization) => instant(organization.created),
  },
  DatasetSuggestion: {
    matchField: (found) => (found.by_name ? 'name' : 'title'),
    matchDisplayed: (found) => (found.by_name ? found.name : `${found.title} (${found.name})`),
  },
  DatasetConnection: connectionResolvers,
  Group: {
    datasets: (group, args, { call, loaders }) => datasetConnection(call, loaders, datasetsOf('group', group.id), args),
  },
  Organization: {
    datasets: (owner, args, { call, loaders }) =>
      datasetConnection(call, loaders, datasetsOfOrganization(call, owner.id), args),
  },
  User: {
    datasets: (user, args, { call, loaders }) => datasetConnection(call, loaders, datasetsOfUser(call, user.id), args),
  },
  Tag: {
    datasets: (tag, args, { call, loaders }) => datasetConnection(call, loaders, datasetsOf('tag', tag.id), args),
  },
};

export const datasetNodeReaders: NodeReaders = { Dataset: datasetsByIds };
