/** Locks a backup against writers. In SQL because Prisma has no advisory locks. Two releases share these numbers: never change them. */
import type { Statement } from './db.ts';

/**
 * In the DataStore's database. A transaction holds it, shared, from just before its commit until the catalog has committed the same
 * change. A backup holds it alone while it takes its two snapshots, so both databases are at one point.
 */
const FENCE = '7020113905';

/** Until the end of the transaction: for changes of the DataStore only. */
export const fenceCommit: Statement = { text: `SELECT pg_advisory_xact_lock_shared(${FENCE})` };
/** Until `unfence`: for changes of both databases. */
export const fence: Statement = { text: `SELECT pg_advisory_lock_shared(${FENCE})` };
export const unfence: Statement = { text: `SELECT pg_advisory_unlock_shared(${FENCE})` };
/** For a backup. */
export const fenceAlone: Statement = { text: `SELECT pg_advisory_lock(${FENCE})` };
export const unfenceAlone: Statement = { text: `SELECT pg_advisory_unlock(${FENCE})` };

/** In the catalog's database. A running backup holds it: discarded files stay until its end. */
const BACKUP = '4271830019';

export const beginBackup: Statement = { text: `SELECT pg_advisory_lock(${BACKUP})` };
/** `free` is false during a backup. */
export const isNoBackup: Statement = {
  text: `SELECT pg_try_advisory_xact_lock_shared(${BACKUP}) AS free`,
};
