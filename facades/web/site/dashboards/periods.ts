/** Periods of charts, in UTC, as the graph counts them. */
import { DAY, dayOf } from '../../../../src/kernel/time.ts';

export const INTERVALS = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Start of the period that is `steps` periods after the one that contains the instant. */
export function startOf(interval: Interval, instant: number, steps = 0): number {
  const at = new Date(instant);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  switch (interval) {
    case 'DAY':
      return Date.UTC(year, month, day + steps);
    case 'WEEK':
      return Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7) + 7 * steps);
    case 'MONTH':
      return Date.UTC(year, month + steps);
    case 'YEAR':
      return Date.UTC(year + steps, 0);
  }
}

/** Starts of the periods from the one that contains `from` to the one that contains `to`; at most `max + 1`. */
export function startsBetween(interval: Interval, from: number, to: number, max: number): number[] {
  const starts: number[] = [];
  for (let at = startOf(interval, from); at <= to && starts.length <= max; at = startOf(interval, at, 1))
    starts.push(at);
  return starts;
}

/** Years of days. Periods around them have four digits, and PostgreSQL knows them. */
const YEARS = { min: 1000, max: 9998 } as const;

/** The first instant of a day such as `2026-01-31`; null for anything else. */
export function dayIn(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const year = Number(text.slice(0, 4));
  if (year < YEARS.min || year > YEARS.max) return null;
  const instant = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(instant) || dayOf(instant) !== text ? null : instant;
}

export const iso = (instant: number): string => new Date(instant).toISOString();

/** The last millisecond of the day that starts then. */
export const endOfDay = (day: number): number => day + DAY - 1;
/** The start of the day some days before. */
export const daysBefore = (instant: number, days: number): number => startOf('DAY', instant, -days);
