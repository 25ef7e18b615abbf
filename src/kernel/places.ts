/** Places that callers have for a while: so many in all, and so many of them for one caller. */
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
  const taken = new Map<string, number>();
  let all = 0;

  function change(caller: string, by: number): void {
    const own = (taken.get(caller) ?? 0) + by;
    if (own === 0) taken.delete(caller);
    else taken.set(caller, own);
    all += by;
  }

  return {
    take(caller) {
      if ((taken.get(caller) ?? 0) >= mostOfCaller)
        throw new CatalogError(
          'RATE_LIMIT',
          `You have ${mostOfCaller} ${what} under way, which is the most (${settingOfCaller}). Ask again when one has ended.`,
        );
      if (all >= most)
        throw new CatalogError(
          'UNAVAILABLE',
          `${most} ${what} are under way, which is the most (${setting}). Try again later.`,
        );
      change(caller, 1);
      let isBack = false;
      return () => {
        if (!isBack) change(caller, -1);
        isBack = true;
      };
    },
  };
}
