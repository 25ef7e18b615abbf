/**
 * Stores the heartbeat and the counts of a process. In SQL because Prisma has no clock of the database, and no upsert of several rows.
 * Unnamed, because it runs every five seconds.
 */
import type { Sql, Statement } from '../infra/postgres/db.ts';
import type { ProcessRecord } from './process.store.ts';
import type { MinuteCounts } from './recorder.ts';

const beat: Statement = {
  text: `WITH beat AS (INSERT INTO server_process AS p (id, host, pid, version, started_at, beat_at, memory, slowest)
        VALUES ($1, $2, $3, $4, $5, now(), $6, $7) ON CONFLICT (id) DO UPDATE SET beat_at = now(), memory = excluded.memory, slowest = excluded.slowest
        RETURNING id)
      INSERT INTO server_minute AS m (process_id, minute, requests, refused, failed, milliseconds)
      SELECT beat.id, u.* FROM beat, unnest($8::timestamptz[], $9::bigint[], $10::bigint[], $11::bigint[], $12::float8[]) u
      ON CONFLICT (minute, process_id) DO UPDATE SET requests = m.requests + excluded.requests, refused = m.refused + excluded.refused,
        failed = m.failed + excluded.failed, milliseconds = m.milliseconds + excluded.milliseconds`,
};

/** Description of a process. */
export type Beat = Omit<ProcessRecord, 'beatAt'>;

/** Stores a heartbeat, and adds the counts of minutes. */
export async function storeBeat(sql: Sql, about: Beat, minutes: ReadonlyMap<number, MinuteCounts>): Promise<void> {
  const { id, host, pid, version, startedAt, memory, slowest } = about;
  const counts = [...minutes.values()];
  await sql.rows(beat, [
    ...[id, host, pid, version, startedAt, memory, JSON.stringify(slowest)],
    [...minutes.keys()].map((at) => new Date(at)),
    counts.map(({ requests }) => requests),
    counts.map(({ refused }) => refused),
    counts.map(({ failed }) => failed),
    counts.map(({ milliseconds }) => milliseconds),
  ]);
}
