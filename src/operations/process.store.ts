/** Reads server processes and counts of jobs, and deletes old records. */
import type { Job, ServerProcess } from '../generated/prisma/client.ts';
import type { Db } from '../infra/postgres/db.ts';
import type { RequestRecord } from './recorder.ts';

/** A server process. */
export type ProcessRecord = Readonly<Omit<ServerProcess, 'memory' | 'slowest'>> & {
  readonly memory: number;
  readonly slowest: readonly RequestRecord[];
};

/** Processes with a heartbeat since then, the most recent first. */
export async function listProcesses(db: Db, since: Date, limit: number): Promise<ProcessRecord[]> {
  const rows = await db.serverProcess.findMany({
    where: { beatAt: { gte: since } },
    orderBy: [{ beatAt: 'desc' }, { id: 'asc' }],
    take: limit,
  });
  return rows.map(({ memory, slowest, ...row }) => ({
    ...row,
    memory: Number(memory),
    slowest: slowest as unknown as RequestRecord[],
  }));
}

export type JobCountRecord = Readonly<Pick<Job, 'kind' | 'state'>> & {
  readonly count: number;
  readonly oldestAt: Date;
};

export async function countJobs(db: Db): Promise<JobCountRecord[]> {
  const rows = await db.job.groupBy({
    by: ['kind', 'state'],
    _count: { id: true },
    _min: { createdAt: true },
    orderBy: [{ kind: 'asc' }, { state: 'asc' }],
  });
  return rows.map(({ kind, state, _count, _min }) => ({ kind, state, count: _count.id, oldestAt: _min.createdAt! }));
}

/** Deletes processes without a heartbeat since then, and older minutes. */
export async function deleteOld(db: Db, before: Date): Promise<void> {
  await db.serverMinute.deleteMany({ where: { minute: { lt: before } } });
  await db.serverProcess.deleteMany({ where: { beatAt: { lt: before } } });
}
