import type { Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { localized } from '../../kernel/languages.ts';
import { noteUse, searchUse } from '../../kernel/usage.ts';
import { searchConnection } from './connection.service.ts';
import { formatSuggestions } from './formats.service.ts';
import { datasetSearch } from './search.service.ts';

export const searchResolvers: Resolvers = {
  Query: {
    formatSuggestions: (_root, args, { call }) => formatSuggestions(call, args),
    datasetSearch: (_root, { input }, { call }) => datasetSearch(call, input),
    async search(_root, args, { call }) {
      const found = await searchConnection(call, args);
      if (!args.query?.trim()) return found;
      const isWhole = !args.after && !args.before && !args.filters?.length && !args.where;
      noteUse(call, searchUse(args.query, (await found.page()).nodes.length, !isWhole));
      return found;
    },
  },
  DatasetSearchConnection: {
    ...connectionResolvers,
    nodes: async (found) => (await found.page()).nodes,
    edges: async (found) => (await found.page()).edges,
    pageInfo: async (found) => (await found.page()).pageInfo,
    facets: (found, args) => found.facets(args),
    dateHistogram: (found, args) => found.dateHistogram(args),
  },
  SearchFacet: { values: (facet, args) => facet.values(args) },
  SearchFacetValue: {
    displayName: ({ displayName }, { language }, { loaders }) => localized(displayName, language, loaders),
  },
  SearchFacetValueConnection: connectionResolvers,
  DateHistogramConnection: connectionResolvers,
  DatasetSearchMatch: { highlights: (match) => match.highlights() },
  DatasetSearchEdge: { highlights: (edge) => edge.highlights() },
};
