/** Places that callers have for a while: so many in all, and so many of them for one caller. */
import { createCounts } from './counts.ts';
import { CatalogError } from './errors.ts';

export interface Bound {
  readonly most: number;
  readonly mostOfCaller: number;
  /** What a place is for, in the plural, and the settings of the two. */
  readonly what: string;
  readonly setting: string;
  readonly settingOfCaller: string;
  /** ms to wait for one; none when left out. */
  readonly patience?: number;
}

export interface Places {
  /**
   * Takes one, as soon as there is one: who came first is first among those who may have it. What it answers gives it back, and may be
   * called more than once. @throws CatalogError RATE_LIMIT, UNAVAILABLE where there is none in time
   */
  take(caller: string): Promise<() => void>;
}

interface Waiting {
  readonly caller: string;
  readonly resolve: (free: () => void) => void;
  readonly timer: NodeJS.Timeout;
}

export function createPlaces({ most, mostOfCaller, what, setting, settingOfCaller, patience = 0 }: Bound): Places {
  const taken = createCounts();
  const queue = new Set<Waiting>();
  let all = 0;

  function whyNot(caller: string): CatalogError | null {
    if (taken.of(caller) >= mostOfCaller)
      return new CatalogError(
        'RATE_LIMIT',
        `You have reached your limit of ${mostOfCaller} concurrent ${what} (${settingOfCaller}). Try again when one has ended.`,
      );
    if (all >= most)
      return new CatalogError(
        'UNAVAILABLE',
        `The server has reached its limit of ${most} concurrent ${what} (${setting}). Try again later.`,
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

  /** One place is free: whoever waited longest for one that he may have gets it. */
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
      if (patience === 0) throw refusal;
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          queue.delete(waiting);
          reject(whyNot(caller) ?? refusal);
        };
        const waiting: Waiting = { caller, resolve, timer: setTimeout(giveUp, patience) };
        queue.add(waiting);
      });
    },
  };
}
