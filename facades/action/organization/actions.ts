import {
  ActionMyOrganizationsDocument,
  ActionOrganizationCreateDocument,
  ActionOrganizationDeleteDocument,
  ActionOrganizationListDocument,
  ActionOrganizationPatchDocument,
  ActionOrganizationPurgeDocument,
  ActionOrganizationReplaceDocument,
  ActionOrganizationShowDocument,
  ActionOrganizationSuggestionsDocument,
} from '../../../src/generated/operations.ts';
import { groupDatasets, groupFields } from '../../../src/records/form/group.ts';
import { groupDict } from '../../../src/records/form/group-dict.ts';
import { action, renamed } from '../define.ts';
import { groupParams, listed, listInput, parts, permission, shown, suggested, whole } from '../group/inputs.ts';
import { imageChange, imageClear, imageFields } from '../image.ts';
import { list, present, required, text } from '../params.ts';
import { either, listOf, NULL, object, ref, TEXT } from '../schema.ts';

const id = present(text('Id or name of the organization.'));

export const organizationActions = {
  organization_list: action({
    kind: 'read',
    summary: 'Lists the active organizations.',
    returns: 'List of names. With all_fields, list of organization dictionaries.',
    answers: either(listOf(TEXT), listOf(ref('Organization'))),
    document: ActionOrganizationListDocument,
    params: {
      organizations: list('Names of organizations: list only these.'),
      ...listed,
    },
    variables: (p) => ({
      ...parts(p, p.all_fields),
      full: p.all_fields,
      input: { ...listInput(p), only: p.organizations },
    }),
    result: ({ organizationList }, p) =>
      whole(organizationList, p.all_fields && p.include_datasets).map((found) =>
        p.all_fields ? groupDict(found as never, p.include_tags) : found.name,
      ),
  }),
  organization_show: action({
    kind: 'read',
    summary: 'Shows an organization.',
    differs: 'A deleted organization shows no datasets. CKAN shows those still in its search index.',
    returns: 'Organization dictionary.',
    answers: ref('Organization'),
    document: ActionOrganizationShowDocument,
    isCached: true,
    params: {
      id: present(text('Id or name of the organization.')),
      ...shown,
    },
    variables: (p) => ({ id: p.id, ...parts(p), followers: p.include_followers }),
    result: ({ organization }, p) => groupDict(organization, p.include_tags),
    version: ({ organization }) => organization?.version,
  }),
  organization_autocomplete: action({
    kind: 'read',
    summary: 'Suggests organizations whose name or title contains a text.',
    returns: 'List of dictionaries with id, name and title, sorted by title.',
    answers: listOf(object({ id: TEXT, name: TEXT, title: TEXT })),
    document: ActionOrganizationSuggestionsDocument,
    params: suggested,
    variables: (p) => ({ text: p.q, limit: p.limit }),
    problems: renamed({ text: 'q' }),
    result: ({ organizationSuggestions }) => organizationSuggestions,
  }),
  organization_list_for_user: action({
    kind: 'read',
    summary:
      'Lists the organizations in which the caller has a permission, by a capacity there or in a parent organization.',
    returns:
      'List of organization dictionaries, sorted by title. With catalog.action_api.memberships=all, each has the `capacity` of the caller.',
    answers: listOf(ref('Organization')),
    document: ActionMyOrganizationsDocument,
    params: {
      permission: permission(
        'read, create_dataset, update_dataset, delete_dataset or edit_group (admins only). Default: edit_group, or read with catalog.action_api.memberships=all.',
      ),
    },
    variables: (p) => ({ permission: p.permission }),
    preset: ({ allMemberships }, { permission }) => ({
      capacity: allMemberships,
      ...(allMemberships && !permission && { permission: 'READ' as const }),
    }),
    result: ({ myOrganizations }) => myOrganizations.map((organization) => groupDict(organization, false)),
  }),
  organization_create: action({
    kind: 'write',
    summary: 'Creates an organization. The caller becomes its admin.',
    differs: 'An id that is already used is refused. CKAN overwrites the organization that has it.',
    returns: 'The new organization dictionary.',
    answers: ref('Organization'),
    document: ActionOrganizationCreateDocument,
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
        datasets: groupDatasets(raw),
      },
    }),
    result: ({ createOrganization }) => groupDict(createOrganization.organization!, true),
    version: ({ createOrganization }) => createOrganization.organization?.version,
  }),
  organization_update: action({
    kind: 'write',
    summary:
      'Replaces an organization. Omitted text fields keep their value. Omitted lists become empty, including users. Its datasets remain.',
    returns: 'The updated organization dictionary.',
    answers: ref('Organization'),
    document: ActionOrganizationReplaceDocument,
    params: { ...groupParams, ...imageClear, id },
    variables: (p, raw, expectedVersion) => ({
      input: { ...groupFields(raw), ...imageChange(raw), organization: p.id, expectedVersion },
    }),
    result: ({ replaceOrganization }) => groupDict(replaceOrganization.organization!, true),
    version: ({ replaceOrganization }) => replaceOrganization.organization?.version,
  }),
  organization_patch: action({
    kind: 'write',
    summary: 'Changes the given fields of an organization.',
    returns: 'The updated organization dictionary.',
    answers: ref('Organization'),
    document: ActionOrganizationPatchDocument,
    params: { ...groupParams, ...imageClear, id },
    variables: (p, raw, expectedVersion) => ({
      input: { ...groupFields(raw), ...imageChange(raw), organization: p.id, expectedVersion },
    }),
    result: ({ updateOrganization }) => groupDict(updateOrganization.organization!, true),
    version: ({ updateOrganization }) => updateOrganization.organization?.version,
  }),
  organization_delete: action({
    kind: 'write',
    summary: 'Marks an organization and all its datasets as deleted. Its name remains reserved.',
    returns: 'Null.',
    answers: NULL,
    document: ActionOrganizationDeleteDocument,
    params: { id },
    variables: (p, _raw, expectedVersion) => ({ input: { organization: p.id, expectedVersion } }),
    result: () => null,
  }),
  organization_purge: action({
    kind: 'write',
    summary: 'Removes an organization permanently. Its datasets remain, without an owner. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionOrganizationPurgeDocument,
    params: { id },
    variables: (p) => ({ input: { organization: p.id } }),
    result: () => null,
  }),
};
