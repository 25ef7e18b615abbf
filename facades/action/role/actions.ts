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
const SETTABLE = 'admin, editor or reader, which mean the capacities admin, editor and member';

export const roleActions = {
  roles_show: action({
    kind: 'read',
    summary: 'Lists the permissions of users on a dataset, a group or the site, as roles of older clients.',
    differs:
      'Roles are derived from capacities and settings. Members of a group are listed with the role that equals their capacity.',
    returns: `${shown} \`user\` is the id of the requested user.`,
    answers: roleList,
    document: ActionRolesShowDocument,
    params: {
      domain_object: present(text('Id or name of a dataset, group or organization. `system` for the site.')),
      user: text('Id or name of a user: only their roles.'),
    },
    variables: (p) => ({ domainObject: p.domain_object, user: p.user }),
    result: ({ roles }) => roleListDict(roles),
  }),
  user_role_update: action({
    kind: 'write',
    summary:
      'Sets the roles of a user in a group or organization. Admins of the group only. Datasets and the site have no roles to set.',
    differs:
      'Roles are stored as capacities: admin, editor and reader, in groups and organizations. Other objects have no roles, and are refused.',
    returns: `${shown} Only the user's roles, and \`user\`, their id.`,
    answers: roleList,
    document: ActionUserRoleUpdateDocument,
    params: {
      user: needed(text('Id or name of the user.')),
      domain_object: needed(text('Id or name of the group or organization.')),
      roles: needed(list(`New roles: ${SETTABLE}. An empty list removes the user.`)),
    },
    variables: ({ user, domain_object, roles }) => ({ input: provided({ user, domain_object, roles }) }),
    result: ({ setUserRoles }) => roleListDict(setUserRoles.roleList!),
  }),
  user_role_bulk_update: action({
    kind: 'write',
    summary: 'Sets the roles of several users in a group or organization, all or none. Admins of the group only.',
    differs:
      'Roles are stored as capacities: admin, editor and reader, in groups and organizations. Other objects have no roles, and are refused.',
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
