/** Sweeps files that nobody has when the process starts, and again and again while it runs. */

export interface SweeperOptions {
  readonly sweep: () => Promise<void>;
  /** ms between two sweeps. */
  readonly interval: number;
  /** Told of a sweep that failed; the next one comes all the same. */
  readonly onFailure: (failure: unknown) => void;
}

/**
 * Starts it; the function it returns stops it, and does not wait: what is left undone the next process does, and what fails from then
 * on is of no interest, as the store and the database are being closed. The process does not stay alive for it.
 */
export function startSweeper({ sweep, interval, onFailure }: SweeperOptions): () => void {
  let stopped = false;
  const next = () => void sweep().catch((failure: unknown) => stopped || onFailure(failure));
  next();
  const timer = setInterval(next, interval).unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
