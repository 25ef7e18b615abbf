import {
  ActionGroupCreateDocument,
  ActionGroupDatasetsDocument,
  ActionGroupDeleteDocument,
  ActionGroupListDocument,
  ActionGroupPatchDocument,
  ActionGroupPurgeDocument,
  ActionGroupReplaceDocument,
  ActionGroupShowDocument,
  ActionGroupSuggestionsDocument,
  ActionMyGroupsDocument,
} from '../../../src/generated/operations.ts';
import { groupDatasets, groupFields } from '../../../src/records/form/group.ts';
import { groupDict } from '../../../src/records/form/group-dict.ts';
import { action, renamed } from '../define.ts';
import { imageChange, imageClear, imageFields } from '../image.ts';
import { flag, int, list, present, required, text } from '../params.ts';
import { either, listOf, NULL, object, ref, TEXT } from '../schema.ts';
import { groupParams, listed, listInput, parts, shown, suggested, whole } from './inputs.ts';

const id = present(text('Id or name of the group.'));

export const groupActions = {
  group_list: action({
    kind: 'read',
    summary: 'Lists the active groups.',
    returns: 'List of names. With all_fields, list of group dictionaries.',
    answers: either(listOf(TEXT), listOf(ref('Group'))),
    document: ActionGroupListDocument,
    params: {
      groups: list('Names of groups: list only these.'),
      type: text('List only this kind of group.'),
      ...listed,
    },
    variables: (p) => ({
      ...parts(p, p.all_fields),
      full: p.all_fields,
      input: { ...listInput(p), only: p.groups, type: p.type },
    }),
    result: ({ groupList }, p) =>
      whole(groupList, p.all_fields && p.include_datasets).map((group) =>
        p.all_fields ? groupDict(group as never, p.include_tags) : group.name,
      ),
  }),
  group_show: action({
    kind: 'read',
    summary: 'Shows a group.',
    returns: 'Group dictionary.',
    answers: ref('Group'),
    document: ActionGroupShowDocument,
    isCached: true,
    params: {
      id,
      ...shown,
    },
    variables: (p) => ({ id: p.id, ...parts(p), followers: p.include_followers }),
    result: ({ group }, p) => groupDict(group, p.include_tags),
    version: ({ group }) => group?.version,
  }),
  group_package_show: action({
    kind: 'read',
    summary: 'Lists the active public datasets of a group.',
    returns: 'List of dataset dictionaries, most recently modified first.',
    answers: listOf(ref('Dataset')),
    document: ActionGroupDatasetsDocument,
    params: { id, limit: int('Maximum number of results. Default: 1,000.') },
    variables: (p) => ({ id: p.id, first: p.limit ?? 1000 }),
    result: ({ groupOrOrganization: group }) =>
      group && 'datasets' in group ? group.datasets.nodes.map(({ document }) => document) : [],
  }),
  group_autocomplete: action({
    kind: 'read',
    summary: 'Suggests groups whose name or title contains a text.',
    returns: 'List of dictionaries with id, name and title, sorted by title.',
    answers: listOf(object({ id: TEXT, name: TEXT, title: TEXT })),
    document: ActionGroupSuggestionsDocument,
    params: suggested,
    variables: (p) => ({ text: p.q, limit: p.limit }),
    problems: renamed({ text: 'q' }),
    result: ({ groupSuggestions }) => groupSuggestions,
  }),
  group_list_authz: action({
    kind: 'read',
    summary: 'Lists the groups to which the caller may add datasets.',
    returns: 'List of group dictionaries, sorted by title.',
    answers: listOf(ref('Group')),
    document: ActionMyGroupsDocument,
    params: {
      available_only: flag(
        'Omits groups that already contain the dataset of the form. Has no effect without such a dataset.',
      ),
      am_member: flag('Only groups that the caller is a member of. Affects system administrators only.'),
    },
    variables: (p) => ({ permission: 'MANAGE' as const, memberOnly: p.am_member }),
    result: ({ myGroups }) => myGroups.map((group) => groupDict(group, false)),
  }),
  group_create: action({
    kind: 'write',
    summary: 'Creates a group. The caller becomes its admin.',
    differs: 'An id that is already used is refused. CKAN overwrites the group that has it.',
    returns: 'The new group dictionary.',
    answers: ref('Group'),
    document: ActionGroupCreateDocument,
    params: {
      ...groupParams,
      name: required(groupParams.name),
      id: text('Id of the new object. Default: a new UUID.'),
    },
    variables: (p, raw) => ({
      input: {
        ...groupFields(raw),
        ...imageFields(raw),
        name: p.name,
        databaseId: p.id || undefined,
        type: p.type,
        datasets: groupDatasets(raw),
      },
    }),
    result: ({ createGroup }) => groupDict(createGroup.group!, true),
    version: ({ createGroup }) => createGroup.group?.version,
  }),
  group_update: action({
    kind: 'write',
    summary:
      'Replaces a group. Omitted text fields keep their value. Omitted lists become empty, including users and datasets.',
    differs: 'Also changes organizations, by their id or name.',
    returns: 'The updated group dictionary.',
    answers: ref('Group'),
    document: ActionGroupReplaceDocument,
    params: { ...groupParams, ...imageClear, id },
    variables: (p, raw, expectedVersion) => ({
      input: { ...groupFields(raw), ...imageChange(raw), group: p.id, expectedVersion, datasets: groupDatasets(raw) },
    }),
    result: ({ replaceGroup }) => groupDict(replaceGroup.group!, true),
    version: ({ replaceGroup }) => replaceGroup.group?.version,
  }),
  group_patch: action({
    kind: 'write',
    summary: 'Changes the given fields of a group.',
    differs: 'Omitted datasets remain. Also changes organizations, by their id or name.',
    returns: 'The updated group dictionary.',
    answers: ref('Group'),
    document: ActionGroupPatchDocument,
    params: { ...groupParams, ...imageClear, id },
    variables: (p, raw, expectedVersion) => ({
      input: { ...groupFields(raw), ...imageChange(raw), group: p.id, expectedVersion, datasets: groupDatasets(raw) },
    }),
    result: ({ updateGroup }) => groupDict(updateGroup.group!, true),
    version: ({ updateGroup }) => updateGroup.group?.version,
  }),
  group_delete: action({
    kind: 'write',
    summary: 'Marks a group as deleted. Its name remains reserved.',
    returns: 'Null.',
    answers: NULL,
    document: ActionGroupDeleteDocument,
    params: { id },
    variables: (p, _raw, expectedVersion) => ({ input: { group: p.id, expectedVersion } }),
    result: () => null,
  }),
  group_purge: action({
    kind: 'write',
    summary: 'Removes a group permanently. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionGroupPurgeDocument,
    params: { id },
    variables: (p) => ({ input: { group: p.id } }),
    result: () => null,
  }),
};
