/** What a run keeps in mind of single records. In the database: a source may list more than memory holds. */
import type { Call } from '../../kernel/call.ts';
import { findSeveralKnown, type KnownRecord } from './known.store.ts';
import { markSuspects, markWanted, setMarks } from './mark.sql.ts';
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

/** Records that are read or written at a time. */
const PAGE = 1_000;

export interface Marks {
  /** Forgets what earlier runs kept that did not come to their end. */
  begin(): Promise<void>;
  /** Forgets everything. */
  end(): Promise<void>;
  /** Sets a mark at records; answers those that had it not yet. */
  set(mark: MarkKind, records: Iterable<string>): Promise<Set<string>>;
  /** Sets a mark that says something. */
  put(mark: MarkKind, record: string, detail: string): Promise<void>;
  has(mark: MarkKind, record: string): Promise<boolean>;
  drop(mark: MarkKind, record: string): Promise<void>;
  /** All that have one mark get another one. */
  rename(from: MarkKind, to: MarkKind): Promise<void>;
  each(mark: MarkKind): AsyncGenerator<Mark>;
  /** Marks as `wanted` what the source lists (`listed`) and was never brought here, what came back, and what failed and was not met. */
  want(): Promise<void>;
  /** Marks as `suspect` what came from the source and is not `listed`; how many those are, and how many came from it. */
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
    want: () => markWanted(sql(), run),
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

  /** Each behind the last one's end: what is dropped meanwhile shifts nothing. */
  async function* pagesOf(mark: MarkKind): AsyncGenerator<Mark[]> {
    for (let after = ''; ; ) {
      const page = await marksAfter(db(), run, mark, after, PAGE);
      yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.record;
    }
  }
}
