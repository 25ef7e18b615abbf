/** Changes of datasets over time, for a caller. */
import type { Call } from '../kernel/call.ts';
import { EDITS } from './facts.sql.ts';
import { catchUp } from './fold.service.ts';
import { scopesOf } from './scopes.policy.ts';
import { checkFirst, type Interval, periodsBetween, startOf } from './statistics.rules.ts';
import { type PeriodQuery, type PeriodRow, periodsOf } from './statistics.sql.ts';

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
  await catchUp(call);
  const { base, hidden } = scopesOf(call.actor);
  const query: Omit<PeriodQuery, 'dimension' | 'limit'> = {
    scopes: [base, ...hidden],
    period: interval === 'DAY' || interval === 'WEEK' ? 'day' : 'month',
    from: dayOf(starts[0]!),
    to: dayOf(end),
    months: wholeMonths(starts[0]!, end),
    interval: interval.toLowerCase(),
    actions: of === 'EDITS' ? EDITS : [of.toLowerCase()],
  };
  const [all, series] = await Promise.all([
    periodsOf(call.sql, { ...query, dimension: 'all', limit: 1 }),
    by ? periodsOf(call.sql, { ...query, dimension: by === 'USER' ? 'user' : 'organization', limit: first }) : [],
  ]);
  const byKey = new Map<string, PeriodRow[]>();
  for (const row of series) {
    const rows = byKey.get(row.key);
    if (rows) rows.push(row);
    else byKey.set(row.key, [row]);
  }
  return {
    starts: starts.map((start) => new Date(start)),
    ...countsAt(starts, all),
    series: [...byKey].map(([key, rows]) => ({ dimension: by!, key, ...countsAt(starts, rows) })),
    seriesCount: series[0]?.keys ?? 0,
  };
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Starts of the first and after the last month that is inside; both the end for none. */
function wholeMonths(start: number, end: number): [string, string] {
  const first = startOf('MONTH', start - 1, 1);
  const last = startOf('MONTH', end);
  return first < last ? [dayOf(first), dayOf(last)] : [dayOf(end), dayOf(end)];
}

/** A count for each period. */
function countsAt(starts: readonly number[], rows: readonly PeriodRow[]): { counts: number[]; total: number } {
  const found = new Map(rows.map(({ start, count }) => [start, count]));
  const counts = starts.map((start) => found.get(start) ?? 0);
  return { counts, total: counts.reduce((sum, count) => sum + count, 0) };
}
