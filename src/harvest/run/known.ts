/** Maps a source's records to local objects during a run. */
import type { Call } from '../../kernel/call.ts';
import { findKnown, type KnownRecord, putKnown, type RecordKind } from './known.store.ts';

export interface Known {
  find(kind: RecordKind, recordId: string): Promise<KnownRecord | null>;
  /** Stores the mapping in the transaction of the call, atomically with the object. */
  put(call: Call, known: Omit<KnownRecord, 'sourceId' | 'writtenAt'>): Promise<void>;
}

export const createKnown = (callNow: () => Call, sourceId: string): Known => ({
  find: (kind, recordId) => findKnown(callNow().db, sourceId, kind, recordId),
  put: (call, known) => putKnown(call.db, { ...known, sourceId, writtenAt: call.request.now }),
});
