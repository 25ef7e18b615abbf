/** Changes single members of a group or organization. Whole lists are written with the group. */
import { recordRevision } from '../../changes/changes.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, invalid, invalidField, notAuthorized, notFound, type Problem, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { fileDatasets, unfileDatasets } from '../document/document.service.ts';
import { readerOf } from '../document/readable.ts';
import { mayChangeMembers, mayChangeRoles } from './group.policy.ts';
import { capacityIn, type GroupRecord, groupShow } from './group.service.ts';
import { findGroup } from './group.store.ts';
import { checkCapacity, isMemberKind, isRole, type RoleRecord, rolesOf, unknownKind } from './member.rules.ts';
import { listMembers } from './member.sql.ts';
import { dropMember, findMember, type MemberKind, type MemberRecord, putMember } from './member.store.ts';
import { datasetChange } from './parts.service.ts';
import { groupsBelow, lockHierarchy } from './references.sql.ts';
import { requestedDatasets, requestedParents, requestedUsers } from './references.store.ts';
import { lockAtVersion } from './write.service.ts';
import { touchGroup } from './write.store.ts';

/** The group version that the caller has read. */
interface AtVersion {
  readonly expectedVersion?: number | null;
}

/** Members of a group of all kinds, by kind and id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function memberList(
  call: Call,
  input: { group: string; objectType?: string | null; capacity?: string | null },
): Promise<MemberRecord[]> {
  const group = await groupShow(call, input.group, null);
  return listMembers(call.sql, group.id, input.objectType || null, input.capacity || null, readerOf(call.actor));
}

/** The roles of users, the strongest first. */
export const memberRoles = (groupType: string | null): RoleRecord[] => [...rolesOf(groupType)];

/** Gives a user a capacity. @throws CatalogError VALIDATION (unknown group, user, capacity), NOT_AUTHORIZED */
export function memberSetRole(
  call: Call,
  input: AtVersion & { group: string; user: string; capacity: string },
): Promise<MemberRecord> {
  return inTransaction(call, async (call) => {
    const group = await findGroup(call.sql, input.group);
    if (group) allow(mayChangeRoles(call.actor, await capacityIn(call, group)));
    else if (call.actor.userId === null) throw notAuthorized('sign in to change members');
    const userId = (await requestedUsers(call, [input.user])).get(input.user);
    const problems: Problem[] = [];
    if (!group) problems.push({ path: ['group'], message: 'That group name or ID does not exist.' });
    if (!userId) problems.push({ path: ['user'], message: 'Not found: User' });
    if (!isRole(input.capacity)) problems.push({ path: ['capacity'], message: 'Must be ADMIN, EDITOR or MEMBER' });
    refuse(problems);
    await checkGroup(call, group!, input);
    return put(call, group!, 'user', userId!, input.capacity);
  });
}

/** Removes a user and returns their id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export const memberRemove = (
  call: Call,
  { user, ...rest }: AtVersion & { group: string; user: string },
): Promise<string> => memberDrop(call, { ...rest, objectType: 'user', object: user });

/** Adds a member of any kind. @throws CatalogError NOT_FOUND, VALIDATION, NOT_AUTHORIZED */
export function memberAdd(
  call: Call,
  input: AtVersion & { group: string; objectType: string; object: string; capacity: string },
): Promise<MemberRecord> {
  return inTransaction(call, async (call) => {
    if (input.objectType === 'group') await lockHierarchy(call.sql);
    const { group, kind, objectId } = await target(call, input);
    refuse(checkCapacity(input.capacity));
    await checkGroup(call, group, input, kind === 'dataset' ? [objectId] : []);
    return put(call, group, kind, objectId, input.capacity);
  });
}

/** Removes a member of any kind and returns its id; it need not be a member. @throws CatalogError NOT_FOUND, VALIDATION, NOT_AUTHORIZED */
export function memberDrop(
  call: Call,
  input: AtVersion & { group: string; objectType: string; object: string },
): Promise<string> {
  return inTransaction(call, async (call) => {
    const { group, kind, objectId } = await target(call, input);
    await checkGroup(call, group, input, kind === 'dataset' ? [objectId] : []);
    const removed =
      kind === 'dataset'
        ? (await unfileDatasets(call, group.id, [objectId])).length > 0
        : await dropMember(call.db, group.id, kind, objectId);
    if (removed) await record(call, group, kind, objectId, newId(), null);
    return objectId;
  });
}

/** Locks the group only if the caller sent a version. @throws CatalogError CONFLICT */
async function checkGroup(
  call: Call,
  { id }: GroupRecord,
  { expectedVersion }: AtVersion,
  datasets: readonly string[] = [],
): Promise<void> {
  if (expectedVersion != null) await lockAtVersion(call, id, expectedVersion, datasets);
}

async function put(
  call: Call,
  group: GroupRecord,
  kind: MemberKind,
  objectId: string,
  capacity: string,
): Promise<MemberRecord> {
  if (kind === 'group' && (await groupsBelow(call.sql, group.id)).has(objectId)) {
    throw invalidField('object', 'A group cannot be a parent of itself or of its own parents');
  }
  const before = await findMember(call.db, group.id, kind, objectId);
  if (before?.capacity === capacity) return before;
  const revisionId = newId();
  if (kind === 'dataset') await fileDatasets(call, group, [objectId], capacity, revisionId);
  else await putMember(call.db, group.id, kind, objectId, capacity, revisionId);
  await record(call, group, kind, objectId, revisionId, capacity);
  return {
    id: null,
    groupId: group.id,
    objectType: kind,
    objectId,
    capacity,
    revisionId,
    ...(await findMember(call.db, group.id, kind, objectId)),
  };
}

/** Records one revision: the group changed, and the dataset if the member is one. `capacity` null: removed. */
async function record(
  call: Call,
  group: GroupRecord,
  kind: MemberKind,
  objectId: string,
  revisionId: string,
  capacity: string | null,
): Promise<void> {
  await touchGroup(call.db, group.id);
  await recordRevision(
    call,
    revisionId,
    `REST API: ${capacity === null ? 'Delete Member' : 'Create member object'} ${group.name}`,
    [
      {
        objectType: group.isOrganization ? 'organization' : 'group',
        objectId: group.id,
        action: 'updated',
        detail: { name: group.name, title: group.title, member: { type: kind, id: objectId, capacity } },
      },
      ...(kind === 'dataset'
        ? [datasetChange(objectId, { [capacity === null ? 'takenOutOf' : 'filedUnder']: group.name })]
        : []),
    ],
  );
}

/** The group and the object, if both exist and the caller may change the group and see the object. */
async function target(
  call: Call,
  input: { group: string; objectType: string; object: string },
): Promise<{ group: GroupRecord; kind: MemberKind; objectId: string }> {
  const group = await findGroup(call.sql, input.group);
  if (!group) throw notFound('Group was not found.');
  allow(mayChangeMembers(call.actor, group, await capacityIn(call, group), input.objectType), input.group);
  if (!isMemberKind(input.objectType)) throw invalid([unknownKind(input.objectType)]);
  const objectId = (await find(call, input.objectType, input.object)).get(input.object);
  if (!objectId)
    throw notFound(`${input.objectType.charAt(0).toUpperCase()}${input.objectType.slice(1)} was not found.`);
  return { group, kind: input.objectType, objectId };
}

function find(call: Call, kind: MemberKind, ref: string): Promise<Map<string, string>> {
  if (kind === 'user') return requestedUsers(call, [ref]);
  if (kind === 'group') return requestedParents(call, [ref]);
  return requestedDatasets(call, [ref], readerOf(call.actor));
}
