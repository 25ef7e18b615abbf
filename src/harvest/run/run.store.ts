/** Keeps runs and what they say of single records, in SQL. */
import type { Keyset } from '../../kernel/connection.ts';
import type { Sql, Statement } from '../../kernel/db.ts';

/** What became of the records of a run. */
export const OUTCOMES = ['created', 'updated', 'unchanged', 'deleted', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type Counts = Record<Outcome, number>;

export type RunState = 'running' | 'done' | 'failed' | 'stopped';

export interface RunRecord extends Counts {
  readonly id: string;
  /** Grows with every run. */
  readonly number: number;
  readonly sourceId: string;
  readonly state: RunState;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly message: string | null;
}

/** What is said of one record: a fault, or how it is here otherwise than at the source. */
export interface RemarkRecord {
  readonly runId: string;
  readonly number: number;
  readonly isFault: boolean;
  readonly kind: string;
  readonly recordId: string;
  readonly recordName: string;
  readonly message: string;
}

const COLUMNS = `id, number, source_id AS "sourceId", state, started_at AS "startedAt", finished_at AS "finishedAt",
  ${OUTCOMES.join(', ')}, message`;

const REMARK_COLUMNS = `run_id AS "runId", number, is_fault AS "isFault", kind, record_id AS "recordId",
  record_name AS "recordName", message`;

const statements = {
  pages: {
    name: 'harvest_runs_pages',
    text: `SELECT r.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM harvest_run
      WHERE source_id = k.id AND ($2::int IS NULL OR number < $2) ORDER BY number DESC LIMIT $3) AS r ORDER BY r.number DESC`,
  },
  counts: {
    name: 'harvest_runs_counts',
    text: 'SELECT source_id AS id, count(*)::int AS n FROM harvest_run WHERE source_id = ANY ($1) GROUP BY 1',
  },
  remarkPages: {
    name: 'harvest_remarks_pages',
    text: `SELECT r.* FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${REMARK_COLUMNS} FROM harvest_remark
      WHERE run_id = k.id AND ($2::int IS NULL OR number > $2) ORDER BY number LIMIT $3) AS r ORDER BY r.number`,
  },
  remarkCounts: {
    name: 'harvest_remarks_counts',
    text: 'SELECT run_id AS id, count(*)::int AS n FROM harvest_remark WHERE run_id = ANY ($1) GROUP BY 1',
  },
  insert: {
    name: 'harvest_run_insert',
    text: `INSERT INTO harvest_run (id, source_id, state, started_at) VALUES ($1, $2, 'running', $3) RETURNING ${COLUMNS}`,
  },
  // The process that began them is gone: who asks holds the lock of the source.
  stopOthers: {
    name: 'harvest_run_stop_others',
    text: `UPDATE harvest_run SET state = 'stopped', finished_at = $2, message = 'The process ended before the run did.'
      WHERE source_id = $1 AND state = 'running'`,
  },
  count: {
    name: 'harvest_run_count',
    text: `UPDATE harvest_run SET created = $2, updated = $3, unchanged = $4, deleted = $5, failed = $6 WHERE id = $1`,
  },
  finish: {
    name: 'harvest_run_finish',
    text: `UPDATE harvest_run SET state = $2, finished_at = $3, message = $4 WHERE id = $1 RETURNING ${COLUMNS}`,
  },
  remark: {
    name: 'harvest_remark_insert',
    text: `INSERT INTO harvest_remark (run_id, number, is_fault, kind, record_id, record_name, message) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
  },
} satisfies Record<string, Statement>;

export const insertRun = async (sql: Sql, id: string, sourceId: string, startedAt: Date): Promise<RunRecord> =>
  (await sql.rows<RunRecord>(statements.insert, [id, sourceId, startedAt]))[0]!;

/** Runs of the source that nobody is at any more. */
export const stopOtherRuns = async (sql: Sql, sourceId: string, at: Date): Promise<void> =>
  void (await sql.rows(statements.stopOthers, [sourceId, at]));

export const countRun = async (sql: Sql, id: string, counts: Counts): Promise<void> =>
  void (await sql.rows(statements.count, [id, ...OUTCOMES.map((outcome) => counts[outcome])]));

/** Null where the source was deleted meanwhile. */
export const finishRun = async (
  sql: Sql,
  id: string,
  state: RunState,
  at: Date,
  message: string | null,
): Promise<RunRecord | null> => (await sql.rows<RunRecord>(statements.finish, [id, state, at, message]))[0] ?? null;

export const insertRemark = async (sql: Sql, remark: RemarkRecord): Promise<void> =>
  void (await sql.rows(statements.remark, [
    remark.runId,
    remark.number,
    remark.isFault,
    remark.kind,
    remark.recordId,
    remark.recordName,
    remark.message,
  ]));

/** A page of each source's runs (one more than its limit), the newest first; of all sources in one list. */
export const pagesOfRuns = (sql: Sql, sourceIds: readonly string[], { limit, after }: Keyset): Promise<RunRecord[]> =>
  sql.rows(statements.pages, [sourceIds, after?.[0] ?? null, limit + 1]);

/** By source; those without runs are left out. */
export const countsOfRuns = (sql: Sql, sourceIds: readonly string[]): Promise<{ id: string; n: number }[]> =>
  sql.rows(statements.counts, [sourceIds]);

/** A page of each run's remarks (one more than its limit), in their order; of all runs in one list. */
export const pagesOfRemarks = (
  sql: Sql,
  runIds: readonly string[],
  { limit, after }: Keyset,
): Promise<RemarkRecord[]> => sql.rows(statements.remarkPages, [runIds, after?.[0] ?? null, limit + 1]);

/** By run; those without remarks are left out. */
export const countsOfRemarks = (sql: Sql, runIds: readonly string[]): Promise<{ id: string; n: number }[]> =>
  sql.rows(statements.remarkCounts, [runIds]);
