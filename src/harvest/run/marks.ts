/** Per-record state of a run. Stored in the database, because a source may list more records than memory holds. */
import type { Call } from '../../kernel/call.ts';
import { findSeveralKnown, type KnownRecord } from './known.store.ts';
import { markRequested, markSuspects, setMarks } from './mark.sql.ts';
import {
  clearMarks,
  clearOtherMarks,
  dropMark,
  hasMark,
  type Mark,
  type Marked,
  type MarkKind,
  marksAfter,
  putMark,
  renameMarks,
} from './mark.store.ts';

/** Records read or written per statement. */
const PAGE = 1_000;

export interface Marks {
  /** Clears the state of earlier runs that did not finish. */
  begin(): Promise<void>;
  /** Clears all state. */
  end(): Promise<void>;
  /** Sets a mark on records. Returns those that did not have it. */
  set(mark: MarkKind, records: Iterable<string>): Promise<Set<string>>;
  /** Sets a mark with a detail text. */
  put(mark: MarkKind, record: string, detail: string): Promise<void>;
  has(mark: MarkKind, record: string): Promise<boolean>;
  drop(mark: MarkKind, record: string): Promise<void>;
  /** Replaces one mark by another on all records. */
  rename(from: MarkKind, to: MarkKind): Promise<void>;
  each(mark: MarkKind): AsyncGenerator<Mark>;
  /** Marks as `requested`: records that are `listed` but never imported, records that reappeared, and failed records not seen in this run. */
  want(): Promise<void>;
  /** Marks imported records that are not `listed` as `suspect`. Returns their number and the number of all imported records. */
  suspect(): Promise<{ readonly known: number; readonly suspects: number }>;
  suspects(): AsyncGenerator<KnownRecord>;
}

export function createMarks(callNow: () => Call, run: Marked): Marks {
  const db = () => callNow().db;
  const sql = () => callNow().sql;
  return {
    begin: () => clearOtherMarks(db(), run),
    end: () => clearMarks(db(), run),
    async set(mark, records) {
      const fresh = new Set<string>();
      const all = [...records];
      for (let at = 0; at < all.length; at += PAGE)
        for (const record of await setMarks(sql(), run, mark, all.slice(at, at + PAGE))) fresh.add(record);
      return fresh;
    },
    put: (mark, record, detail) => putMark(db(), run, mark, record, detail),
    has: (mark, record) => hasMark(db(), run, mark, record),
    drop: (mark, record) => dropMark(db(), run, mark, record),
    rename: (from, to) => renameMarks(db(), run, from, to),
    async *each(mark) {
      for await (const page of pagesOf(mark)) yield* page;
    },
    want: () => markRequested(sql(), run),
    suspect: () => markSuspects(sql(), run),
    async *suspects() {
      for await (const page of pagesOf('suspect'))
        yield* await findSeveralKnown(
          db(),
          run.sourceId,
          'dataset',
          page.map(({ record }) => record),
        );
    },
  };

  /** Keyset pagination: concurrent deletes shift nothing. */
  async function* pagesOf(mark: MarkKind): AsyncGenerator<Mark[]> {
    for (let after = ''; ; ) {
      const page = await marksAfter(db(), run, mark, after, PAGE);
      yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.record;
    }
  }
}
