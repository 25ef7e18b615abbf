/** Parses instants in queries: ISO 8601, also truncated, and date math such as `NOW-7DAYS/DAY`. */
import { SyntaxFault } from './syntax.ts';

const ISO =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?)?)?)?(Z|[+-]\d\d:?\d\d)?(?=[+\-/]\D*\d*|$)/;
const STEP = /([+-]\d{1,6}|\/)(YEAR|MONTH|WEEK|DAY|DATE|HOUR|MINUTE|SECOND|MILLI|MILLISECOND)S?/y;
const MAX_STEPS = 20;
/** The range that both PostgreSQL and JavaScript can represent. */
const [EARLIEST, LATEST] = [utc(1, 0, 1), utc(10_000, 0, 1) - 1];

/** The instant. @throws SyntaxFault whose column is relative to the value, plus `column` */
export function instantOf(text: string, now: Date, column: number): Date {
  const fault = (message: string) => new SyntaxFault(message, column);
  const given = text.trim();
  let at: Date;
  let rest: string;
  if (given.startsWith('NOW')) [at, rest] = [new Date(now), given.slice(3)];
  else {
    const found = isoOf(given);
    if (!found) throw fault(`${given.slice(0, 40)} is not a time such as 2026-01-31T00:00:00Z or NOW-7DAYS`);
    [at, rest] = found;
  }
  STEP.lastIndex = 0;
  for (let steps = 0; STEP.lastIndex < rest.length; steps += 1) {
    const from = STEP.lastIndex;
    const step = STEP.exec(rest);
    if (!step || steps >= MAX_STEPS)
      throw fault(`${rest.slice(from, from + 40)} is not date math such as +1MONTH or /DAY`);
    at = step[1] === '/' ? floor(at, step[2]!) : moved(at, Number(step[1]), step[2]!);
    if (!(at.getTime() >= EARLIEST && at.getTime() <= LATEST))
      throw fault('the time must be between the years 1 and 9999');
  }
  return at;
}

function isoOf(text: string): [Date, string] | null {
  const found = ISO.exec(text);
  if (!found) return null;
  const [whole, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    found;
  const millis = fraction.slice(0, 3).padEnd(3, '0');
  const at = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`,
  );
  const isDay = new Date(utc(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (Number.isNaN(at.getTime()) || !isDay || at.getTime() < EARLIEST) return null;
  return [at, text.slice(whole.length)];
}

function moved(at: Date, by: number, unit: string): Date {
  const to = new Date(at);
  if (unit === 'YEAR' || unit === 'MONTH') {
    const months = unit === 'YEAR' ? by * 12 : by;
    const day = to.getUTCDate();
    to.setUTCDate(1);
    to.setUTCMonth(to.getUTCMonth() + months);
    const last = new Date(utc(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
    to.setUTCDate(Math.min(day, last));
    return to;
  }
  return new Date(to.getTime() + by * MILLIS[unit]!);
}

const MILLIS: Readonly<Record<string, number>> = {
  WEEK: 604_800_000,
  DAY: 86_400_000,
  DATE: 86_400_000,
  HOUR: 3_600_000,
  MINUTE: 60_000,
  SECOND: 1_000,
  MILLI: 1,
  MILLISECOND: 1,
};

/** Lengths of periods in UTC. */
export type Period = 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';

/** First day of the period that contains the instant, such as 2026-01-01. */
export const firstDayOf = (at: Date, period: Period): string => floor(at, period).toISOString().slice(0, 10);

/** Start of the period that follows the one that starts on this day. */
export const nextPeriod = (firstDay: string, period: Period): Date =>
  moved(new Date(`${firstDay}T00:00:00Z`), 1, period);

function floor(at: Date, unit: string): Date {
  if (unit === 'YEAR') return new Date(utc(at.getUTCFullYear(), 0, 1));
  if (unit === 'MONTH') return new Date(utc(at.getUTCFullYear(), at.getUTCMonth(), 1));
  if (unit === 'WEEK') {
    const day = floor(at, 'DAY');
    return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * MILLIS.DAY!);
  }
  return new Date(Math.floor(at.getTime() / MILLIS[unit]!) * MILLIS[unit]!);
}

/** Start of a day (UTC). `Date.UTC` would read the years 0 to 99 as 1900 to 1999. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}
