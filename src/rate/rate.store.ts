/** Deletes shared buckets that are full. */
import type { Db } from '../infra/postgres/db.ts';

/** Maximum difference in ms between the clocks of processes and of the database. */
const SKEW = 60_000;

/** Deletes up to 1,000 buckets that are full. */
export const sweepFull = (db: Db): Promise<unknown> =>
  db.rateBucket.deleteMany({ where: { fullAt: { lt: new Date(Date.now() - SKEW) } }, limit: 1_000 });
