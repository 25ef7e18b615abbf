/** Keeps what a run must not forget of single records, in SQL: a source may be larger than memory. */
import type { Sql, Statement } from '../../kernel/db.ts';

/**
 * met: ids of datasets that were dealt with; state: datasets as they were met; walked: names on pages of datasets; listed: names of all
 * that is at the source; wanted: what is to be asked for; suspect: what is here and not listed; related: has relations (`detail`).
 */
export type MarkKind = 'met' | 'state' | 'walked' | 'listed' | 'wanted' | 'suspect' | 'related';

/** Whose marks. */
export interface Marked {
  readonly runId: string;
  readonly sourceId: string;
}

export interface Mark {
  readonly record: string;
  readonly detail: string | null;
}

const DATASETS = `r.source_id = $2 AND r.kind = 'dataset'`;
// Indexes are looked into only by comparisons in their own collation: marks stand in the order of bytes, records in the database's.
const marked = (mark: MarkKind, record: string) =>
  `EXISTS (SELECT FROM harvest_mark m WHERE m.run_id = $1 AND m.mark = '${mark}' AND m.record = ${record} COLLATE "C")`;

const statements = {
  clear: { name: 'harvest_marks_clear', text: 'DELETE FROM harvest_mark WHERE run_id = $1' },
  clearOthers: {
    name: 'harvest_marks_clear_others',
    text: 'DELETE FROM harvest_mark WHERE run_id IN (SELECT id FROM harvest_run WHERE source_id = $2 AND id <> $1)',
  },
  set: {
    name: 'harvest_marks_set',
    text: `INSERT INTO harvest_mark (run_id, mark, record) SELECT DISTINCT $1, $2, record FROM unnest($3::text[]) AS k(record)
      ON CONFLICT DO NOTHING RETURNING record`,
  },
  put: {
    name: 'harvest_mark_put',
    text: `INSERT INTO harvest_mark (run_id, mark, record, detail) VALUES ($1, $2, $3, $4)
      ON CONFLICT (run_id, mark, record) DO UPDATE SET detail = EXCLUDED.detail`,
  },
  drop: { name: 'harvest_mark_drop', text: 'DELETE FROM harvest_mark WHERE run_id = $1 AND mark = $2 AND record = $3' },
  has: {
    name: 'harvest_mark_has',
    text: 'SELECT FROM harvest_mark WHERE run_id = $1 AND mark = $2 AND record = $3',
  },
  after: {
    name: 'harvest_marks_after',
    text: `SELECT record, detail FROM harvest_mark WHERE run_id = $1 AND mark = $2 AND record > $3 ORDER BY record LIMIT $4`,
  },
  rename: { name: 'harvest_marks_rename', text: `UPDATE harvest_mark SET mark = $3 WHERE run_id = $1 AND mark = $2` },
  wanted: {
    name: 'harvest_marks_wanted',
    text: `INSERT INTO harvest_mark (run_id, mark, record)
      SELECT $1, 'wanted', record FROM (SELECT l.record FROM harvest_mark l WHERE l.run_id = $1 AND l.mark = 'listed'
        EXCEPT SELECT r.record_name FROM harvest_record r WHERE ${DATASETS}) k
      UNION SELECT $1, 'wanted', r.record_id FROM harvest_record r WHERE ${DATASETS}
        AND (r.state = 'failed' OR (r.state = 'gone' AND ${marked('listed', 'r.record_name')})) AND NOT ${marked('met', 'r.record_id')}
      ON CONFLICT DO NOTHING`,
  },
  suspects: {
    name: 'harvest_marks_suspects',
    text: `WITH here AS (SELECT r.record_id, ${marked('listed', 'r.record_name')} AS listed FROM harvest_record r
        WHERE ${DATASETS} AND r.state <> 'gone'),
      suspects AS (INSERT INTO harvest_mark (run_id, mark, record) SELECT $1, 'suspect', record_id FROM here WHERE NOT listed
        ON CONFLICT DO NOTHING)
      SELECT count(*)::int AS known, (count(*) FILTER (WHERE NOT listed))::int AS suspects FROM here`,
  },
} satisfies Record<string, Statement>;

/** Forgets what runs of the source kept that did not come to their end. */
export const clearOtherMarks = async (sql: Sql, run: Marked): Promise<void> =>
  void (await sql.rows(statements.clearOthers, [run.runId, run.sourceId]));

export const clearMarks = async (sql: Sql, run: Marked): Promise<void> =>
  void (await sql.rows(statements.clear, [run.runId]));

/** Sets a mark at records; answers those that had it not yet. */
export const setMarks = async (sql: Sql, run: Marked, mark: MarkKind, records: readonly string[]): Promise<string[]> =>
  (await sql.rows<Mark>(statements.set, [run.runId, mark, records])).map(({ record }) => record);

export const putMark = async (sql: Sql, run: Marked, mark: MarkKind, record: string, detail: string): Promise<void> =>
  void (await sql.rows(statements.put, [run.runId, mark, record, detail]));

export const dropMark = async (sql: Sql, run: Marked, mark: MarkKind, record: string): Promise<void> =>
  void (await sql.rows(statements.drop, [run.runId, mark, record]));

export const hasMark = async (sql: Sql, run: Marked, mark: MarkKind, record: string): Promise<boolean> =>
  (await sql.rows(statements.has, [run.runId, mark, record])).length > 0;

/** A page of marks by record; `after` is empty at first. */
export const marksAfter = (sql: Sql, run: Marked, mark: MarkKind, after: string, limit: number): Promise<Mark[]> =>
  sql.rows(statements.after, [run.runId, mark, after, limit]);

/** Makes of one mark another one, which no record may have. */
export const renameMarks = async (sql: Sql, run: Marked, from: MarkKind, to: MarkKind): Promise<void> =>
  void (await sql.rows(statements.rename, [run.runId, from, to]));

/** Marks as wanted what is listed and was never brought here, what came back, and what failed and was not met. */
export const markWanted = async (sql: Sql, run: Marked): Promise<void> =>
  void (await sql.rows(statements.wanted, [run.runId, run.sourceId]));

/** Marks as suspect what came from the source and is not listed; how many those are, and how many came from it. */
export const markSuspects = async (sql: Sql, run: Marked): Promise<{ known: number; suspects: number }> =>
  (await sql.rows<{ known: number; suspects: number }>(statements.suspects, [run.runId, run.sourceId]))[0]!;
