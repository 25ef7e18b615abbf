/** Ratings of datasets. */

import type { Db } from '../../infra/postgres/db.ts';
import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';

export interface RatingSummary {
  readonly count: number;
  /** Null without ratings. */
  readonly average: number | null;
}

/** Adds or replaces a rating and returns which. Null if the dataset was deleted. */
export async function putRating(
  { db, sql, request: { now } }: Pick<Call, 'db' | 'sql' | 'request'>,
  datasetId: string,
  userId: string,
  rating: number,
): Promise<'created' | 'updated' | null> {
  if (!(await lockRow(sql, 'dataset', datasetId, 'KEY SHARE'))) return null;
  const value = { rating, createdAt: now };
  const { count } = await db.rating.createMany({ data: { datasetId, userId, ...value }, skipDuplicates: true });
  if (count === 1) return 'created';
  await db.rating.updateMany({ where: { datasetId, userId }, data: value });
  return 'updated';
}

/** By dataset id; datasets without ratings are omitted. */
export async function ratingSummaries(db: Db, datasetIds: readonly string[]): Promise<Map<string, RatingSummary>> {
  const where = { datasetId: { in: [...datasetIds] } };
  const rows = await db.rating.groupBy({ by: 'datasetId', where, _count: true, _avg: { rating: true } });
  return new Map(rows.map(({ datasetId, _count, _avg }) => [datasetId, { count: _count, average: _avg.rating }]));
}

/** A user's ratings by dataset id; datasets without one are omitted. */
export async function ratingsOfUser(
  db: Db,
  userId: string,
  datasetIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.rating.findMany({
    select: { datasetId: true, rating: true },
    where: { userId, datasetId: { in: [...datasetIds] } },
  });
  return new Map(rows.map(({ datasetId, rating }) => [datasetId, rating]));
}
