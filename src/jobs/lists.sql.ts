/** Lists jobs. In SQL because Prisma has no microseconds: pages would omit jobs of one millisecond. */
import type { Sql } from '../infra/postgres/db.ts';
import type { Key, Keyset } from '../kernel/connection.ts';
import { beyond, formOf, keyColumn, keysIn, type Order, orderOf, type SortKey } from '../kernel/keyset.sql.ts';
import { JOB_COLUMNS } from './job.sql.ts';
import type { JobRecord } from './job.store.ts';

/** Conditions on jobs; null for none. */
export interface JobChoice {
  readonly datasetId: string | null;
  readonly subjectId: string | null;
  readonly kind: string | null;
  readonly state: string | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

/** Sort keys of the fields, in the direction of their indexes. */
export const JOB_FIELDS = {
  CREATED: [
    { sql: 'j.created_at', type: 'instant', descending: true },
    { sql: 'j.id', type: 'text', descending: true },
  ],
} satisfies Readonly<Record<string, readonly SortKey[]>>;
export type JobOrder = Order<keyof typeof JOB_FIELDS>;

const CHOSEN = `($1::text IS NULL OR j.dataset_id = $1) AND ($2::text IS NULL OR j.subject_id = $2)
  AND ($3::text IS NULL OR j.kind = $3) AND ($4::text IS NULL OR j.state = $4)
  AND ($5::timestamptz IS NULL OR j.created_at >= $5)
  AND ($6::timestamptz IS NULL OR j.created_at < $6::timestamptz + interval '1 millisecond')`;
const chosen = ({ datasetId, subjectId, kind, state, since, until }: JobChoice) => [
  datasetId,
  subjectId,
  kind,
  state,
  since,
  until,
];

/** A job with the key of a list. */
export type ListedJob = JobRecord & { readonly key: Key };

/** A page of jobs (one more than its limit), in reading order. */
export function pageOfJobs(sql: Sql, choice: JobChoice, order: JobOrder, page: Keyset): Promise<ListedJob[]> {
  const keys = keysIn(JOB_FIELDS, order);
  const statement = {
    name: `job_list_${order.replace(' ', '_').toLowerCase()}_${formOf(page)}`,
    text: `SELECT ${JOB_COLUMNS}, ${keyColumn(keys)} FROM job j WHERE ${CHOSEN} AND ${beyond(keys, page, 8)}
      ORDER BY ${orderOf(keys, page)} LIMIT $7`,
  };
  return sql.rows(statement, [...chosen(choice), page.limit + 1, ...(page.from ?? [])]);
}

export const countJobs = async (sql: Sql, choice: JobChoice): Promise<number> =>
  (await sql.rows<{ n: number }>({ text: `SELECT count(*)::int AS n FROM job j WHERE ${CHOSEN}` }, chosen(choice)))[0]!
    .n;
