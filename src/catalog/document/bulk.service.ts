/** Bulk changes of one organization's datasets: one revision and a constant number of statements. */
import { movePast, recordRevision } from '../../changes/changes.service.ts';
import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';
import { type BulkChange, lockChanging, setMany } from './bulk.sql.ts';
import { isKnown } from './notice.rules.ts';

/** Marks every dataset of an organization deleted, in its own revision. Call it inside the transaction. */
export async function retireDatasets(call: Call, organization: { id: string; name: string }): Promise<void> {
  const message = `REST API: Delete packages of organization ${organization.name}`;
  await setDatasets(call, organization.id, null, { state: 'deleted' }, message);
}

/**
 * Changes the listed datasets (null: all) that the organization owns and that differ; ignores others. Returns their
 * ids. Call it inside the transaction.
 */
export async function setDatasets(
  call: Call,
  organizationId: string,
  datasetIds: readonly string[] | null,
  change: BulkChange,
  message: string,
): Promise<string[]> {
  const changing = await lockChanging(call.sql, organizationId, datasetIds, change);
  if (changing.length === 0) return [];
  const revisionId = newId();
  await recordRevision(
    call,
    revisionId,
    message,
    changing.map((before) => {
      const isPublic = isKnown(before, { ...before, ...change });
      return {
        objectType: 'dataset',
        objectId: before.id,
        action: change.state === 'deleted' ? 'deleted' : 'updated',
        detail: { name: before.name, title: before.title },
        activityId: isPublic ? newId() : undefined,
        isPublic,
        streams: [organizationId, ...before.groupIds],
      };
    }),
  );
  const ids = changing.map(({ id }) => id);
  await setMany(call.sql, ids, change, { id: revisionId, now: call.request.now });
  if (change.private === false) await movePast(call, ids);
  return ids;
}
