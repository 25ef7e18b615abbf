import type { Resolvers, UpdateHarvestSourceInput } from '../generated/graph.ts';
import { connectionResolvers } from '../kernel/connection.ts';
import { created } from '../kernel/idempotency.ts';
import { asId, toGlobalId } from '../kernel/ids.ts';
import { lookUp } from '../kernel/look-up.ts';
import { payload } from '../kernel/mutation.ts';
import type { NodeReaders } from '../kernel/node.ts';
import {
  harvestSourceCreate,
  harvestSourceDelete,
  harvestSourcePatch,
  harvestStart,
  remarksOf,
  runsOf,
} from './harvest.service.ts';
import { goneAtMost, perSecond, sourceConnection, sourceNodes, sourceShow } from './source/source.service.ts';

export const harvestResolvers: Resolvers = {
  Query: {
    harvestSources: (_root, args, { call }) => sourceConnection(call, args),
    harvestSource: (_root, { id, name, url, databaseId }, { call }) =>
      lookUp({ id, name, url, databaseId }, (by) => sourceShow(call, by)),
  },
  Mutation: {
    createHarvestSource: created('createHarvestSource', 'source', harvestSourceCreate, sourceNodes),
    updateHarvestSource: payload('source', (call, { input }: { input: UpdateHarvestSourceInput }) =>
      harvestSourcePatch(call, input),
    ),
    deleteHarvestSource: payload('deletedId', (call, { input }) =>
      asId('HarvestSource', harvestSourceDelete(call, input)),
    ),
    startHarvest: payload('source', (call, { input }) => harvestStart(call, input)),
  },
  Dataset: { harvestedFrom: (dataset, _args, { loaders }) => loaders.originByDataset.load(dataset.id) },
  HarvestOrigin: {
    sourceTitle: ({ source }) => source.title,
    isThere: ({ state }) => state !== 'gone',
    source: ({ sourceId }, _args, { loaders }) => loaders.managedSource.load(sourceId),
  },
  HarvestSource: {
    id: ({ id }) => toGlobalId('HarvestSource', id),
    databaseId: ({ id }) => id,
    kind: ({ kind }) => (kind === 'ckan' ? 'CKAN' : 'DCAT'),
    organizationName: ({ organization }) => organization?.name ?? null,
    userName: ({ user }) => user?.name ?? null,
    perSecond,
    goneAtMost,
    adopt: ({ settings }) => settings.adopt ?? false,
    hasApiKey: ({ apiKey }) => apiKey !== null,
    runs: (source, args, { call, loaders }) => runsOf(call, loaders, source, args),
  },
  HarvestRun: {
    databaseId: ({ id }) => id,
    state: ({ state }) => state.toUpperCase() as 'DONE',
    remarks: (run, args, { call, loaders }) => remarksOf(call, loaders, run, args),
  },
  HarvestSourceConnection: connectionResolvers,
  HarvestRunConnection: connectionResolvers,
  HarvestRemarkConnection: connectionResolvers,
};

export const harvestNodeReaders: NodeReaders = { HarvestSource: sourceNodes };
