/** Sweeps a store of files again and again while the process runs. */
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
  const timer = setInterval(() => void blobs.sweep().catch(onFailure), interval).unref();
  return () => clearInterval(timer);
}
