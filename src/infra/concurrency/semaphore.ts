/** A semaphore with two limits: permits in all, and permits of one caller. */
import { createCounts } from '../../kernel/counts.ts';
import { CatalogError } from '../../kernel/errors.ts';

export interface Bound {
  readonly max: number;
  readonly maxPerCaller: number;
  /** The limited activity, in the plural, and the settings of both limits, for errors. */
  readonly what: string;
  readonly setting: string;
  readonly settingPerCaller: string;
  /** Milliseconds to wait for a permit; 0 by default. */
  readonly timeout?: number;
}

export interface Semaphore {
  /**
   * Acquires a permit, in the order of arrival. The returned function releases it and can be called more than once.
   * @throws CatalogError RATE_LIMIT at the caller's limit, UNAVAILABLE at the timeout
   */
  take(caller: string): Promise<() => void>;
}

interface Waiting {
  readonly caller: string;
  readonly resolve: (free: () => void) => void;
  readonly timer: NodeJS.Timeout;
}

export function createSemaphore({ max, maxPerCaller, what, setting, settingPerCaller, timeout = 0 }: Bound): Semaphore {
  const taken = createCounts();
  const queue = new Set<Waiting>();
  let all = 0;

  function whyNot(caller: string): CatalogError | null {
    if (taken.of(caller) >= maxPerCaller)
      return new CatalogError(
        'RATE_LIMIT',
        `You have reached your limit of ${maxPerCaller} concurrent ${what} (${settingPerCaller}). Try again when one has ended.`,
      );
    if (all >= max)
      return new CatalogError(
        'UNAVAILABLE',
        `The server has reached its limit of ${max} concurrent ${what} (${setting}). Try again later.`,
      );
    return null;
  }

  function occupied(caller: string): () => void {
    taken.add(caller);
    all += 1;
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      taken.remove(caller);
      all -= 1;
      letIn();
    };
  }

  /** Gives a free permit to the longest waiting caller below its own limit. */
  function letIn(): void {
    for (const waiting of queue) {
      if (whyNot(waiting.caller) !== null) continue;
      clearTimeout(waiting.timer);
      queue.delete(waiting);
      waiting.resolve(occupied(waiting.caller));
      return;
    }
  }

  return {
    async take(caller) {
      const refusal = whyNot(caller);
      if (refusal === null) return occupied(caller);
      if (timeout === 0) throw refusal;
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          queue.delete(waiting);
          reject(whyNot(caller) ?? refusal);
        };
        const waiting: Waiting = { caller, resolve, timer: setTimeout(giveUp, timeout) };
        queue.add(waiting);
      });
    },
  };
}
