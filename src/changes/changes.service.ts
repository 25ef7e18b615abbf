import { afterCommit, type Call } from '../kernel/call.ts';
import { type ChangeRecord, forgetChanges, insertRevision, leaveStreams } from './changes.sql.ts';

/**
 * Records what this call does: one revision, one change per object. Call it inside the transaction that does it.
 * `revisionId` is made by the caller (newId), because the rows it writes carry it too. `groupIds` name groups and organizations that it
 * concerns beside those it changes: a dataset came into them or went out of them.
 */
export async function recordRevision(
  call: Call,
  revisionId: string,
  message: string,
  changes: ChangeRecord[],
  groupIds: readonly string[] = [],
): Promise<void> {
  const { userId, name, address } = call.actor;
  await insertRevision(call.sql, {
    id: revisionId,
    at: call.now,
    authorId: userId,
    author: name ?? address,
    message,
    changes,
    groupIds,
  });
  afterCommit(call, tellReaders);
}

/**
 * Removes an object's past from everybody's streams and revisions, because the object is purged. Its revisions stay valid positions
 * for readers that go on from them. Call it inside the transaction.
 */
export const forgetPast = (call: Call, type: ChangeRecord['objectType'], id: string): Promise<void> =>
  forgetChanges(call.sql, type, id);

/**
 * Removes the past of datasets that are public from the streams of groups and organizations that they are no longer in, as recorded.
 * Call it inside the transaction, after their rows are written.
 */
export const movePast = (call: Call, datasetIds: readonly string[]): Promise<void> =>
  leaveStreams(call.sql, datasetIds);

const tellReaders = async ({ feed }: Call): Promise<void> => feed.wrote();
