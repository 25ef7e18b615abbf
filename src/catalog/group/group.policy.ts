/** Policies of groups and organizations. Pure: facts in, a reason or null (allowed) out. */
import type { Actor, Capacity } from '../../kernel/call.ts';
import { notAllowedTo } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';

type Reason = string | null;
type Facts = { readonly id: string; readonly isOrganization: boolean; readonly state: string };

export type GroupPermission = 'READ' | 'CREATE_DATASET' | 'UPDATE_DATASET' | 'DELETE_DATASET' | 'MANAGE' | 'ADMIN';

const EVERY_MEMBER: readonly Capacity[] = ['admin', 'editor', 'member'];
const EDITORS: readonly Capacity[] = ['admin', 'editor'];
const GRANTED: Readonly<Record<GroupPermission, readonly Capacity[]>> = {
  READ: EVERY_MEMBER,
  MANAGE: EVERY_MEMBER,
  CREATE_DATASET: EDITORS,
  UPDATE_DATASET: EDITORS,
  DELETE_DATASET: EDITORS,
  ADMIN: ['admin'],
};

const kind = ({ isOrganization }: Facts): string => (isOrganization ? 'organization' : 'group');

/** The capacities that grant a permission. */
export const capacitiesGranting = (permission: GroupPermission): readonly Capacity[] => GRANTED[permission];

/** Whether a capacity (null for none) grants a permission. */
export const grants = (capacity: string | null, permission: GroupPermission): boolean =>
  (GRANTED[permission] as readonly (string | null)[]).includes(capacity);

/** Ids of the groups in which a capacity, own or inherited, grants the permission; being a sysadmin does not count. */
export const groupsGranting = (actor: Actor, permission: GroupPermission): string[] =>
  [...actor.capacities].filter(([, capacity]) => grants(capacity, permission)).map(([id]) => id);

/** The actor's capacity in a group, own or inherited; null for none. Sysadmins are admins of every group. */
export const capacityOf = (actor: Actor, groupId: string): Capacity | null =>
  actor.sysadmin ? 'admin' : (actor.capacities.get(groupId) ?? null);

/** Active groups: everyone. Others: members and sysadmins. */
export const mayReadGroup = (actor: Actor, group: Facts, capacity: string | null): Reason =>
  group.state === 'active' || actor.sysadmin || grants(capacity, 'READ') ? null : notAllowedTo(actor, 'read group');

/** Sysadmins; every signed-in user if catalog.auth.user_create_groups / user_create_organizations is set. */
export function mayCreateGroup(actor: Actor, isOrganization: boolean, settings: Settings): Reason {
  const open = settings[isOrganization ? 'catalog.auth.user_create_organizations' : 'catalog.auth.user_create_groups'];
  if (actor.sysadmin || (actor.userId !== null && open)) return null;
  return notAllowedTo(actor, isOrganization ? 'create organizations' : 'create groups');
}

/** Its admins and the sysadmins. */
export const mayUpdateGroup = (actor: Actor, group: Facts, capacity: string | null): Reason =>
  actor.sysadmin || grants(capacity, 'ADMIN') ? null : notAllowedTo(actor, `edit ${kind(group)}`);

/** Its admins if catalog.auth.user_delete_groups / user_delete_organizations is set, and sysadmins. */
export function mayDeleteGroup(actor: Actor, group: Facts, capacity: string | null, settings: Settings): Reason {
  const open =
    settings[group.isOrganization ? 'catalog.auth.user_delete_organizations' : 'catalog.auth.user_delete_groups'];
  return actor.sysadmin || (open && grants(capacity, 'ADMIN')) ? null : notAllowedTo(actor, `delete ${kind(group)}`);
}

/** Only sysadmins purge groups. */
export const mayPurgeGroup = (actor: Actor): Reason => (actor.sysadmin ? null : notAllowedTo(actor, 'purge groups'));

/** Lists contain active groups; only sysadmins list deleted ones. */
export const mayListDeletedGroups = (actor: Actor): Reason =>
  actor.sysadmin ? null : notAllowedTo(actor, 'list deleted groups');

/** Its admins and sysadmins change roles. */
export const mayChangeRoles = (actor: Actor, capacity: string | null): Reason =>
  actor.sysadmin || grants(capacity, 'ADMIN') ? null : notAllowedTo(actor, 'add members');

/** Admins add and remove all kinds of members; every member adds datasets to a group. */
export function mayChangeMembers(actor: Actor, group: Facts, capacity: string | null, objectType: string): Reason {
  const needed = objectType === 'dataset' && !group.isOrganization ? 'MANAGE' : 'ADMIN';
  return actor.sysadmin || grants(capacity, needed) ? null : notAllowedTo(actor, 'edit group');
}
