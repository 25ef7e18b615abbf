/** Disconnects readers that are too slow, because they hold a connection, a lock or a file. */
import type { ServerResponse } from 'node:http';

export interface Pace {
  /** ms between two checks. */
  readonly period: number;
  /** Minimum bytes per period. */
  readonly least: number;
}

/** Destroys a response whose reader consumes less than the minimum while data is pending. Time spent waiting for the server does not count. */
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
