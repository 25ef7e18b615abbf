import type { PatchHarvestSourceInput, Resolvers } from '../generated/graph.ts';
import { connectionResolvers } from '../kernel/connection.ts';
import { created } from '../kernel/idempotency.ts';
import { toGlobalId } from '../kernel/ids.ts';
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
    harvestSource: (_root, { idOrName }, { call }) => sourceShow(call, idOrName),
  },
  Mutation: {
    createHarvestSource: created('createHarvestSource', 'source', harvestSourceCreate, sourceNodes),
    patchHarvestSource: payload('source', (call, { input }: { input: PatchHarvestSourceInput }) =>
      harvestSourcePatch(call, input),
    ),
    deleteHarvestSource: payload('deletedId', (call, { input }) => harvestSourceDelete(call, input)),
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
