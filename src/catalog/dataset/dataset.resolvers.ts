import type { Resolvers } from '../../generated/graph.ts';
import { markdownToHtml } from '../../infra/markdown.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { byTextField, type DatasetTextKey } from '../../kernel/dataset-fields.ts';
import { created, once } from '../../kernel/idempotency.ts';
import { asId, toGlobalId } from '../../kernel/ids.ts';
import { loaded, localized } from '../../kernel/languages.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload, payloads } from '../../kernel/mutation.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import { isoTime } from '../../kernel/time.ts';
import { noted } from '../../kernel/usage.ts';
import {
  canCreateDatasets,
  canUpdateDataset,
  datasetDelete,
  datasetIds,
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
import { documentList, documentPage } from './read/texts.service.ts';
import { visibleDocument } from './read/visible.ts';
import { declaredFields, typeList } from './types.ts';
import { datasetCreate, datasetPatch, datasetReplace, datasetSetOwner } from './write/write.service.ts';

interface Body {
  readonly notes: string | null;
  readonly extras: readonly { readonly key: string; readonly value: string }[];
  readonly [field: string]: unknown;
}

/** A field of a declared type, or an extra. */
const ownText = (body: Body, key: string): unknown =>
  body[key] ?? body.extras.find((extra) => extra.key === key)?.value;

const notesIn = (
  { body }: { body: Body },
  { language }: { language?: string | null },
  { loaders }: { loaders: Parameters<typeof localized>[2] },
) => localized(body.notes, language, loaders, language && ownText(body, 'notes_translated'));

export const datasetResolvers: Resolvers = {
  Query: {
    dataset: (_root, { id, name, databaseId, asOf, revision }, { call }) => {
      const read = (isName: boolean) => (idOrName: string) => datasetAt(call, { idOrName, isName, asOf, revision });
      return noted(call, 'dataset', lookUp({ id, name, databaseId }, read(false), read(true)));
    },
    datasets: (_root, args, { call, loaders }) => datasetConnection(call, loaders, everyDataset, args),
    datasetDocuments: (_root, args, { call, loaders }) => documentPage(call, loaders, args),
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
    title: ({ body }, { language }, { loaders }) =>
      localized(body.title, language, loaders, language && ownText(body, 'title_translated')),
    ...byTextField((key) => (dataset: { body: Record<DatasetTextKey, string | null> }) => dataset.body[key]),
    notes: notesIn,
    notesHtml: (dataset, args, context) =>
      loaded(notesIn(dataset, args, context), (notes) => markdownToHtml(notes ?? '')),
    pageUrl: (dataset, _args, { call }) => `${call.settings['catalog.site_url']}/dataset/${dataset.name}`,
    licenseTitle: (dataset) => dataset.body.license_title,
    licenseUrl: (dataset) => dataset.body.license_url ?? null,
    isOpen: (dataset) => dataset.body.isopen,
    viewerCanUpdate: (dataset, _args, { call }) => canUpdateDataset(call, dataset),
    organization: ({ ownerOrganizationId }, _args, { loaders }) =>
      ownerOrganizationId === null ? null : loaders.organizationById.load(ownerOrganizationId),
    creator: ({ creatorId }, _args, { loaders }) => (creatorId === null ? null : loaders.userById.load(creatorId)),
    createdAt: (dataset) => isoTime(dataset.body.metadata_created),
    modifiedAt: (dataset) => isoTime(dataset.body.metadata_modified),
    revision: (dataset, _args, { loaders }) => loaders.revisionById.load(dataset.body.revision_id),
    resourceCount: (dataset) => dataset.body.num_resources,
    document: (dataset, _args, context) =>
      dataset.linked ? visibleDocument(context.loaders, dataset) : dataset.document,
    fields: (dataset, _args, { call }) => declaredFields(call.settings, dataset.body),
  },
  Site: {
    datasetTypes: (_site, _args, { call }) => typeList(call.settings),
    viewerCanCreateDatasets: (_site, _args, { call }) => canCreateDatasets(call),
  },
  EmbeddedTag: {
    databaseId: (tag) => tag.id,
    displayName: (tag, { language }, { loaders }) => localized(tag.display_name, language, loaders),
    vocabularyId: (tag) => tag.vocabulary_id,
    tag: (tag, _args, { loaders }) => loaders.tagById.load(tag.id),
  },
  EmbeddedGroup: {
    databaseId: (group) => group.id,
    displayName: (group, { language }, { loaders }) => localized(group.display_name, language, loaders),
    imageUrl: (group) => group.image_display_url,
    group: (group, _args, { loaders }) => loaders.groupById.load(group.id),
  },
  EmbeddedOrganization: {
    title: (organization, { language }, { loaders }) => localized(organization.title, language, loaders),
    databaseId: (organization) => organization.id,
    imageUrl: (organization, _args, { call }) => embeddedImage(call, organization.image_url),
    createdAt: (organization) => isoTime(organization.created),
  },
  DatasetSuggestion: {
    matchField: (found) => (found.by_name ? 'name' : 'title'),
    matchDisplayed: (found) => (found.by_name ? found.name : `${found.title} (${found.name})`),
  },
  DatasetConnection: connectionResolvers,
  Group: {
    datasets: (group, args, { call, loaders }) => datasetConnection(call, loaders, datasetsOf('group', group.id), args),
    datasetDocuments: (group, _args, { call, loaders }) => documentList(call, loaders, datasetsOf('group', group.id)),
  },
  Organization: {
    datasets: (owner, args, { call, loaders }) =>
      datasetConnection(call, loaders, datasetsOfOrganization(call, owner.id), args),
    datasetDocuments: (owner, _args, { call, loaders }) =>
      documentList(call, loaders, datasetsOfOrganization(call, owner.id)),
  },
  User: {
    datasets: (user, args, { call, loaders }) => datasetConnection(call, loaders, datasetsOfUser(call, user.id), args),
  },
  Tag: {
    datasets: (tag, args, { call, loaders }) => datasetConnection(call, loaders, datasetsOf('tag', tag.id), args),
  },
};

export const datasetNodeReaders: NodeReaders = { Dataset: datasetsByIds };
