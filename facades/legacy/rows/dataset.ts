import {
  LegacyDatasetCreateDocument,
  LegacyDatasetDeleteDocument,
  LegacyDatasetIdsDocument,
  LegacyDatasetRevisionsDocument,
  LegacyDatasetShowDocument,
  LegacyDatasetUpdateDocument,
} from '../../../src/generated/operations.ts';
import { datasetChanges, legacyDataset, newDataset } from '../../shared/legacy/dataset.ts';
import { revisionDict } from '../../shared/wire/revision.ts';
import { row } from '../define.ts';

export const datasetRows = [
  row({
    method: 'GET',
    path: '/rest/dataset',
    document: LegacyDatasetIdsDocument,
    variables: ({ version }) => ({ ids: version === 2, names: version === 1 }),
    result: ({ datasetIds, datasetNames }) => datasetIds ?? datasetNames,
  }),
  row({
    method: 'POST',
    path: '/rest/dataset',
    document: LegacyDatasetCreateDocument,
    variables: ({ body, version }) => ({ input: newDataset(body, version) }),
    result: ({ createDataset }, { version }) => legacyDataset(createDataset.dataset!, version),
    created: ({ createDataset }) => `/rest/dataset/${encodeURIComponent(createDataset.dataset!.databaseId)}`,
    version: ({ createDataset }) => createDataset.dataset?.version,
  }),
  row({
    method: 'GET',
    path: '/rest/dataset/:id',
    document: LegacyDatasetShowDocument,
    variables: ({ path }) => ({ id: path.id! }),
    result: ({ dataset }, { version }) => legacyDataset(dataset, version),
    use: ({ dataset }) => ({ kind: 'read', of: 'dataset', id: dataset.databaseId }),
    version: ({ dataset }) => dataset?.version,
  }),
  row({
    method: 'PUT',
    path: '/rest/dataset/:id',
    document: LegacyDatasetUpdateDocument,
    looksAtVersion: true,
    variables: ({ path, body, version, expectedVersion }) => ({
      input: { ...datasetChanges(body, version), dataset: path.id!, expectedVersion },
    }),
    refusedUnder: ({ body: { id } }) => (typeof id === 'string' ? { id } : undefined), // by the contract, under `id`
    result: ({ updateDataset }, { version }) => legacyDataset(updateDataset.dataset!, version),
    version: ({ updateDataset }) => updateDataset.dataset?.version,
  }),
  row({
    method: 'DELETE',
    path: '/rest/dataset/:id',
    document: LegacyDatasetDeleteDocument,
    looksAtVersion: true,
    variables: ({ path, expectedVersion }) => ({ input: { dataset: path.id!, expectedVersion } }),
    result: () => undefined,
  }),
  row({
    method: 'GET',
    path: '/rest/dataset/:id/revisions',
    document: LegacyDatasetRevisionsDocument,
    variables: ({ path }) => ({ id: path.id! }),
    result: ({ datasetRevisions }) => datasetRevisions.map(revisionDict),
  }),
];
