/** Takes advisory locks until the end of a transaction. In SQL because Prisma has no advisory locks. */
import type { Sql, Statement } from './db.ts';

const LOCK: Statement = { name: 'lock_advisory', text: 'SELECT pg_advisory_xact_lock($1::bigint)::text' };

/** Processes of two releases share these numbers, so they must never change. */
const LOCKS = {
  hierarchy: -1_090_955_284,
  feed: 7_356_110_985,
  statistics: 2_043_917_361,
  usage: 1_518_260_447,
  quality: 6_180_339_887,
} as const;

/** Waits for the lock of that name, and holds it until the transaction ends. */
export const lockAlone = async (sql: Sql, name: keyof typeof LOCKS): Promise<void> =>
  void (await sql.rows(LOCK, [LOCKS[name]]));
