import {
  ActionRolesShowDocument,
  ActionUserRoleBulkUpdateDocument,
  ActionUserRoleUpdateDocument,
} from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { list, needed, present, required, text } from '../params.ts';
import { listOf, object, oneOf, orNull, TEXT } from '../schema.ts';
import { provided, userRoles } from './inputs.ts';
import { roleListDict } from './shapes.ts';

const roleList = object(
  {
    domain_object_id: orNull(TEXT),
    domain_object_type: oneOf('Package', 'Group', 'type'),
    roles: listOf(
      object(
        {
          context: oneOf('Package', 'Group', 'System'),
          id: TEXT,
          role: oneOf('admin', 'editor', 'reader'),
          user_id: TEXT,
          user_object_role_id: TEXT,
        },
        { package_id: TEXT, group_id: TEXT },
      ),
    ),
  },
  { user: TEXT },
);

const shown =
  'Dictionary: `domain_object_id`, `domain_object_type` (Package, Group, or type for the site) and `roles`, a list of ' +
  'dictionaries with `context`, `role`, `user_id`, `id`, `user_object_role_id` (the same) and `package_id` or `group_id`.';
const SETTABLE = 'admin, editor or reader, which stand for the capacities admin, editor and member';

export const roleActions = {
  roles_show: action({
    kind: 'read',
    summary: 'Tells in the roles of older clients who may do what with a dataset, a group or the site.',
    differs:
      'Roles are told from capacities and settings: members of a group are listed with the role that their capacity is.',
    returns: `${shown} \`user\` is the id of the user that was asked for.`,
    answers: roleList,
    document: ActionRolesShowDocument,
    params: {
      domain_object: present(text('Id or name of a dataset, else of a group or organization; system for the site.')),
      user: text('Id or name of a user: only their roles.'),
    },
    variables: (p) => ({ domainObject: p.domain_object, user: p.user }),
    result: ({ roles }) => roleListDict(roles),
  }),
  user_role_update: action({
    kind: 'write',
    summary:
      'Sets the roles of a user in a group or organization; its admins only. Datasets and the site have none to set.',
    differs:
      'Roles are set as capacities: admin, editor and reader, in groups and organizations. Elsewhere there are none to set, which is said.',
    returns: `${shown} Only the user's roles, and \`user\`, their id.`,
    answers: roleList,
    document: ActionUserRoleUpdateDocument,
    params: {
      user: needed(text('Id or name of the user.')),
      domain_object: needed(text('Id or name of the group or organization.')),
      roles: needed(list(`All roles from now on: ${SETTABLE}; an empty list takes the user out.`)),
    },
    variables: ({ user, domain_object, roles }) => ({ input: provided({ user, domain_object, roles }) }),
    result: ({ setUserRoles }) => roleListDict(setUserRoles.roleList!),
  }),
  user_role_bulk_update: action({
    kind: 'write',
    summary: 'Sets the roles of several users in a group or organization, all or none; its admins only.',
    differs:
      'Roles are set as capacities: admin, editor and reader, in groups and organizations. Elsewhere there are none to set, which is said.',
    returns: shown,
    answers: roleList,
    document: ActionUserRoleBulkUpdateDocument,
    params: {
      user_roles: userRoles(`Dictionaries with \`user\` and \`roles\`: ${SETTABLE}.`),
      domain_object: required(text('Id or name of the group or organization.')),
    },
    variables: (p) => ({ input: { domainObject: p.domain_object, userRoles: p.user_roles } }),
    result: ({ setRolesOfUsers }) => roleListDict(setRolesOfUsers.roleList!),
  }),
};
