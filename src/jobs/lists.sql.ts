/** Lists of jobs, newest first. In SQL because Prisma has no microseconds: pages would omit jobs of one millisecond. */
import type { Sql } from '../infra/postgres/db.ts';
import type { Key, Keyset } from '../kernel/connection.ts';
import { beyond, formOf, keyColumn, orderOf, type SortKey } from '../kernel/keyset.sql.ts';
import { JOB_COLUMNS } from './job.sql.ts';
import type { JobRecord } from './job.store.ts';

/** Conditions on jobs; null for none. */
export interface JobChoice {
  readonly datasetId: string | null;
  readonly subjectId: string | null;
  readonly kind: string | null;
  readonly state: string | null;
  readonly since: Date | null;
}

export const JOB_KEYS: readonly SortKey[] = [
  { sql: 'j.created_at', type: 'instant', descending: true },
  { sql: 'j.id', type: 'text', descending: true },
];

const CHOSEN = `($1::text IS NULL OR j.dataset_id = $1) AND ($2::text IS NULL OR j.subject_id = $2)
  AND ($3::text IS NULL OR j.kind = $3) AND ($4::text IS NULL OR j.state = $4)
  AND ($5::timestamptz IS NULL OR j.created_at >= $5)`;
const chosen = ({ datasetId, subjectId, kind, state, since }: JobChoice) => [datasetId, subjectId, kind, state, since];

/** A job with the key of a list. */
export type ListedJob = JobRecord & { readonly key: Key };

/** A page of jobs (one more than its limit), in reading order. */
export function pageOfJobs(sql: Sql, choice: JobChoice, page: Keyset): Promise<ListedJob[]> {
  const statement = {
    name: `job_list_${formOf(page)}`,
    text: `SELECT ${JOB_COLUMNS}, ${keyColumn(JOB_KEYS)} FROM job j WHERE ${CHOSEN} AND ${beyond(JOB_KEYS, page, 7)}
      ORDER BY ${orderOf(JOB_KEYS, page)} LIMIT $6`,
  };
  return sql.rows(statement, [...chosen(choice), page.limit + 1, ...(page.from ?? [])]);
}

export const countJobs = async (sql: Sql, choice: JobChoice): Promise<number> =>
  (await sql.rows<{ n: number }>({ text: `SELECT count(*)::int AS n FROM job j WHERE ${CHOSEN}` }, chosen(choice)))[0]!
    .n;
