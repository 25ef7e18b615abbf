/** Stores runs of harvests, and their remarks on single records. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { type CountByKeys, counterBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { pageBy } from '../../kernel/pages.ts';

/** Outcomes of records in a run. */
export const OUTCOMES = ['created', 'updated', 'unchanged', 'deleted', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type Counts = Record<Outcome, number>;

const RUN_SELECT = {
  id: true,
  number: true,
  sourceId: true,
  state: true,
  startedAt: true,
  finishedAt: true,
  created: true,
  updated: true,
  unchanged: true,
  deleted: true,
  failed: true,
  message: true,
} satisfies Prisma.HarvestRunSelect;

const REMARK_SELECT = {
  runId: true,
  number: true,
  isFault: true,
  kind: true,
  recordId: true,
  recordName: true,
  message: true,
} satisfies Prisma.HarvestRemarkSelect;

export type RunRecord = Prisma.HarvestRunGetPayload<{ select: typeof RUN_SELECT }>;
export type RemarkRecord = Prisma.HarvestRemarkGetPayload<{ select: typeof REMARK_SELECT }>;

export const insertRun = (db: Db, id: string, sourceId: string, startedAt: Date): Promise<RunRecord> =>
  db.harvestRun.create({ data: { id, sourceId, state: 'running', startedAt }, select: RUN_SELECT });

/** Stops the running runs of a source: the caller holds its lock, so their processes have ended. */
export const stopOtherRuns = async (db: Db, sourceId: string, finishedAt: Date): Promise<void> =>
  void (await db.harvestRun.updateMany({
    where: { sourceId, state: 'running' },
    data: { state: 'stopped', finishedAt, message: 'The process ended before the run did.' },
  }));

export const countRun = async (db: Db, id: string, counts: Counts): Promise<void> =>
  void (await db.harvestRun.updateMany({ where: { id }, data: counts }));

/** Ends a run; null when its source was deleted concurrently. */
export const finishRun = async (
  db: Db,
  id: string,
  data: Pick<RunRecord, 'state' | 'finishedAt' | 'message'>,
): Promise<RunRecord | null> =>
  (await db.harvestRun.updateManyAndReturn({ where: { id }, data, select: RUN_SELECT }))[0] ?? null;

export const insertRemark = async (db: Db, data: RemarkRecord): Promise<void> =>
  void (await db.harvestRemark.createMany({ data }));

/** A page of each source's runs (one more than its limit), newest first, in reading order; all sources in one list. */
export async function pagesOfRuns(db: Db, sourceIds: readonly string[], page: Keyset): Promise<RunRecord[]> {
  const runs = { ...pageBy([{ column: 'number', descending: true }], page), select: RUN_SELECT };
  const where = { id: { in: [...sourceIds] } };
  const sources = await db.harvestSource.findMany({ where, select: { runs }, relationLoadStrategy: 'join' });
  return sources.flatMap((source) => source.runs);
}

/** By source; omits sources without runs. */
export const countsOfRuns: CountByKeys = counterBy({ table: 'harvest_run', by: 'sourceId' });

/** A page of each run's remarks (one more than its limit), in reading order; all runs in one list. */
export async function pagesOfRemarks(db: Db, runIds: readonly string[], page: Keyset): Promise<RemarkRecord[]> {
  const remarks = { ...pageBy([{ column: 'number' }], page), select: REMARK_SELECT };
  const where = { id: { in: [...runIds] } };
  const runs = await db.harvestRun.findMany({ where, select: { remarks }, relationLoadStrategy: 'join' });
  return runs.flatMap((run) => run.remarks);
}

/** By run; omits runs without remarks. */
export const countsOfRemarks: CountByKeys = counterBy({ table: 'harvest_remark', by: 'runId' });
