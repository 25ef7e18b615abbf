/** Changes of datasets over time, for a caller. */

import { createLru, type Lru } from '../infra/concurrency/lru.ts';
import type { Sql } from '../infra/postgres/db.ts';
import { BySql } from '../infra/postgres/traced.ts';
import type { Call } from '../kernel/call.ts';
import { DAY, dayOf } from '../kernel/time.ts';
import { catchUp } from './fold.service.ts';
import { scopesOf } from './scopes.policy.ts';
import { checkFirst, type Interval, periodsBetween, startOf } from './statistics.rules.ts';
import { type PeriodQuery, type SeriesRow, seriesOf } from './statistics.sql.ts';

/** Maximum number of series in one timeline. */
const MAX_SERIES = 50;

type Measure = 'CREATED' | 'UPDATED' | 'DELETED' | 'EDITS';
type Dimension = 'USER' | 'ORGANIZATION';

export interface TimelineArgs {
  readonly of: Measure;
  readonly interval: Interval;
  readonly from?: Date | null;
  readonly to?: Date | null;
  readonly by?: Dimension | null;
  readonly first: number;
}

export interface SeriesRecord {
  readonly dimension: Dimension;
  readonly key: string;
  readonly counts: readonly number[];
  readonly total: number;
}

export interface TimelineRecord {
  readonly starts: readonly Date[];
  readonly counts: readonly number[];
  readonly total: number;
  readonly series: readonly SeriesRecord[];
  readonly seriesCount: number;
}

/** @throws CatalogError VALIDATION, UNAVAILABLE */
export async function timeline(call: Call, args: TimelineArgs): Promise<TimelineRecord> {
  const { of, interval, from, to, by, first } = args;
  checkFirst(first, MAX_SERIES);
  const { starts, end } = periodsBetween(interval, from, to ?? call.request.now);
  const version = await catchUp(call);
  const { base, hidden } = scopesOf(call.actor);
  const query: Omit<PeriodQuery, 'dimension' | 'limit'> = {
    scopes: [base, ...hidden],
    since: dayOf(startOf('MONTH', starts[0]!)),
    from: dayOf(starts[0]!),
    to: dayOf(end),
    months: wholeMonths(starts[0]!, end),
    daily: interval === 'DAY' || interval === 'WEEK',
    actions: of === 'EDITS' ? null : [of.toLowerCase()], // only edits are counted
  };
  const [[all], series] = await Promise.all([
    cachedSeries(call.sql, version, { ...query, dimension: 'all', limit: 1 }),
    by
      ? cachedSeries(call.sql, version, { ...query, dimension: by === 'USER' ? 'user' : 'organization', limit: first })
      : [],
  ]);
  const countsOf = (row: SeriesRow | undefined) => countsAt({ starts, end, interval }, row);
  return {
    starts: starts.map((start) => new Date(start)),
    ...countsOf(all),
    series: series.map((row) => ({ dimension: by!, key: row.key, ...countsOf(row) })),
    seriesCount: series[0]?.keys ?? 0,
  };
}

/** Maximum numbers in the cached series of a database: 8 MB. */
const MAX_NUMBERS = 1_000_000;
const MIN_NUMBERS = 100;
const caches = new BySql<Lru<{ readonly version: string; readonly rows: readonly SeriesRow[] }>>();

/** The series as they are counted in this version. Charts of a page ask again for each of its readers. */
async function cachedSeries(sql: Sql, version: string | null, query: PeriodQuery): Promise<readonly SeriesRow[]> {
  if (version === null) return seriesOf(sql, query);
  const cache = caches.get(sql) ?? createLru(MAX_NUMBERS, 'timelines');
  caches.set(sql, cache);
  const key = JSON.stringify(query);
  const before = cache.get(key);
  if (before?.version === version) return before.rows;
  const rows = await seriesOf(sql, query);
  const size = rows.reduce((sum, { days }) => sum + MIN_NUMBERS + days.reduce((all, one) => all + one.length, 0), 0);
  cache.set(key, { version, rows }, MIN_NUMBERS + size);
  return rows;
}

/** Starts of the first and after the last month that is inside; both the end for none. */
function wholeMonths(start: number, end: number): [string, string] {
  const first = startOf('MONTH', start - 1, 1);
  const last = startOf('MONTH', end);
  return first < last ? [dayOf(first), dayOf(last)] : [dayOf(end), dayOf(end)];
}

const LENGTH = { DAY: 1, WEEK: 7, MONTH: 1, YEAR: 12 } as const;

/** A count for each period, and their sum. */
function countsAt(
  { starts, end, interval }: { starts: readonly number[]; end: number; interval: Interval },
  row: SeriesRow | undefined,
): { counts: number[]; total: number } {
  const daily = interval === 'DAY' || interval === 'WEEK';
  const counts = new Array<number>(starts.length).fill(0);
  const first = daily ? starts[0]! / DAY : monthOf(starts[0]!);
  const after = end / DAY;
  const length = LENGTH[interval];
  let total = 0;
  row?.months.forEach((month, at) => {
    const numbers = row.days[at]!;
    const start = daily ? month : monthOf(month * DAY);
    for (let i = Math.max(first - start, 0), last = Math.min(numbers.length, after - month); i < last; i += 1) {
      counts[Math.floor((start + i - first) / length)]! += numbers[i]!;
      total += numbers[i]!;
    }
  });
  return { counts, total };
}

/** Number of a month, in months since year 0. */
function monthOf(ms: number): number {
  const at = new Date(ms);
  return at.getUTCFullYear() * 12 + at.getUTCMonth();
}
