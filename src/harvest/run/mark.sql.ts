/** Sets marks of a harvest in bulk. In SQL because Prisma has no INSERT … SELECT: it would read and send every record of a source. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { Mark, Marked, MarkKind } from './mark.store.ts';

const DATASETS = `r.source_id = $2 AND r.kind = 'dataset'`;
// An index serves comparisons in its own collation only. Marks have the collation "C", records the database's.
const marked = (mark: MarkKind, record: string) =>
  `EXISTS (SELECT FROM harvest_mark m WHERE m.run_id = $1 AND m.mark = '${mark}' AND m.record = ${record} COLLATE "C")`;

const statements = {
  set: {
    name: 'harvest_marks_set',
    text: `INSERT INTO harvest_mark (run_id, mark, record) SELECT DISTINCT $1, $2, record FROM unnest($3::text[]) AS k(record)
      ON CONFLICT DO NOTHING RETURNING record`,
  },
  requested: {
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

/** Sets a mark on records. Returns the records that did not have it. */
export const setMarks = async (sql: Sql, run: Marked, mark: MarkKind, records: readonly string[]): Promise<string[]> =>
  (await sql.rows<Pick<Mark, 'record'>>(statements.set, [run.runId, mark, records])).map(({ record }) => record);

/** Marks listed records that were never copied, that came back, or that failed and were not read in this run. */
export const markRequested = async (sql: Sql, run: Marked): Promise<void> =>
  void (await sql.rows(statements.requested, [run.runId, run.sourceId]));

/** Marks copied records that are not listed. Returns their number, and the number of all copied records. */
export const markSuspects = async (sql: Sql, run: Marked): Promise<{ known: number; suspects: number }> =>
  (await sql.rows<{ known: number; suspects: number }>(statements.suspects, [run.runId, run.sourceId]))[0]!;
