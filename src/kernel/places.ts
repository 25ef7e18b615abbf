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
}

export interface Places {
  /** Takes one; what it answers gives it back, and may be called more than once. @throws CatalogError RATE_LIMIT, UNAVAILABLE */
  take(caller: string): () => void;
}

export function createPlaces({ most, mostOfCaller, what, setting, settingOfCaller }: Bound): Places {
  const taken = createCounts();
  let all = 0;

  return {
    take(caller) {
      if (taken.of(caller) >= mostOfCaller)
        throw new CatalogError(
          'RATE_LIMIT',
          `You have ${mostOfCaller} ${what} under way, which is the most (${settingOfCaller}). Ask again when one has ended.`,
        );
      if (all >= most)
        throw new CatalogError(
          'UNAVAILABLE',
          `${most} ${what} are under way, which is the most (${setting}). Try again later.`,
        );
      taken.add(caller);
      all += 1;
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        taken.remove(caller);
        all -= 1;
      };
    },
  };
}
