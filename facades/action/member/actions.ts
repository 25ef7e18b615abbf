import {
  ActionMemberAddDocument,
  ActionMemberDropDocument,
  ActionMemberListDocument,
  ActionMemberRemoveDocument,
  ActionMemberRolesDocument,
  ActionMemberSetRoleDocument,
} from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { neededText, present, required, text } from '../params.ts';
import { listOf, NULL, object, orNull, ref, TEXT } from '../schema.ts';
import { graphKind, memberDict, wireKind } from './shapes.ts';

const either = present(text('Id or name of the group or organization.'));
const kind = present(text('user, package or group.'));
const member = present(text('Id or name of the user, dataset or group.'));

const setRole = (what: 'group' | 'organization') =>
  action({
    kind: 'write',
    summary: `Gives a user a role in ${what === 'group' ? 'a group' : 'an organization'}. It replaces their current role.`,
    returns: 'Member dictionary.',
    answers: ref('Member'),
    document: ActionMemberSetRoleDocument,
    params: {
      id: present(text(`Id or name of the ${what}.`)),
      username: present(text('Id or name of the user.')),
      role: present(text('admin, editor or member.')),
    },
    variables: (p) => ({ input: { group: p.id, user: p.username, capacity: p.role } }),
    result: ({ setMemberRole }) => memberDict(setMemberRole.member!),
  });

const removeUser = (what: 'group' | 'organization') =>
  action({
    kind: 'write',
    summary: `Removes a user from ${what === 'group' ? 'a group' : 'an organization'}.`,
    returns: 'Null.',
    answers: NULL,
    document: ActionMemberRemoveDocument,
    params: {
      id: neededText(`Id or name of the ${what}.`),
      username: text('Id or name of the user.'),
      user_id: text('Alias of `username`.'),
    },
    anyOf: [['username'], ['user_id']],
    variables: (p) => ({ input: { group: p.id, user: p.username ?? p.user_id ?? '' } }),
    result: () => null,
  });

export const memberActions = {
  group_member_create: setRole('group'),
  group_member_delete: removeUser('group'),
  organization_member_create: setRole('organization'),
  organization_member_delete: removeUser('organization'),
  member_list: action({
    kind: 'read',
    summary: 'Lists the members of a group or organization: users, datasets and parent groups.',
    differs: 'Lists ids of private datasets only to callers who may read them.',
    returns: 'List of [id, type (user, package or group), capacity].',
    answers: listOf({ ...listOf(orNull(TEXT)), minItems: 3, maxItems: 3 }),
    document: ActionMemberListDocument,
    params: {
      id: present(text('Id or name of the group or organization.')),
      object_type: text('Only members of this type: user, package or group.'),
      capacity: text('Only members with this capacity, such as admin, editor, member, public.'),
    },
    variables: (p) => ({ group: p.id, objectType: p.object_type && graphKind(p.object_type), capacity: p.capacity }),
    result: ({ groupMembers }) =>
      groupMembers.map((member) => [member.objectId, wireKind(member.objectType), member.capacity]),
  }),
  member_create: action({
    kind: 'write',
    summary: 'Adds a user, a dataset or a parent group to a group or organization, or changes its capacity.',
    returns: 'Member dictionary.',
    answers: ref('Member'),
    document: ActionMemberAddDocument,
    params: {
      id: either,
      object: member,
      object_type: kind,
      capacity: required(text('admin, editor or member for users. public for datasets.')),
    },
    variables: (p) => ({
      input: { group: p.id, objectType: graphKind(p.object_type), object: p.object, capacity: p.capacity },
    }),
    result: ({ addGroupMember }) => memberDict(addGroupMember.member!),
  }),
  member_delete: action({
    kind: 'write',
    summary: 'Removes a user, a dataset or a parent group from a group or organization.',
    returns: 'Null.',
    answers: NULL,
    document: ActionMemberDropDocument,
    params: { id: either, object: member, object_type: kind },
    variables: (p) => ({ input: { group: p.id, objectType: graphKind(p.object_type), object: p.object } }),
    result: () => null,
  }),
  member_roles_list: action({
    kind: 'read',
    summary: 'Lists the roles that users can have.',
    returns: 'List of dictionaries with `text` (label) and `value`.',
    answers: listOf(object({ text: TEXT, value: TEXT })),
    document: ActionMemberRolesDocument,
    params: { group_type: text('group or organization. Default: organization.') },
    variables: (p) => ({ groupType: p.group_type }),
    result: ({ memberRoles }) => memberRoles,
  }),
};
