/** Reads jobs. The queue itself is in job.sql.ts. */
import { type DatasetFacts, FACTS } from '../catalog/document/record.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { type ReadByKeys, readerBy } from '../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../infra/postgres/db.ts';
import { idWins } from '../kernel/node.ts';
import { DAY } from '../kernel/time.ts';

export const JOB_SELECT = {
  id: true,
  kind: true,
  subjectType: true,
  subjectId: true,
  datasetId: true,
  payload: true,
  key: true,
  urgent: true,
  requesterId: true,
  traceparent: true,
  host: true,
  everySeconds: true,
  state: true,
  attempts: true,
  maxAttempts: true,
  deaths: true,
  runAt: true,
  cancelRequested: true,
  progressDone: true,
  progressTotal: true,
  error: true,
  createdAt: true,
  startedAt: true,
  finishedAt: true,
} satisfies Prisma.JobSelect;

type Row = Prisma.JobGetPayload<{ select: typeof JOB_SELECT }>;
export type JobRecord = Omit<Row, 'payload'> & { readonly payload: Record<string, unknown> };

const findMany = async (db: Db, args: Omit<Prisma.JobFindManyArgs, 'select' | 'include'>): Promise<JobRecord[]> =>
  (await db.job.findMany({ ...args, select: JOB_SELECT })) as JobRecord[];

/** Unordered. */
export const jobsByIds = (db: Db, ids: readonly string[]): Promise<JobRecord[]> =>
  findMany(db, { where: { id: { in: [...ids] } } });

/** Requests that a running job stops; null if it is not running. */
export const requestCancel = async (db: Db, id: string): Promise<JobRecord | null> => {
  const where = { id, state: 'running' };
  const stopping = await db.job.updateManyAndReturn({ where, data: { cancelRequested: true }, select: JOB_SELECT });
  return (stopping[0] as JobRecord | undefined) ?? null;
};

/** Whether a job with this key is queued, or running with a schedule: a job that waited then would take the place of the next one. */
export const hasNewerJob = async (db: Db, key: string): Promise<boolean> =>
  (await db.job.count({
    where: { key, OR: [{ state: 'queued' }, { state: 'running', everySeconds: { not: null } }] },
  })) > 0;

/** Queues a failed or cancelled job again, once: a schedule has its own next job. Null in another state. @throws a unique violation if a job with its key is queued */
export const repeatJob = async (db: Db, id: string): Promise<JobRecord | null> => {
  const where = { id, state: { in: ['failed', 'cancelled'] } };
  const data = {
    state: 'queued',
    attempts: 0,
    deaths: 0,
    everySeconds: null,
    error: null,
    runAt: new Date(),
    startedAt: null,
    finishedAt: null,
    progressDone: null,
    progressTotal: null,
  };
  const queued = await db.job.updateManyAndReturn({ where, data, select: JOB_SELECT });
  return (queued[0] as JobRecord | undefined) ?? null;
};

/** Ends recurring work with this key. A running job continues to its end. */
export async function unscheduleJobs(db: Db, key: string): Promise<void> {
  await db.job.updateMany({ where: { key, state: { in: ['queued', 'running'] } }, data: { everySeconds: null } });
  await db.job.updateMany({ where: { key, state: 'queued' }, data: { state: 'cancelled', finishedAt: new Date() } });
}

const datasets = { table: 'dataset', fields: FACTS };

/** Facts for the policy, about existing datasets. */
export const listJobDatasets: ReadByKeys<DatasetFacts> = readerBy<DatasetFacts>({ ...datasets, by: ['id'] });
const readDatasets = readerBy<DatasetFacts>({ ...datasets, by: ['id', 'name'] });

/** The same for one dataset by id or name; null for an unknown one. */
export const findJobDataset = async (sql: Sql, idOrName: string): Promise<DatasetFacts | null> =>
  idWins(await readDatasets(sql, [idOrName]), idOrName);

/** Ends the series of failures of a host. */
export const hostAnswered = (db: Db, host: string): Promise<unknown> => db.jobHost.deleteMany({ where: { host } });

/** Deletes up to a thousand jobs that ended so many days ago, and pauses of hosts that ended as long ago. */
export async function sweepJobs(db: Db, days: number): Promise<void> {
  const before = new Date(Date.now() - days * DAY);
  await db.job.deleteMany({ where: { finishedAt: { lt: before } }, limit: 1_000 });
  await db.jobHost.deleteMany({ where: { pausedUntil: { lt: before } }, limit: 1_000 });
}
