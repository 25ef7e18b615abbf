/** Roles of older clients: derived from capacities and settings, and stored as capacities if possible. */
import { createHash } from 'node:crypto';
import { mayUpdateDataset } from '../../catalog/dataset/dataset.policy.ts';
import { datasetShow } from '../../catalog/dataset/dataset.service.ts';
import type { DatasetRecord } from '../../catalog/document/record.ts';
import { mayChangeRoles } from '../../catalog/group/group.policy.ts';
import { capacityIn, type GroupRecord, groupShow } from '../../catalog/group/group.service.ts';
import { memberDrop, memberSetRole } from '../../catalog/group/member.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, notAuthorized, notFound, orNull, type Problem, refuse } from '../../kernel/errors.ts';
import { compareText } from '../../kernel/text.ts';
import { userShow } from '../user/user.service.ts';
import {
  capacityOf,
  checkRoleObject,
  checkUserRoles,
  LOGGED_IN,
  type Role,
  roleOf,
  roleOfCreator,
  rolesOnDataset,
  rolesOnSite,
  VISITOR,
} from './role.rules.ts';
import { membersOf, userInGroup, usersByName } from './role.store.ts';

/** The backing type of RoleAssignment. */
export interface RoleRecord {
  readonly id: string;
  readonly role: Role;
  readonly userId: string;
}

/** The backing type of RoleList. */
export interface RoleListRecord {
  readonly kind: 'DATASET' | 'GROUP' | 'SYSTEM';
  readonly objectId: string | null;
  readonly userId: string | null;
  readonly roles: RoleRecord[];
}

type GroupTarget = { readonly kind: 'GROUP'; readonly group: GroupRecord };
type Target = { readonly kind: 'SYSTEM' } | { readonly kind: 'DATASET'; readonly dataset: DatasetRecord } | GroupTarget;

interface Holder {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** Roles on an object, of all users or one. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function roleList(
  call: Call,
  { domainObject, user }: { domainObject: string; user?: string | null },
): Promise<RoleListRecord> {
  const target = await targetOf(call, domainObject);
  const requestedUser = user ? await orNull(userShow(call, user)) : null;
  if (user && !requestedUser) throw notFound(`unknown user: ${user}`);
  return listOf(call, target, requestedUser?.id ?? null);
}

interface UserRoles {
  readonly user: string;
  readonly roles: readonly string[];
}

/** Sets a user's roles as a capacity and returns them. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION */
export const userRolesSet = (
  call: Call,
  { domainObject, expectedVersion, ...one }: UserRoles & { domainObject: string; expectedVersion?: number | null },
) =>
  inTransaction(call, async (call) => {
    const problems = checkUserRoles(one.user, one.roles, ['roles']);
    const { target, userIds } = await requestedRoles(call, domainObject, [one], problems);
    await setRoles(call, target, userIds[0]!, one.roles, expectedVersion);
    return listOf(call, target, userIds[0]!);
  });

/** Sets roles of several users atomically and returns the roles of all users. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION */
export const rolesOfUsersSet = (
  call: Call,
  input: { domainObject: string; userRoles: readonly UserRoles[]; expectedVersion?: number | null },
) =>
  inTransaction(call, async (call) => {
    const problems = input.userRoles.flatMap(({ user, roles }, index) =>
      checkUserRoles(user, roles, ['userRoles', index, 'roles']),
    );
    const { target, userIds } = await requestedRoles(call, input.domainObject, input.userRoles, problems);
    for (const [index, { roles }] of input.userRoles.entries())
      await setRoles(call, target, userIds[index]!, roles, index === 0 ? input.expectedVersion : null);
    return listOf(call, target, null);
  });

/** The group whose roles the caller may set, and the users, after all checks. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION */
async function requestedRoles(
  call: Call,
  domainObject: string,
  userRoles: readonly UserRoles[],
  problems: readonly Problem[],
): Promise<{ target: GroupTarget; userIds: string[] }> {
  if (call.actor.userId === null && !call.actor.sysadmin) throw notAuthorized('sign in to change roles');
  const target = await targetOf(call, domainObject);
  allow(await mayNotSet(call, target));
  const userIds: string[] = [];
  for (const { user } of userRoles) {
    const found = await orNull(userShow(call, user));
    if (!found) throw notFound(`Cannot find user ${user}`);
    userIds.push(found.id);
  }
  refuse([...checkRoleObject(target.kind), ...problems]);
  return { target: target as GroupTarget, userIds };
}

async function setRoles(
  call: Call,
  { group }: GroupTarget,
  user: string,
  roles: readonly string[],
  expectedVersion: number | null | undefined,
): Promise<void> {
  const role = capacityOf(roles);
  if (role)
    await memberSetRole(call, { group: group.id, user, capacity: role, expectedVersion: expectedVersion ?? null });
  else
    await memberDrop(call, {
      group: group.id,
      objectType: 'user',
      object: user,
      expectedVersion: expectedVersion ?? null,
    });
}

/** The object that a text names: the site, a dataset, or a group. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
async function targetOf(call: Call, domainObject: string): Promise<Target> {
  if (domainObject === 'system') return { kind: 'SYSTEM' };
  const dataset = await orNull(datasetShow(call, domainObject));
  if (dataset) return { kind: 'DATASET', dataset };
  const group = await orNull(groupShow(call, domainObject, null));
  if (group) return { kind: 'GROUP', group };
  throw notFound(`Domain object ${domainObject} not found`);
}

async function mayNotSet(call: Call, target: Target): Promise<string | null> {
  const { actor, settings } = call;
  if (target.kind === 'DATASET') return mayUpdateDataset(actor, target.dataset, settings);
  return mayChangeRoles(actor, target.kind === 'GROUP' ? await capacityIn(call, target.group) : null);
}

async function listOf(call: Call, target: Target, userId: string | null): Promise<RoleListRecord> {
  const objectId = target.kind === 'DATASET' ? target.dataset.id : target.kind === 'GROUP' ? target.group.id : null;
  const holders = (await holdersOf(call, target))
    .filter(({ id }) => userId === null || id === userId)
    .sort((a, b) => compareText(a.name, b.name));
  const roles = holders.map(({ id, role }) => ({ id: idOf(objectId ?? 'system', id, role), role, userId: id }));
  return { kind: target.kind, objectId, userId, roles };
}

async function holdersOf(call: Call, target: Target): Promise<Holder[]> {
  if (target.kind === 'SYSTEM') return pseudoUsersWith(call, rolesOnSite(call.settings));
  if (target.kind === 'DATASET') {
    const { dataset } = target;
    const pseudoUsers = await pseudoUsersWith(call, rolesOnDataset(dataset, call.settings));
    const creator = dataset.creatorId && (await userInGroup(call.db, dataset.creatorId, dataset.ownerOrganizationId));
    const role = creator ? roleOfCreator(dataset, creator, call.settings) : null;
    return creator && role ? [...pseudoUsers, { ...creator, role }] : pseudoUsers;
  }
  const open = target.group.state === 'active' ? 'reader' : null;
  const members = await membersOf(call.db, target.group.id);
  return [
    ...(await pseudoUsersWith(call, { [VISITOR]: open, [LOGGED_IN]: open })),
    ...members.flatMap(({ id, name, capacity }) => {
      const role = roleOf(capacity);
      return role ? [{ id, name, role }] : [];
    }),
  ];
}

/** The pseudo-users with their roles. */
async function pseudoUsersWith(call: Call, roles: Readonly<Record<string, Role | null>>): Promise<Holder[]> {
  const users = await usersByName(call.sql, Object.keys(roles));
  return users.flatMap(({ id, name }) => (roles[name] ? [{ id, name, role: roles[name] }] : []));
}

/** An id in the form that clients expect, derived from its parts. */
const idOf = (...parts: string[]): string =>
  createHash('sha1')
    .update(parts.join(' '))
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
