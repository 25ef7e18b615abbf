/** Reads positions in the write-ahead log, on connections of probe.ts. In SQL because Prisma has no functions of replication. */

/**
 * Position of the last commit that can have been acknowledged. With `synchronous_commit = off` commits are acknowledged before they are
 * flushed. The name of a log file begins with the timeline, which changes when a standby becomes the primary.
 */
export const POSITION = `SELECT (CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
    ELSE pg_current_wal_flush_lsn() END - '0/0'::pg_lsn)::text AS lsn,
  (SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) AS place,
  (SELECT mark FROM replication_mark) AS mark`;

/** Stored by the primary, so that its replicas show it. */
export const MARK = `INSERT INTO replication_mark (id, mark) VALUES (1, $1)
  ON CONFLICT (id) DO UPDATE SET mark = EXCLUDED.mark WHERE replication_mark.mark <> EXCLUDED.mark`;

/** A column that tells servers apart, and a server from itself before a restart. Sessions with different time zones agree on it. */
export const STARTED = 'extract(epoch FROM pg_postmaster_start_time())::text AS started';
export const START = `SELECT ${STARTED}`;

/** Position that a replica shows; null on a server that is not a standby. */
export const REPLAYED = `${START}, CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text END AS lsn,
  (SELECT mark FROM replication_mark) AS mark`;

export interface PositionRow {
  readonly lsn: string;
  readonly place: string;
  readonly mark: string | null;
}

export interface StartedRow {
  readonly started: string;
}

export interface ReplayedRow extends StartedRow {
  readonly lsn: string | null;
  readonly mark: string | null;
}
