/** Numbers of uses for a caller. */

import { readerOf } from '../catalog/document/readable.ts';
import type { DatasetRecord } from '../catalog/document/record.ts';
import { chosenGroup } from '../catalog/group/group.service.ts';
import type { Call } from '../kernel/call.ts';
import { invalidField, notAuthorized } from '../kernel/errors.ts';
import { DAY, dayOf } from '../kernel/time.ts';
import { USE, type UseKind } from '../kernel/usage.ts';
import { checkFirst, checkYears, type Interval, periodsBetween, startOf } from '../statistics/statistics.rules.ts';
import { catchUp } from './fold.service.ts';
import { type DaysRow, type Figures, listEmptySearches, type Of, topDatasets } from './usage.sql.ts';

/** Maximum datasets, and words of searches, in one list. */
const [MAX_TOP, MAX_SEARCHES] = [50, 100];
/** Days of a list of searches without `from`. */
const USUAL_DAYS = 30;

export interface UsageArgs {
  readonly interval: Interval;
  readonly from?: Date | null;
  readonly to?: Date | null;
}

export interface SeriesRecord {
  readonly counts: number[];
  readonly total: number;
}

export interface UsageRecord {
  readonly starts: readonly Date[];
  /** The series of a kind of use. */
  series(kind: UseKind): SeriesRecord;
}

export interface UsageSummaryRecord {
  figures(kind: UseKind): Figures;
}

export interface DatasetUsageRecord {
  readonly dataset: DatasetRecord;
  readonly figures: Figures;
}

/** Requested days of an object. */
export interface RequestedDays {
  readonly of: Of;
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The request's loaders: uses of many objects cost one statement. */
interface Loaders {
  usageDays: { load(requested: RequestedDays): Promise<readonly DaysRow[]> };
  usageTotals: { load(of: { of: 'datasets' | 'resources'; id: string }): Promise<ReadonlyMap<number, Figures>> };
  datasetById: { load(id: string): Promise<DatasetRecord | null> };
}

/** Uses of an object over time. Organizations: `''` is the catalog. @throws CatalogError VALIDATION */
export async function usageOf(
  { request }: Call,
  loaders: Loaders,
  object: { readonly of: Of; readonly id: string },
  { interval, from, to }: UsageArgs,
): Promise<UsageRecord> {
  const { starts, end } = periodsBetween(interval, from, to ?? request.now);
  const rows = await loaders.usageDays.load({ ...object, from: dayOf(starts[0]!), to: dayOf(end) });
  const at = new Map(starts.map((start, index) => [start, index]));
  return {
    starts: starts.map((start) => new Date(start)),
    series(kind) {
      const counts = new Array<number>(starts.length).fill(0);
      let total = 0;
      const row = rows.find((it) => it.kind === USE[kind]);
      row?.days.forEach((day, index) => {
        counts[at.get(startOf(interval, day * DAY))!]! += row.counts[index]!;
        total += row.counts[index]!;
      });
      return { counts, total };
    },
  };
}

/** Uses of all datasets, or of those that an organization owned. @throws CatalogError VALIDATION */
export async function catalogUsage(
  call: Call,
  loaders: Loaders,
  { organization, ...args }: UsageArgs & { readonly organization?: string | null },
): Promise<UsageRecord> {
  const id = (await chosenGroup(call, 'organization', organization)) ?? '';
  return usageOf(call, loaders, { of: 'organizations', id }, args);
}

const NO_USE: Figures = { total: 0, recent: 0, before: 0 };

/** Sums of the uses of a dataset or resource. */
export async function summaryOf(
  loaders: Loaders,
  object: { readonly of: 'datasets' | 'resources'; readonly id: string },
): Promise<UsageSummaryRecord> {
  const totals = await loaders.usageTotals.load(object);
  return { figures: (kind) => totals.get(USE[kind]) ?? NO_USE };
}

const KINDS = { VIEWS: 'view', DOWNLOADS: 'download', READS: 'read' } as const;
const ORDERS = { RECENT: 'recent', TOTAL: 'total', RISING: 'rising' } as const;

interface TopArgs {
  readonly of: keyof typeof KINDS;
  readonly by: keyof typeof ORDERS;
  readonly first: number;
  readonly organization?: string | null;
}

/** The most used datasets. @throws CatalogError VALIDATION */
export async function usageTop(
  call: Call,
  loaders: Loaders,
  { of, by, first, ...args }: TopArgs,
): Promise<DatasetUsageRecord[]> {
  checkFirst(first, MAX_TOP);
  const organization = await chosenGroup(call, 'organization', args.organization);
  await catchUp(call);
  const choice = { kind: USE[KINDS[of]], limit: first, reader: readerOf(call.actor), organization };
  const rows = await topDatasets(call.sql, ORDERS[by], choice);
  const datasets = await Promise.all(rows.map(({ id }) => loaders.datasetById.load(id)));
  return rows.flatMap(({ total, recent, before }, index) => {
    const dataset = datasets[index];
    return dataset ? [{ dataset, figures: { total, recent, before } }] : [];
  });
}

/** Words of searches without a result. @throws CatalogError NOT_AUTHORIZED, VALIDATION */
export async function emptySearches(
  call: Call,
  { from, to, first }: { from?: Date | null; to?: Date | null; first: number },
): Promise<{ words: string; count: number }[]> {
  if (!call.actor.sysadmin) throw notAuthorized('only system administrators may read words of searches');
  checkFirst(first, MAX_SEARCHES);
  const last = to ?? call.request.now;
  const start = from ?? new Date(startOf('DAY', last.getTime(), 1 - USUAL_DAYS));
  checkYears('to', last.getTime());
  checkYears('from', start.getTime());
  if (start > last) throw invalidField('from', 'Must not be after `to`');
  await catchUp(call);
  return listEmptySearches(call.sql, dayOf(start.getTime()), dayOf(startOf('DAY', last.getTime(), 1)), first);
}
