/** Converts role lists to the wire format. */
import type { ActionRoleListFragment } from '../../../src/generated/operations.ts';

/** Wire names of a kind of object: in each role, for the list, and the key of the object's id. */
const WORDS = {
  DATASET: { context: 'Package', type: 'Package', key: 'package_id' },
  GROUP: { context: 'Group', type: 'Group', key: 'group_id' },
  SYSTEM: { context: 'System', type: 'type', key: null },
} as const;

/** A role list dictionary; contains `user` when one was requested. */
export function roleListDict({ kind, domain_object_id, user, roles }: ActionRoleListFragment) {
  const { context, type, key } = WORDS[kind];
  return {
    domain_object_id,
    domain_object_type: type,
    roles: roles.map((role) => ({
      ...role,
      context,
      user_object_role_id: role.id,
      ...(key && { [key]: domain_object_id }),
    })),
    ...(user && { user }),
  };
}
