/** Searches for datasets, resources and revisions. */
import {
  LegacyDatasetSearchDocument,
  LegacyResourceSearchDocument,
  LegacyRevisionSearchDocument,
} from '../../../src/generated/operations.ts';
import { searchUse } from '../../../src/kernel/usage.ts';
import { legacyDataset } from '../../shared/legacy/dataset.ts';
import { row } from '../define.ts';
import { datasetSearch, isFull, resourceSearch, revisionSearch, searchParams } from '../search.ts';

export const searchRows = [
  row({
    method: 'QUERY',
    path: '/search/dataset',
    isSearch: true,
    document: LegacyDatasetSearchDocument,
    variables({ query, body, version }) {
      const params = searchParams(query, body);
      return { input: datasetSearch(params, version), full: isFull(params) };
    },
    use({ datasetSearch: { count } }, { query, body, version }) {
      const input = datasetSearch(searchParams(query, body), version);
      return searchUse(input.query, count, Boolean(input.filters?.length));
    },
    result: ({ datasetSearch: { count, results } }, { query, body, version }) => ({
      count,
      results: isFull(searchParams(query, body))
        ? results.map((dataset) => legacyDataset(dataset as never, version))
        : results.map(({ name }) => name),
    }),
  }),
  row({
    method: 'QUERY',
    path: '/search/resource',
    isSearch: true,
    document: LegacyResourceSearchDocument,
    variables: ({ query, body }) => ({ input: resourceSearch(searchParams(query, body)) }),
    result: ({ resourceSearch: { count, results } }, { query, body }) => ({
      count,
      results: results.map(({ id, document }) => (isFull(searchParams(query, body)) ? document : id)),
    }),
  }),
  row({
    method: 'QUERY',
    path: '/search/revision',
    document: LegacyRevisionSearchDocument,
    variables: ({ query, body }) => revisionSearch(searchParams(query, body)),
    result: ({ revisionIds }) => revisionIds,
  }),
];
