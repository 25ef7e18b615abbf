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
} from '../../../src/generated/operations.ts';
import { datasetFields, tagStringProblems } from '../../../src/records/form/dataset.ts';
import { action } from '../define.ts';
import { deprecated, flag, int, neededText, present, required, text } from '../params.ts';
import { listOf, NULL, object, oneOf, ref, TEXT } from '../schema.ts';
import { datasetParams } from './params.ts';
import { TRACKING, withTracking } from './tracking.ts';

const id = text('Id or name of the dataset.');

export const datasetActions = {
  package_list: action({
    kind: 'read',
    summary: 'Lists the names of active public datasets, and of other readable datasets if requested.',
    returns: 'List of names, ascending.',
    answers: listOf(TEXT),
    document: ActionDatasetNamesDocument,
    params: {
      limit: int('At most this many; all when left out.'),
      offset: int('How many to leave out at the start; used with limit.'),
      include_private: flag('Active private datasets too, as far as the caller may read them.'),
      include_drafts: flag('Drafts too, as far as the caller may read them.'),
      include_deleted: flag('Deleted datasets too, as far as the caller may read them.'),
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
    params: {
      limit: int('At most this many; catalog.limits.rows when left out.'),
      offset: int('How many to leave out at the start.'),
      page: deprecated(int('Page of `limit` datasets, from 1; use offset.', 1)),
    },
    variables: (p) => ({ limit: p.limit, offset: p.offset ?? (p.page ? (p.page - 1) * (p.limit ?? 0) : 0) }),
    result: ({ datasetList }) => datasetList.map((dataset) => dataset.document),
  }),
  package_show: action({
    kind: 'read',
    summary: 'Shows a dataset with its resources.',
    differs: 'The `size` of a resource is a number, as the contract has it; the reference gives a text.',
    returns: 'Dataset dictionary.',
    answers: ref('Dataset'),
    document: ActionDatasetShowDocument,
    params: {
      id,
      name_or_id: text('The same as id.'),
      use_default_schema: flag('Has no effect: every dataset is shown by the default schema and its declared type.'),
      include_tracking: flag(TRACKING),
    },
    anyOf: [['id'], ['name_or_id']],
    variables: (p) => ({ id: required(text('')).read(p.id || p.name_or_id, 'name_or_id') }),
    result: ({ dataset }, p) => (p.include_tracking ? withTracking(dataset!.document) : dataset!.document),
    version: ({ dataset }) => dataset?.version,
  }),
  package_autocomplete: action({
    kind: 'read',
    summary:
      'Suggests datasets whose name or title begins with a text, or holds it where catalog.action_api.autocomplete is anywhere.',
    returns: 'List of dictionaries with name, title, match_field (name or title) and match_displayed, by name.',
    answers: listOf(object({ name: TEXT, title: TEXT, match_field: oneOf('name', 'title'), match_displayed: TEXT })),
    document: ActionDatasetSuggestionsDocument,
    params: {
      q: present(text('Beginning or part of a name or title, in any case.')),
      limit: int('At most this many; 10 when left out.'),
    },
    variables: (p) => ({ text: p.q, limit: p.limit }),
    result: ({ datasetSuggestions }) => datasetSuggestions,
  }),
  package_create: action({
    kind: 'write',
    summary: 'Creates a dataset.',
    differs:
      'The `size` of a resource is a number and unknown keys of a resource keep their JSON values; the reference makes both text. A create that fails leaves nothing behind.',
    returns: 'The new dataset dictionary.',
    answers: ref('Dataset'),
    document: ActionDatasetCreateDocument,
    params: { ...datasetParams, name: neededText(datasetParams.name.about), id: text('Own id; sysadmins only.') },
    variables: (p, raw) => ({ input: { ...datasetFields(raw), name: p.name, databaseId: p.id || undefined } }),
    result: ({ createDataset }) => createDataset.dataset!.document,
    problems: tagStringProblems,
    version: ({ createDataset }) => createDataset.dataset?.version,
  }),
  package_update: action({
    kind: 'write',
    summary: 'Replaces a dataset. Omitted texts keep their value; omitted lists become empty.',
    differs:
      'The `size` of a resource is a number and unknown keys of a resource keep their JSON values; the reference makes both text.',
    returns: 'The dataset dictionary as it is now.',
    answers: ref('Dataset'),
    document: ActionDatasetReplaceDocument,
    params: { ...datasetParams, id: text('Id or name of the dataset; its name when left out.') },
    anyOf: [['id'], ['name']],
    variables: (p, raw, expectedVersion) => ({
      input: { ...datasetFields(raw), dataset: required(id).read(p.id || p.name, 'id'), expectedVersion },
    }),
    result: ({ replaceDataset }) => replaceDataset.dataset!.document,
    problems: tagStringProblems,
    version: ({ replaceDataset }) => replaceDataset.dataset?.version,
  }),
  package_patch: action({
    kind: 'write',
    summary: 'Changes only what is given of a dataset.',
    differs:
      'A private dataset keeps needing an owner; the reference lets a patch take it away and then refuses every further change.',
    returns: 'The dataset dictionary as it is now.',
    answers: ref('Dataset'),
    document: ActionDatasetPatchDocument,
    params: { ...datasetParams, id: required(id) },
    variables: (p, raw, expectedVersion) => ({ input: { ...datasetFields(raw), dataset: p.id, expectedVersion } }),
    result: ({ patchDataset }) => patchDataset.dataset!.document,
    problems: tagStringProblems,
    version: ({ patchDataset }) => patchDataset.dataset?.version,
  }),
  package_delete: action({
    kind: 'write',
    summary: 'Marks a dataset deleted; its name stays taken.',
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
    summary: 'Gives a dataset to another organization, or to none; system administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionDatasetSetOwnerDocument,
    params: {
      id: neededText('Id or name of the dataset.'),
      organization_id: text('Id or name of the organization; none when left out.'),
    },
    variables: (p) => ({ input: { dataset: p.id, ownerOrganization: p.organization_id || null } }),
    problems: (problems) =>
      problems.map((problem) =>
        problem.path[0] === 'ownerOrganization' ? { ...problem, path: ['organization_id'] } : problem,
      ),
    result: () => null,
  }),
};
