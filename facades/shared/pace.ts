/** Readers who are too slow are cut off: meanwhile what they read keeps a connection, a lock or a file from others. */
import type { ServerResponse } from 'node:http';

export interface Pace {
  /** ms between two looks. */
  readonly period: number;
  /** Bytes that must be taken in a period. */
  readonly least: number;
}

/** Destroys an answer whose reader takes less than the least while there is more to take. Waiting for us is not his fault. */
export function cutSlow(res: ServerResponse, { period, least }: Pace): void {
  const taken = () => res.socket?.bytesWritten ?? 0;
  let before = taken();
  const timer = setInterval(() => {
    const now = taken();
    if (res.writableNeedDrain && now - before < least) res.destroy();
    before = now;
  }, period).unref();
  res.once('close', () => clearInterval(timer));
}
