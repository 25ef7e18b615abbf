import { afterCommit, type Call, traceparentOf } from '../kernel/call.ts';
import { type ChangeRecord, forgetChanges, insertRevision, leaveStreams } from './changes.sql.ts';

/**
 * Records the writes of this call: one revision, one change per object. Call it inside the transaction of the writes.
 * The caller makes `revisionId` (newId), because its rows carry it too. `groupIds` are further groups and organizations
 * that the write concerns: a dataset joined or left them.
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
    at: call.request.now,
    authorId: userId,
    author: name ?? address,
    message,
    changes,
    groupIds,
    traceparent: traceparentOf(call),
  });
  afterCommit(call, notifyReaders);
}

/**
 * Removes a purged object's past from all streams and revisions. Its revisions stay valid positions for readers that
 * continue from them. Call it inside the transaction.
 */
export const forgetPast = (call: Call, type: ChangeRecord['objectType'], id: string): Promise<void> =>
  forgetChanges(call.sql, type, id);

/**
 * Removes the past of public datasets from the streams of groups and organizations that they have left, as recorded.
 * Call it inside the transaction, after their rows are written.
 */
export const movePast = (call: Call, datasetIds: readonly string[]): Promise<void> =>
  leaveStreams(call.sql, datasetIds);

const notifyReaders = async ({ process: { feed } }: Call): Promise<void> => feed.wrote();
