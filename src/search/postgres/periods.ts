/** Counts datasets per period in the process. Pure. */
import { DAY } from '../../kernel/time.ts';
import type { FacetCount } from '../engine.ts';
import { firstDayOf, nextPeriod, type Period } from '../query/dates.ts';

const MICROS_OF_A_DAY = DAY * 1_000;

/** Numbers of times per day, in days since 1970. */
export type Days = Map<number, number>;

/** Numbers of datasets per period, ascending. Values are first days, such as 2026-01-01. */
export function countPeriods(days: Days, period: Period): FacetCount[] {
  const found: { value: string; count: number }[] = [];
  let end = Number.NEGATIVE_INFINITY; // first day after the current period
  for (const day of [...days.keys()].sort((a, b) => a - b)) {
    const count = days.get(day)!;
    if (count === 0) continue;
    if (day >= end) {
      const value = firstDayOf(new Date(day * DAY), period);
      end = nextPeriod(value, period).getTime() / DAY;
      found.push({ value, count });
    } else found.at(-1)!.count += count;
  }
  return found;
}

/** Adds times (microseconds since 1970) to the numbers per day, or (-1) subtracts them. Returns these. */
export function addTimes(days: Days, times: Float64Array | readonly number[], by: 1 | -1): Days {
  let [day, count] = [0, 0]; // times of a day often follow each other
  for (let i = 0; i < times.length; i += 1) {
    const own = Math.floor(times[i]! / MICROS_OF_A_DAY);
    if (own !== day) {
      if (count !== 0) days.set(day, (days.get(day) ?? 0) + count);
      [day, count] = [own, 0];
    }
    count += by;
  }
  if (count !== 0) days.set(day, (days.get(day) ?? 0) + count);
  return days;
}
