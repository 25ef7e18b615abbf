/** Actions with the version 2 dictionaries of the legacy REST interface. */
import {
  ActionLegacyDatasetCreateDocument,
  ActionLegacyDatasetDocument,
  ActionLegacyDatasetUpdateDocument,
  ActionLegacyGroupCreateDocument,
  ActionLegacyGroupDocument,
  ActionLegacyGroupUpdateDocument,
  ActionLegacyTagDocument,
} from '../../../src/generated/operations.ts';
import { datasetChanges, legacyDataset, newDataset } from '../../shared/legacy/dataset.ts';
import { datasetRefs, groupChanges, legacyGroup, newGroup } from '../../shared/legacy/group.ts';
import { action } from '../define.ts';
import { needed, present, required, text } from '../params.ts';
import { listOf, ref, TEXT } from '../schema.ts';
import { legacyDatasetParams, legacyGroupParams } from './inputs.ts';

const dataset = required(text('Id or name of the dataset.'));
const group = required(text('Id or name of the group.'));
const OMITTED_STAYS = 'Omitted lists remain. CKAN empties them.';

export const legacyActions = {
  package_show_rest: action({
    kind: 'read',
    summary: 'Shows a dataset as version 2 of the legacy REST interface does.',
    returns: 'Legacy dataset dictionary: groups by id, tags by name, extras as an object, and convenience fields.',
    answers: ref('LegacyDataset'),
    document: ActionLegacyDatasetDocument,
    params: { id: dataset },
    variables: (p) => ({ id: p.id }),
    result: ({ dataset }) => legacyDataset(dataset, 2),
    version: ({ dataset }) => dataset?.version,
  }),
  package_create_rest: action({
    kind: 'write',
    summary: 'Creates a dataset from a legacy dictionary.',
    returns: 'The new dataset as package_show_rest returns it.',
    answers: ref('LegacyDataset'),
    document: ActionLegacyDatasetCreateDocument,
    params: {
      ...legacyDatasetParams,
      name: needed(legacyDatasetParams.name),
      id: text('Id of the new dataset. System administrators only. Default: a new UUID.'),
    },
    variables: (_p, raw) => ({ input: newDataset(raw, 2) }),
    result: ({ createDataset }) => legacyDataset(createDataset.dataset!, 2),
    version: ({ createDataset }) => createDataset.dataset?.version,
  }),
  package_update_rest: action({
    kind: 'write',
    summary: 'Changes the given fields of a dataset, in legacy form. A null extra is removed.',
    differs: OMITTED_STAYS,
    returns: 'The dataset as package_show_rest returns it.',
    answers: ref('LegacyDataset'),
    document: ActionLegacyDatasetUpdateDocument,
    params: { ...legacyDatasetParams, id: text('Id or name of the dataset. Default: the value of `name`.') },
    anyOf: [['id'], ['name']],
    variables: (p, { id: _id, ...raw }, expectedVersion) => ({
      input: { ...datasetChanges(raw, 2), dataset: dataset.read(p.id || p.name, 'id'), expectedVersion },
    }),
    result: ({ updateDataset }) => legacyDataset(updateDataset.dataset!, 2),
    version: ({ updateDataset }) => updateDataset.dataset?.version,
  }),
  group_show_rest: action({
    kind: 'read',
    summary: 'Shows a group as version 2 of the legacy REST interface does.',
    returns: 'Legacy group dictionary: the first 1,000 datasets by id as `packages`, extras as an object.',
    answers: ref('LegacyGroup'),
    document: ActionLegacyGroupDocument,
    params: { id: group },
    variables: (p) => ({ id: p.id }),
    result: ({ group }) => legacyGroup(group, 2),
    version: ({ group }) => group?.version,
  }),
  group_create_rest: action({
    kind: 'write',
    summary: 'Creates a group from a legacy dictionary. The caller becomes its admin.',
    returns: 'The new group as group_show_rest returns it.',
    answers: ref('LegacyGroup'),
    document: ActionLegacyGroupCreateDocument,
    params: {
      ...legacyGroupParams,
      name: needed(legacyGroupParams.name),
      id: text('Id of the new object. Default: a new UUID.'),
    },
    variables: (_p, raw) => ({ input: newGroup(raw) }),
    result: ({ createGroup }) => legacyGroup(createGroup.group!, 2),
    version: ({ createGroup }) => createGroup.group?.version,
  }),
  group_update_rest: action({
    kind: 'write',
    summary: 'Changes the given fields of a group, in legacy form. A null extra is removed.',
    differs: OMITTED_STAYS,
    returns: 'The group as group_show_rest returns it.',
    answers: ref('LegacyGroup'),
    document: ActionLegacyGroupUpdateDocument,
    params: { ...legacyGroupParams, id: text('Id or name of the group. Default: the value of `name`.') },
    anyOf: [['id'], ['name']],
    variables: (p, raw, expectedVersion) => ({
      input: { ...groupChanges(raw), group: group.read(p.id || p.name, 'id'), expectedVersion },
    }),
    result: ({ updateGroup }) => legacyGroup(updateGroup.group!, 2),
    version: ({ updateGroup }) => updateGroup.group?.version,
  }),
  tag_show_rest: action({
    kind: 'read',
    summary: 'Lists the public datasets that carry a tag, as version 2 of the legacy REST interface does.',
    returns: 'List of dataset ids, ascending; the first 1,000.',
    answers: listOf(TEXT),
    document: ActionLegacyTagDocument,
    params: { id: present(text('Id or name of the tag.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ tag }) => datasetRefs(tag.datasets.nodes, 2),
  }),
};
