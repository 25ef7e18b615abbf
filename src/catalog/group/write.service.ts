/** Creates and changes groups and organizations: checks first, then rows, documents and one revision; in one transaction. */
import { recordRevision } from '../../changes/changes.service.ts';
import type { ChangeRecord } from '../../changes/changes.sql.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, checkVersion, notFound, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { refreshGroupInDocuments } from '../document/document.service.ts';
import { organizationBody } from '../document/project.ts';
import type { NewFile } from '../file/file.service.ts';
import { checkImage, imageUrlAfter, settleImage, withImage } from '../file/image.service.ts';
import { documentsDiffer, draftLists, draftRow, type Mode, rowDiffers, withSetExtras } from './group.draft.ts';
import { mayCreateGroup, mayDeleteGroup, mayUpdateGroup } from './group.policy.ts';
import { capacityIn, type GroupRecord } from './group.service.ts';
import { findGroup } from './group.store.ts';
import type { ChangeGroupInput, CreateGroupInput, GroupInput } from './input.ts';
import { writeLists } from './parts.service.ts';
import { extrasOfGroups } from './parts.store.ts';
import { checkInput } from './references.service.ts';
import { lockHierarchy } from './references.sql.ts';
import { lockGroup } from './references.store.ts';
import { insertGroup, touchGroup, updateGroup } from './write.store.ts';

/**
 * Creates a group or organization; the caller becomes its admin. @throws CatalogError NOT_AUTHORIZED, VALIDATION (all
 * problems at once), CONFLICT
 */
export function groupCreate(call: Call, input: CreateGroupInput, isOrganization: boolean): Promise<GroupRecord> {
  allow(mayCreateGroup(call.actor, isOrganization, call.settings));
  return withImage(call, input, (file) =>
    inTransaction(call, (call) => write(call, input, 'create', null, isOrganization, file)),
  );
}

/**
 * Replaces a group or organization: omitted texts stay, omitted lists become empty. `organizationsOnly` does not find
 * groups; without it, organizations are found too, as in CKAN. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED,
 * VALIDATION, CONFLICT
 */
export const groupReplace = (
  call: Call,
  idOrName: string,
  input: ChangeGroupInput,
  organizationsOnly: boolean,
): Promise<GroupRecord> => change(call, idOrName, input, 'replace', organizationsOnly);

/** Changes only the fields in the input; otherwise as groupReplace. */
export const groupPatch = (
  call: Call,
  idOrName: string,
  input: ChangeGroupInput,
  organizationsOnly: boolean,
): Promise<GroupRecord> => change(call, idOrName, input, 'patch', organizationsOnly);

const change = (
  call: Call,
  idOrName: string,
  input: ChangeGroupInput,
  mode: Mode,
  organizationsOnly: boolean,
): Promise<GroupRecord> =>
  withImage(call, input, (file) => changeWith(call, idOrName, input, mode, organizationsOnly, file));

function changeWith(
  call: Call,
  idOrName: string,
  input: ChangeGroupInput,
  mode: Mode,
  organizationsOnly: boolean,
  file: NewFile | null,
): Promise<GroupRecord> {
  return inTransaction(call, async (call) => {
    if (input.parents?.length) await lockHierarchy(call.sql);
    const found = await findGroup(call.sql, idOrName);
    if (!found || (organizationsOnly && !found.isOrganization)) throw notFound('Group was not found.');
    const capacity = await capacityIn(call, found);
    allow(mayUpdateGroup(call.actor, found, capacity), idOrName);
    // Every change from active to another state is a deletion and needs that permission.
    if (input.state && input.state !== 'active' && found.state === 'active')
      allow(mayDeleteGroup(call.actor, found, capacity, call.settings), idOrName);
    const filed = found.isOrganization ? [] : (input.datasets ?? []).map(({ id }) => id);
    const existing = await lockAtVersion(call, found.id, input.expectedVersion ?? null, filed);
    return write(call, input, mode, existing, existing.isOrganization, file);
  });
}

/**
 * Locks a group, its datasets and the datasets in the input. @throws CatalogError NOT_FOUND, CONFLICT when
 * `expectedVersion` is not its version
 */
export async function lockAtVersion(
  call: Call,
  id: string,
  expectedVersion: number | null,
  datasets: readonly string[] = [],
): Promise<GroupRecord> {
  const group = await lockGroup(call, id, datasets);
  if (!group) throw notFound('Group was not found.');
  checkVersion(group.isOrganization ? 'The organization' : 'The group', group.version, expectedVersion);
  return group;
}

async function write(
  call: Call,
  input: GroupInput & { databaseId?: string | null },
  mode: Mode,
  existing: GroupRecord | null,
  isOrganization: boolean,
  file: NewFile | null,
): Promise<GroupRecord> {
  const { image, problems: faults } = await checkImage(call, file);
  const imageUrl = await imageUrlAfter(call, 'group', existing, input, image);
  const row = draftRow(
    { ...input, imageUrl },
    blank(call, isOrganization),
    existing,
    existing !== null || call.actor.sysadmin,
  );
  const drafted = draftLists(input, mode, isOrganization);
  const before = existing && input.setExtras?.length ? await extrasOfGroups(call.sql, [existing.id]) : [];
  const lists = { ...drafted, extras: withSetExtras(drafted.extras, input, before) };
  const { requested, problems } = await checkInput(call, row, lists, existing, input.databaseId || null);
  refuse([...problems, ...faults]);
  const revisionId = newId();
  const differs = !existing || rowDiffers(existing, row);
  const after: GroupRecord = {
    ...row,
    id: existing?.id ?? (input.databaseId || newId()),
    revisionId: differs ? revisionId : row.revisionId,
    version: (existing?.version ?? 0) + 1,
  };
  if (!existing) await insertGroup(call.db, after);
  else if (differs) await updateGroup(call.db, after);
  await settleImage(call, 'group', after, existing, image);
  const written = await writeLists(call, after, requested, existing === null, revisionId);
  if (existing && documentsDiffer(existing, after)) await refreshGroupInDocuments(call, after);
  if (!differs && written.changed) await touchGroup(call.db, after.id);
  const changes = differs || written.changed ? [changeOf(existing, after), ...written.changes] : [];
  await recordRevision(
    call,
    revisionId,
    input.message || `REST API: ${existing ? 'Update' : 'Create'} object ${after.name}`,
    changes,
  );
  if (!existing) await recordCreatorsMembership(call, after);
  // A write without differences makes a revision, as in CKAN, but does not change the group.
  return existing && changes.length === 0 ? existing : after;
}

/**
 * The creator's membership has its own revision, after the one that created the group. Clients see both in a group's
 * revision list and count both as edits.
 */
async function recordCreatorsMembership(call: Call, group: GroupRecord): Promise<void> {
  const { userId } = call.actor;
  if (userId === null) return;
  await recordRevision(call, newId(), 'REST API: Create member object ', [
    {
      objectType: group.isOrganization ? 'organization' : 'group',
      objectId: group.id,
      action: 'updated',
      detail: { name: group.name, title: group.title, member: { type: 'user', id: userId, capacity: 'admin' } },
    },
  ]);
}

const changeOf = (existing: GroupRecord | null, after: GroupRecord): ChangeRecord => ({
  objectType: after.isOrganization ? 'organization' : 'group',
  objectId: after.id,
  action: actionOf(existing, after),
  detail: { name: after.name, title: after.title, version: after.version, row: organizationBody(after) },
  activityId: newId(),
  isPublic: (existing ?? after).state === 'active' || after.state === 'active',
});

function actionOf(before: GroupRecord | null, after: GroupRecord): 'created' | 'deleted' | 'restored' | 'updated' {
  if (!before) return 'created';
  if ((before.state === 'deleted') === (after.state === 'deleted')) return 'updated';
  return after.state === 'deleted' ? 'deleted' : 'restored';
}

const blank = (call: Call, isOrganization: boolean): GroupRecord => ({
  id: '',
  name: '',
  title: '',
  description: '',
  imageUrl: '',
  type: isOrganization ? 'organization' : 'group',
  isOrganization,
  approvalStatus: 'approved',
  state: 'active',
  createdAt: call.request.now,
  revisionId: '',
  version: 0,
});
