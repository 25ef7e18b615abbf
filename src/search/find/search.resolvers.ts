import type { Resolvers } from '../../generated/graph.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { localized } from '../../kernel/languages.ts';
import { searchConnection } from './connection.service.ts';
import { formatSuggestions } from './formats.service.ts';
import { datasetSearch } from './search.service.ts';

export const searchResolvers: Resolvers = {
  Query: {
    formatSuggestions: (_root, args, { call }) => formatSuggestions(call, args),
    datasetSearch: (_root, { input }, { call }) => datasetSearch(call, input),
    search: (_root, args, { call }) => searchConnection(call, args),
  },
  DatasetSearchConnection: {
    ...connectionResolvers,
    facets: (page, args) => page.facets(args),
    dateHistogram: (page, args) => page.dateHistogram(args),
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
