/** What of a source is what here, while a run goes on. */
import type { Call } from '../../kernel/call.ts';
import { findKnown, type KnownRecord, listKnown, putKnown, type RecordKind } from './known.store.ts';

const PAGE = 1_000;

export interface Known {
  find(kind: RecordKind, recordId: string): Promise<KnownRecord | null>;
  /** Writes it down in the transaction of the call, so that the object and what is known of it are there together. */
  put(call: Call, known: Omit<KnownRecord, 'sourceId' | 'writtenAt'>): Promise<void>;
  each(kind: RecordKind): AsyncGenerator<KnownRecord>;
}

export const createKnown = (callNow: () => Call, sourceId: string): Known => ({
  find: (kind, recordId) => findKnown(callNow().sql, sourceId, kind, recordId),
  put: (call, known) => putKnown(call.sql, { ...known, sourceId, writtenAt: call.now }),
  async *each(kind) {
    for (let after = ''; ; ) {
      const page = await listKnown(callNow().sql, sourceId, kind, after, PAGE);
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.recordId;
    }
  },
});
