import {
  ActionDatasetCreateDocument,
  ActionDatasetDeleteDocument,
  ActionDatasetListDocument,
  ActionDatasetNamesDocument,
  ActionDatasetPatchDocument,
  ActionDatasetPurgeDocument,
  ActionDatasetReplaceDocument,
  ActionDatasetSetOwnerDocument,
  ActionDatasetShowDocument,
  ActionDatasetSuggestionsDocument,
  ActionDatasetTrackingDocument,
} from '../../../src/generated/operations.ts';
import { datasetFields, tagStringProblems } from '../../../src/records/form/dataset.ts';
import { action, renamed } from '../define.ts';
import { deprecated, flag, int, neededText, present, required, text } from '../params.ts';
import { listOf, NULL, object, oneOf, ref, TEXT } from '../schema.ts';
import { datasetParams } from './params.ts';
import { datasetWithTracking, TRACKING } from './tracking.ts';

const id = text('Id or name of the dataset.');
const requiredId = required(id);

export const datasetActions = {
  package_list: action({
    kind: 'read',
    summary: 'Lists the names of active public datasets, and of other readable datasets if requested.',
    returns: 'List of names, ascending.',
    answers: listOf(TEXT),
    document: ActionDatasetNamesDocument,
    params: {
      limit: int('Maximum number of results. Default: all.'),
      offset: int('Number of results to skip. Used with `limit`.'),
      include_private: flag('Also list private datasets that the caller may read.'),
      include_drafts: flag('Also list drafts that the caller may read.'),
      include_deleted: flag('Also list deleted datasets that the caller may read.'),
    },
    variables: (p) => ({
      limit: p.limit,
      offset: p.offset,
      includePrivate: p.include_private,
      includeDrafts: p.include_drafts,
      includeDeleted: p.include_deleted,
    }),
    result: ({ datasetNames }) => datasetNames,
  }),
  current_package_list_with_resources: action({
    kind: 'read',
    summary: 'Lists the active public datasets with their resources.',
    returns: 'List of dataset dictionaries, most recently modified first.',
    answers: listOf(ref('Dataset')),
    document: ActionDatasetListDocument,
    isCached: true,
    params: {
      limit: int('Maximum number of results. Default: catalog.limits.rows.'),
      offset: int('Number of results to skip.'),
      page: deprecated(int('Number of the page of `limit` datasets, from 1. Use `offset` instead.', 1)),
    },
    variables: (p) => ({ limit: p.limit, offset: p.offset ?? (p.page ? (p.page - 1) * (p.limit ?? 0) : 0) }),
    result: ({ datasetDocuments }) => datasetDocuments,
  }),
  package_show: action({
    kind: 'read',
    summary: 'Shows a dataset with its resources.',
    differs: 'The `size` of a resource is a number, as the contract says. CKAN returns a string.',
    returns: 'Dataset dictionary.',
    answers: ref('Dataset'),
    document: ActionDatasetShowDocument,
    trackingDocument: ActionDatasetTrackingDocument,
    params: {
      id,
      name_or_id: text('Same as `id`.'),
      use_default_schema: flag('Has no effect. Every dataset is shown by the default schema and its declared type.'),
      include_tracking: flag(TRACKING),
    },
    anyOf: [['id'], ['name_or_id']],
    variables: (p) => ({ id: requiredId.read(p.id || p.name_or_id, 'name_or_id') }),
    result: ({ dataset }, p) => (p.include_tracking ? datasetWithTracking(dataset) : dataset.document),
    use: ({ dataset }) => ({ kind: 'read', of: 'dataset', id: dataset.databaseId }),
    version: ({ dataset }) => dataset?.version,
  }),
  package_autocomplete: action({
    kind: 'read',
    summary:
      'Suggests datasets whose name or title begins with a text. With catalog.action_api.autocomplete=anywhere, the text may be anywhere in them.',
    returns: 'List of dictionaries with name, title, match_field (name or title) and match_displayed, sorted by name.',
    answers: listOf(object({ name: TEXT, title: TEXT, match_field: oneOf('name', 'title'), match_displayed: TEXT })),
    document: ActionDatasetSuggestionsDocument,
    params: {
      q: present(text('Beginning or part of a name or title, ignoring case.')),
      limit: int('Maximum number of results. Default: 10.'),
    },
    variables: (p) => ({ text: p.q, limit: p.limit }),
    problems: renamed({ text: 'q' }),
    result: ({ datasetSuggestions }) => datasetSuggestions,
  }),
  package_create: action({
    kind: 'write',
    summary: 'Creates a dataset.',
    differs:
      'The `size` of a resource is a number, and unknown keys of a resource keep their JSON values. CKAN converts both to strings. A failed create stores nothing.',
    returns: 'The new dataset dictionary.',
    answers: ref('Dataset'),
    document: ActionDatasetCreateDocument,
    params: {
      ...datasetParams,
      name: neededText(datasetParams.name.about),
      id: text('Id of the new dataset. System administrators only. Default: a new UUID.'),
    },
    variables: (p, raw) => ({ input: { ...datasetFields(raw), name: p.name, databaseId: p.id || undefined } }),
    result: ({ createDataset }) => createDataset.dataset!.document,
    problems: tagStringProblems,
    version: ({ createDataset }) => createDataset.dataset?.version,
  }),
  package_update: action({
    kind: 'write',
    summary: 'Replaces a dataset. Omitted text fields keep their value. Omitted lists become empty.',
    differs:
      'The `size` of a resource is a number, and unknown keys of a resource keep their JSON values. CKAN converts both to strings.',
    returns: 'The updated dataset dictionary.',
    answers: ref('Dataset'),
    document: ActionDatasetReplaceDocument,
    params: { ...datasetParams, id: text('Id or name of the dataset. Default: the value of `name`.') },
    anyOf: [['id'], ['name']],
    variables: (p, raw, expectedVersion) => ({
      input: { ...datasetFields(raw), dataset: requiredId.read(p.id || p.name, 'id'), expectedVersion },
    }),
    result: ({ replaceDataset }) => replaceDataset.dataset!.document,
    problems: tagStringProblems,
    version: ({ replaceDataset }) => replaceDataset.dataset?.version,
  }),
  package_patch: action({
    kind: 'write',
    summary: 'Changes the given fields of a dataset.',
    differs: 'A private dataset must keep an owner. CKAN lets a patch remove it, then refuses every further change.',
    returns: 'The updated dataset dictionary.',
    answers: ref('Dataset'),
    document: ActionDatasetPatchDocument,
    params: { ...datasetParams, id: requiredId },
    variables: (p, raw, expectedVersion) => ({ input: { ...datasetFields(raw), dataset: p.id, expectedVersion } }),
    result: ({ updateDataset }) => updateDataset.dataset!.document,
    problems: tagStringProblems,
    version: ({ updateDataset }) => updateDataset.dataset?.version,
  }),
  package_delete: action({
    kind: 'write',
    summary: 'Marks a dataset as deleted. Its name remains reserved.',
    returns: 'Null.',
    answers: NULL,
    document: ActionDatasetDeleteDocument,
    params: { id: present(id) },
    variables: (p, _raw, expectedVersion) => ({ input: { dataset: p.id, expectedVersion } }),
    result: () => null,
  }),
  dataset_purge: action({
    kind: 'write',
    summary: 'Removes a dataset permanently, with its resources and history. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionDatasetPurgeDocument,
    params: { id: present(id) },
    variables: (p) => ({ input: { dataset: p.id } }),
    result: () => null,
  }),
  package_owner_org_update: action({
    kind: 'write',
    summary: 'Moves a dataset to another organization, or to none. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionDatasetSetOwnerDocument,
    params: {
      id: neededText('Id or name of the dataset.'),
      organization_id: text('Id or name of the organization. Default: none.'),
    },
    variables: (p) => ({ input: { dataset: p.id, ownerOrganization: p.organization_id || null } }),
    problems: renamed({ ownerOrganization: 'organization_id' }),
    result: () => null,
  }),
};
