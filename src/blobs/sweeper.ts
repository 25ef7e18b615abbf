/** Sweeps a store of files when the process starts, and again and again while it runs. */
import type { Blobs } from '../kernel/blobs.ts';

export interface SweeperOptions {
  readonly blobs: Pick<Blobs, 'sweep'>;
  /** ms between two sweeps. */
  readonly interval: number;
  /** Told of a sweep that failed; the next one comes all the same. */
  readonly onFailure: (failure: unknown) => void;
}

/** Starts it; the function it returns stops it. The process does not stay alive for it. */
export function startSweeper({ blobs, interval, onFailure }: SweeperOptions): () => void {
  const sweep = () => void blobs.sweep().catch(onFailure);
  sweep();
  const timer = setInterval(sweep, interval).unref();
  return () => clearInterval(timer);
}
