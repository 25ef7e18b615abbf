/** Jobs: background work that must not get lost. Services enqueue them; permitted users see, cancel and retry them. */
import type { DatasetFacts } from '../catalog/document/record.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../kernel/connection.ts';
import { allow, conflict, invalid, notFound } from '../kernel/errors.ts';
import { keysIn, orderIn, shapeOf } from '../kernel/keyset.sql.ts';
import { inOrder } from '../kernel/node.ts';
import { mayManageJobs } from './job.policy.ts';
import { cancelQueued, notifyWorkers, STOP } from './job.sql.ts';
import {
  findJobDataset,
  hasNewerJob,
  type JobRecord,
  jobsByIds,
  listJobDatasets,
  repeatJob,
  requestCancel,
} from './job.store.ts';
import { countJobs, JOB_FIELDS, type ListedJob, pageOfJobs } from './lists.sql.ts';

/** The backing type of JobConnection. */
export type JobPage = Connection<JobRecord>;

interface JobsArgs extends PageArgs {
  readonly where?: {
    readonly dataset?: string | null;
    readonly subject?: string | null;
    readonly kind?: string | null;
    readonly state?: string | null;
    readonly since?: Date | null;
    readonly until?: Date | null;
  } | null;
  readonly orderBy?: Parameters<typeof orderIn<keyof typeof JOB_FIELDS>>[1];
}

/** A page of jobs. @throws CatalogError NOT_AUTHORIZED, LIMIT, VALIDATION (cursor, unknown dataset) */
export async function jobList(call: Call, { where, orderBy, ...args }: JobsArgs): Promise<JobPage> {
  const { dataset: datasetId = null, subject = null, kind = null, state = null } = where ?? {};
  const dataset = datasetId === null ? null : await findJobDataset(call.sql, datasetId);
  allow(mayManageJobs(call.actor, dataset, call.settings));
  if (datasetId !== null && !dataset) throw invalid([{ path: ['where', 'dataset'], message: 'Not found: Dataset' }]);
  const order = orderIn(JOB_FIELDS, orderBy, 'CREATED');
  const page = keyset(args, shapeOf(keysIn(JOB_FIELDS, order)), call.settings['catalog.limits.rows'], order);
  const choice = {
    datasetId: dataset?.id ?? null,
    subjectId: subject,
    kind,
    state: state?.toLowerCase() ?? null,
    since: where?.since ?? null,
    until: where?.until ?? null,
  };
  const rows: JobRecord[] = await pageOfJobs(call.sql, choice, order, page);
  return connection(
    rows,
    page,
    (job) => (job as ListedJob).key,
    () => countJobs(call.sql, choice),
  );
}

/** One job. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function jobShow(call: Call, id: string): Promise<JobRecord> {
  const [job] = await jobsByIds(call.db, [id]);
  if (!job) throw notFound('no job has this id');
  allow(mayManageJobs(call.actor, await datasetOf(call, job), call.settings));
  return job;
}

/** Jobs in the order of `ids`; null for an unknown job or one that the caller may not see. */
export async function jobNodes(call: Call, ids: readonly string[]): Promise<(JobRecord | null)[]> {
  const jobs = await jobsByIds(call.db, ids);
  const seen = await manageable(call, jobs);
  return inOrder(ids, seen, (job) => job.id);
}

/** The jobs that the caller may manage; one statement for all of their datasets. */
async function manageable(call: Call, jobs: readonly JobRecord[]): Promise<JobRecord[]> {
  const datasets = await listJobDatasets(call.sql, [...new Set(jobs.flatMap(({ datasetId }) => datasetId ?? []))]);
  const byId = new Map(datasets.map((dataset) => [dataset.id, dataset]));
  return jobs.filter(
    ({ datasetId }) => mayManageJobs(call.actor, byId.get(datasetId ?? '') ?? null, call.settings) === null,
  );
}

/** Cancels a job: a waiting one at once, a running one soon. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export async function jobCancel(call: Call, { id }: { id: string }): Promise<JobRecord> {
  await jobShow(call, id);
  return inTransaction(call, async (call) => {
    const job = (await cancelQueued(call.sql, id)) ?? (await requestCancel(call.db, id));
    if (!job) throw conflict('The job has already ended.');
    await notifyWorkers(call.sql, STOP);
    return job;
  });
}

/** Enqueues a failed or cancelled job again. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export async function jobRetry(call: Call, { id }: { id: string }): Promise<JobRecord> {
  const { key } = await jobShow(call, id);
  return inTransaction(call, async (call) => {
    if (key !== null && (await hasNewerJob(call.db, key)))
      throw conflict('A newer job for the same work is queued or running.');
    const job = await repeatJob(call.db, id);
    if (!job) throw conflict('Only a failed or cancelled job can be retried.');
    await notifyWorkers(call.sql);
    return job;
  });
}

const datasetOf = async (call: Call, { datasetId }: JobRecord): Promise<DatasetFacts | null> =>
  datasetId === null ? null : ((await listJobDatasets(call.sql, [datasetId]))[0] ?? null);
