import type { Resolvers } from '../generated/graph.ts';
import { checksOf, datasetQuality } from './quality.service.ts';
import { qualityOrganizations, qualitySummary, statisticsQuality } from './summary.service.ts';

export const qualityResolvers: Resolvers = {
  Statistics: {
    quality: (_statistics, { organization }, { call, loaders }) => statisticsQuality(call, loaders, organization),
    qualityOrganizations: (_statistics, { first, best }, { call }) => qualityOrganizations(call, { first, best }),
  },
  Dataset: { quality: (dataset, _args, { loaders }) => datasetQuality(loaders, dataset.id) },
  Organization: { quality: (organization, _args, { call, loaders }) => qualitySummary(call, loaders, organization.id) },
  QualityDimension: { checks: (dimension, { states }) => checksOf(dimension, states) },
  QualitySummary: {
    timeline: (of, args) => of.timeline(args),
  },
  QualityOrganization: {
    organization: ({ organizationId }, _args, { loaders }) => loaders.organizationById.load(organizationId),
  },
};
