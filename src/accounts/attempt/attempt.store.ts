/** Counters of attempts. */
import type { Attempt } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

export type AttemptRecord = Readonly<Attempt>;

export const forgetAttempts = (db: Db, keys: readonly string[]): Promise<unknown> =>
  db.attempt.deleteMany({ where: { key: { in: [...keys] } } });

/** Subtracts one attempt under each key. */
export const takeBackAttempts = (db: Db, keys: readonly string[]): Promise<unknown> =>
  db.attempt.updateMany({ where: { key: { in: [...keys] }, tries: { gt: 0 } }, data: { tries: { decrement: 1 } } });

/** Deletes up to 1,000 counters older than `oldest`. */
export const sweepAttempts = (db: Db, oldest: Date): Promise<unknown> =>
  db.attempt.deleteMany({ where: { since: { lte: oldest } }, limit: 1_000 });
