/** Counts datasets per period in the process. Pure. */
import type { FacetCount } from '../engine.ts';
import { firstDayOf, nextPeriod, type Period } from '../query/dates.ts';

const DAY = 86_400_000;
const MICROS_OF_A_DAY = DAY * 1_000;

/** Numbers of times (microseconds since 1970) per period, ascending. Values are first days, such as 2026-01-01. */
export function countPeriods(times: Float64Array, period: Period): FacetCount[] {
  const [first, perDay] = countDays(times);
  const found: { value: string; count: number }[] = [];
  let end = 0; // of the current period, in days since `first`
  for (let day = 0; day < perDay.length; day += 1) {
    const count = perDay[day]!;
    if (count === 0) continue;
    if (found.length === 0 || day >= end) {
      const value = firstDayOf(new Date((first + day) * DAY), period);
      end = nextPeriod(value, period).getTime() / DAY - first;
      found.push({ value, count });
    } else found.at(-1)!.count += count;
  }
  return found;
}

/** The first day, in days since 1970, and the numbers of times on it and the days after it. */
function countDays(times: Float64Array): [first: number, perDay: Uint32Array] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < times.length; i += 1) {
    const time = times[i]!;
    if (time < least) least = time;
    if (time > most) most = time;
  }
  if (times.length === 0) return [0, new Uint32Array()];
  const first = Math.floor(least / MICROS_OF_A_DAY);
  const perDay = new Uint32Array(Math.floor(most / MICROS_OF_A_DAY) - first + 1);
  for (let i = 0; i < times.length; i += 1) perDay[Math.floor(times[i]! / MICROS_OF_A_DAY) - first]! += 1;
  return [first, perDay];
}
