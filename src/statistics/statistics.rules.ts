/** Limits of statistics, and the periods of a timeline. Pure. */

import { invalidField } from '../kernel/errors.ts';
import { DAY } from '../kernel/time.ts';

export type Interval = 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';

/** Maximum number of periods in one timeline. */
const MAX_PERIODS = 400;
/** Periods of a timeline without `from`. */
const USUAL_PERIODS = 30;

/** @throws CatalogError VALIDATION */
export function checkFirst(first: number, max: number): void {
  if (first < 1 || first > max) throw invalidField('first', `Must be between 1 and ${max} (got ${first})`);
}

/** Start of the period that contains a time, in ms since 1970; `add` moves it by periods. */
export function startOf(interval: Interval, ms: number, add = 0): number {
  const at = new Date(ms);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  switch (interval) {
    case 'DAY':
      return utc(year, month, day + add);
    case 'WEEK':
      return utc(year, month, day - ((at.getUTCDay() + 6) % 7) + 7 * add);
    case 'MONTH':
      return utc(year, month + add, 1);
    case 'YEAR':
      return utc(year + add, 0, 1);
  }
}

/** Date.UTC, which takes the years 0 to 99 for 1900 to 1999. */
const utc = (year: number, month: number, day: number): number => new Date(0).setUTCFullYear(year, month, day);

/** Upper bound of the length of a period in days, for a check before the periods are listed. */
const MAX_DAYS = { DAY: 1, WEEK: 7, MONTH: 31, YEAR: 366 } as const;

/**
 * Starts of the periods from the one that contains `from` to the one that contains `to`, and the start after them.
 * @throws CatalogError VALIDATION
 */
export function periodsBetween(
  interval: Interval,
  from: Date | null | undefined,
  to: Date,
): { starts: number[]; end: number } {
  const last = startOf(interval, to.getTime());
  const first = from ? startOf(interval, from.getTime()) : startOf(interval, last, 1 - USUAL_PERIODS);
  for (const [name, ms] of [
    ['to', last],
    ['from', first],
  ] as const)
    checkYears(name, ms);
  if (from && from > to) throw invalidField('from', 'Must not be after `to`');
  if ((last - first) / DAY > MAX_DAYS[interval] * MAX_PERIODS) throw tooMany(interval);
  const starts: number[] = [];
  let at = first;
  for (; at <= last; at = startOf(interval, at, 1)) starts.push(at);
  if (starts.length > MAX_PERIODS) throw tooMany(interval);
  return { starts, end: at };
}

const [MIN, MAX] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9998-12-31T00:00:00Z')];

/** Bounds times to dates that the database can store. @throws CatalogError VALIDATION */
export function checkYears(field: string, ms: number): void {
  if (!(ms >= MIN && ms <= MAX)) throw invalidField(field, 'Must be between the years 1 and 9998');
}

const tooMany = (interval: Interval) =>
  invalidField(
    'from',
    `At most ${MAX_PERIODS} periods (${interval}) between \`from\` and \`to\`. Use a longer interval`,
  );
