import { setImmediate as turnEnd } from 'node:timers/promises';

/**
 * Runs `step` once for all calls of one turn of the event loop: requests that arrive together share its result, or its error. It begins
 * after the calls, so no result is older than its call.
 */
export function oncePerTurn<Result>(step: () => Promise<Result>): () => Promise<Result> {
  let next: Promise<Result> | null = null;
  return () =>
    (next ??= turnEnd().then(() => {
      next = null;
      return step();
    }));
}
