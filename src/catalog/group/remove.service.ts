/** Deletes and purges groups and organizations. */
import { forgetPast, recordRevision } from '../../changes/changes.service.ts';
import { afterCommit, type Call, inTransaction } from '../../kernel/call.ts';
import { allow, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { retireDatasets } from '../document/bulk.service.ts';
import { refreshGroupInDocuments, releaseDatasets, unfileDatasets } from '../document/document.service.ts';
import { removeDiscarded } from '../file/file.service.ts';
import { mayDeleteGroup, mayPurgeGroup } from './group.policy.ts';
import { capacityIn, type GroupRecord } from './group.service.ts';
import { findGroup } from './group.store.ts';
import { datasetChange } from './parts.service.ts';
import { lockAtVersion } from './write.service.ts';
import { deleteGroup, updateGroup } from './write.store.ts';

/**
 * Marks a group deleted; repeating it is not an error. As in CKAN, this also deletes organizations, and their datasets
 * stay unchanged. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT
 */
export const groupDelete = (call: Call, idOrName: string, expectedVersion: number | null): Promise<GroupRecord> =>
  remove(call, idOrName, expectedVersion, false);

/** Marks an organization and all its datasets deleted. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export const organizationDelete = (
  call: Call,
  idOrName: string,
  expectedVersion: number | null,
): Promise<GroupRecord> => remove(call, idOrName, expectedVersion, true);

function remove(
  call: Call,
  idOrName: string,
  expectedVersion: number | null,
  withDatasets: boolean,
): Promise<GroupRecord> {
  return inTransaction(call, async (call) => {
    const found = await findGroup(call.sql, idOrName);
    if (!found || (withDatasets && !found.isOrganization)) throw notFound('Group was not found.');
    allow(mayDeleteGroup(call.actor, found, await capacityIn(call, found), call.settings), idOrName);
    const before = await lockAtVersion(call, found.id, expectedVersion);
    const revisionId = newId();
    const already = before.state === 'deleted';
    const after: GroupRecord = already
      ? before
      : { ...before, state: 'deleted', revisionId, version: before.version + 1 };
    if (!already) {
      await updateGroup(call.db, after);
      await refreshGroupInDocuments(call, after);
      await recordRevision(call, revisionId, `REST API: Delete Group: ${after.name}`, [
        {
          objectType: after.isOrganization ? 'organization' : 'group',
          objectId: after.id,
          action: 'deleted',
          detail: { name: after.name, title: after.title, version: after.version },
          isPublic: before.state === 'active',
        },
      ]);
    }
    if (withDatasets) await retireDatasets(call, after);
    return after;
  });
}

/**
 * Purges a group or organization: its datasets leave the group, or lose their owner (private ones stay private).
 * Returns its id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT
 */
export function groupPurge(
  call: Call,
  idOrName: string,
  expectedVersion: number | null,
  isOrganization: boolean,
): Promise<string> {
  return inTransaction(call, async (call) => {
    const found = await findGroup(call.sql, idOrName);
    if (!found || found.isOrganization !== isOrganization)
      throw notFound(`${isOrganization ? 'Organization' : 'Group'} was not found`);
    allow(mayPurgeGroup(call.actor));
    await lockAtVersion(call, found.id, expectedVersion);
    const revisionId = newId();
    const released = isOrganization ? await releaseDatasets(call, found.id, revisionId) : [];
    const unfiled = await unfileDatasets(call, found.id, null);
    await deleteGroup(call.db, found.id);
    await forgetPast(call, isOrganization ? 'organization' : 'group', found.id);
    afterCommit(call, removeDiscarded); // its image
    await recordRevision(
      call,
      revisionId,
      `REST API: Purge ${isOrganization ? 'organization' : 'group'} ${found.name}`,
      [
        {
          objectType: isOrganization ? 'organization' : 'group',
          objectId: found.id,
          action: 'purged',
          detail: { name: found.name, title: found.title },
        },
        ...released.map((id) => datasetChange(id, { formerOwner: found.name })),
        ...unfiled.map((id) => datasetChange(id, { takenOutOf: found.name })),
      ],
    );
    return found.id;
  });
}
