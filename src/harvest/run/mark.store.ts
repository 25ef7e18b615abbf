/** Stores a run's marks on single records. In the database, because a source may be larger than memory. */
import type { HarvestMark } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

/**
 * met: ids of datasets that were read; state: datasets in the state in which they were read; walked: names on pages of datasets;
 * listed: names of all datasets of the source; wanted: records to request; suspect: records that are here and not listed;
 * related: records with relations (`detail`).
 */
export type MarkKind = 'met' | 'state' | 'walked' | 'listed' | 'wanted' | 'suspect' | 'related';

/** The run that sets the marks. */
export interface Marked {
  readonly runId: string;
  readonly sourceId: string;
}

export type Mark = Readonly<Pick<HarvestMark, 'record' | 'detail'>>;

/** Deletes marks that unfinished runs of the source left. */
export const clearOtherMarks = async (db: Db, { runId, sourceId }: Marked): Promise<void> =>
  void (await db.harvestMark.deleteMany({ where: { run: { sourceId, id: { not: runId } } } }));

export const clearMarks = async (db: Db, { runId }: Marked): Promise<void> =>
  void (await db.harvestMark.deleteMany({ where: { runId } }));

export async function putMark(
  db: Db,
  { runId }: Marked,
  mark: MarkKind,
  record: string,
  detail: string,
): Promise<void> {
  const key = { runId, mark, record };
  const where = { runId_mark_record: key };
  await db.harvestMark.upsert({ where, create: { ...key, detail }, update: { detail }, select: { record: true } });
}

export const dropMark = async (db: Db, { runId }: Marked, mark: MarkKind, record: string): Promise<void> =>
  void (await db.harvestMark.deleteMany({ where: { runId, mark, record } }));

export const hasMark = async (db: Db, { runId }: Marked, mark: MarkKind, record: string): Promise<boolean> =>
  (await db.harvestMark.findFirst({ where: { runId, mark, record }, select: { record: true } })) !== null;

/** A page of marks by record; `after` is empty at first. */
export const marksAfter = (db: Db, { runId }: Marked, mark: MarkKind, after: string, limit: number): Promise<Mark[]> =>
  db.harvestMark.findMany({
    where: { runId, mark, record: { gt: after } },
    orderBy: { record: 'asc' },
    take: limit,
    select: { record: true, detail: true },
  });

/** Turns all marks of one kind into another kind, which no record may have. */
export const renameMarks = async (db: Db, { runId }: Marked, from: MarkKind, to: MarkKind): Promise<void> =>
  void (await db.harvestMark.updateMany({ where: { runId, mark: from }, data: { mark: to } }));
