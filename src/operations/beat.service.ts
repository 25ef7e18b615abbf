/** Records this process: a heartbeat, its requests, and the end of old records. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Call } from '../kernel/call.ts';
import { storeBeat } from './beat.sql.ts';
import { deleteOld } from './process.store.ts';
import type { Recorder } from './recorder.ts';

/** ms between two deletions of old records. */
const SWEEP_INTERVAL = 600_000;
/** Age in ms at which records are deleted: a day, and its first hour. */
const RETENTION = 25 * 3_600_000;

export interface Beating {
  /** Stores the counts since the last call. If that fails, the next call stores them. */
  beat(call: Call): Promise<void>;
}

export function createBeating(recorder: Recorder, version: string): Beating {
  const id = randomUUID();
  const startedAt = new Date();
  let sweptAt = 0;
  async function beat(call: Call): Promise<void> {
    const now = Date.now();
    const minutes = recorder.takeMinutes();
    const about = { id, host: hostname(), pid: process.pid, version, startedAt, memory: process.memoryUsage.rss() };
    try {
      await storeBeat(call.sql, { ...about, slowest: recorder.slowest(now) }, minutes);
    } catch (failure) {
      recorder.giveBack(minutes);
      throw failure;
    }
    if (now - sweptAt < SWEEP_INTERVAL) return;
    sweptAt = now;
    await deleteOld(call.db, new Date(now - RETENTION));
  }
  return { beat };
}
