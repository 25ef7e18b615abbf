/** What of a source is what here, while a run goes on. */
import type { Call } from '../../kernel/call.ts';
import { findKnown, type KnownRecord, putKnown, type RecordKind } from './known.store.ts';

export interface Known {
  find(kind: RecordKind, recordId: string): Promise<KnownRecord | null>;
  /** Writes it down in the transaction of the call, so that the object and what is known of it are there together. */
  put(call: Call, known: Omit<KnownRecord, 'sourceId' | 'writtenAt'>): Promise<void>;
}

export const createKnown = (callNow: () => Call, sourceId: string): Known => ({
  find: (kind, recordId) => findKnown(callNow().db, sourceId, kind, recordId),
  put: (call, known) => putKnown(call.db, { ...known, sourceId, writtenAt: call.now }),
});
