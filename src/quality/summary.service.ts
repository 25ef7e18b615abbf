/** Quality of several datasets: of the catalog or an organization, now and over time, as far as the caller may read them. */
import { chosenGroup } from '../catalog/group/group.service.ts';
import type { Call } from '../kernel/call.ts';
import { dayOf } from '../kernel/time.ts';
import { scopeListOf } from '../statistics/scopes.policy.ts';
import { checkFirst, type Interval, periodsBetween } from '../statistics/statistics.rules.ts';
import {
  CHECKS,
  type CheckName,
  DIMENSIONS,
  type Dimension,
  maximumOf,
  RATINGS,
  type Rating,
  ratingOf,
} from './method.rules.ts';
import type { SumsRow } from './score.sql.ts';
import { countOwners, meansOfOwners, type OwnerDays, type PastRow } from './summary.sql.ts';
import { ALL, addTo, named, noSums, type Sums } from './sums.rules.ts';

/** Maximum number of organizations in one list. */
const MAX_ORGANIZATIONS = 100;

interface TimelineArgs {
  readonly interval: Interval;
  readonly from?: Date | null;
  readonly to?: Date | null;
}

/** The backing type of QualityOrganization. */
export interface OrganizationRecord {
  readonly organizationId: string;
  readonly datasets: number;
  readonly meanPoints: number;
  readonly rating: Rating;
}

/** The backing type of QualityOrganizations. */
export interface OrganizationsRecord {
  readonly items: readonly OrganizationRecord[];
  readonly totalCount: number;
}

/** The backing type of QualityTimeline. */
export interface QualityTimelineRecord {
  readonly starts: readonly Date[];
  readonly datasets: readonly number[];
  readonly meanPoints: readonly number[];
  readonly dimensions: readonly { readonly name: Dimension; readonly meanPoints: readonly number[] }[];
  readonly ratings: readonly { readonly rating: Rating; readonly datasets: readonly number[] }[];
}

/** The backing type of QualitySummary; fields that read more are functions. */
export interface SummaryRecord {
  readonly datasets: number;
  readonly meanPoints: number | null;
  readonly maximum: number;
  readonly rating: Rating | null;
  readonly ratings: readonly { readonly rating: Rating; readonly datasets: number }[];
  readonly stars: readonly number[];
  readonly dimensions: readonly {
    readonly name: Dimension;
    readonly meanPoints: number | null;
    readonly maximum: number;
  }[];
  readonly checks: readonly CheckCount[];
  timeline(args: TimelineArgs): Promise<QualityTimelineRecord>;
}

interface CheckCount {
  readonly name: CheckName;
  readonly dimension: Dimension;
  readonly maximum: number;
  readonly met: number;
  readonly unmet: number;
  readonly unknown: number;
}

/** The request's loaders. */
interface Loaders {
  sumsByOwner: { load(owner: string): Promise<SumsRow[]> };
  pastSumsByOwner: { load(past: OwnerDays): Promise<readonly PastRow[]> };
}

/** Quality of the active datasets of an organization, or of all, that the caller may read. */
export async function qualitySummary(call: Call, loaders: Loaders, owner: string = ALL.owner): Promise<SummaryRecord> {
  const sums = noSums();
  for (const row of await loaders.sumsByOwner.load(owner)) addTo(sums, row.sums);
  return summaryOf(call, loaders, owner, named(sums));
}

/** The same for an organization that a caller names; null for all. @throws CatalogError VALIDATION for an unknown one */
export const statisticsQuality = async (
  call: Call,
  loaders: Loaders,
  organization: string | null | undefined,
): Promise<SummaryRecord> =>
  qualitySummary(call, loaders, (await chosenGroup(call, 'organization', organization)) ?? ALL.owner);

function summaryOf(call: Call, loaders: Loaders, owner: string, sums: Sums): SummaryRecord {
  const { datasets, points } = sums;
  const meanPoints = meanOf(points, datasets);
  return {
    datasets,
    meanPoints,
    maximum: maximumOf(),
    rating: meanPoints === null ? null : ratingOf(Math.round(meanPoints)),
    ratings: RATINGS.map(([rating], index) => ({ rating, datasets: sums.ratings[index]! })),
    stars: sums.stars,
    dimensions: DIMENSIONS.map((name, index) => ({
      name,
      meanPoints: meanOf(sums.dimensions[index]!, datasets),
      maximum: maximumOf(name),
    })),
    checks: CHECKS.map(({ name, dimension, points }, index) => {
      const [met, unknown] = [sums.met[index]!, sums.unknown[index]!];
      return { name, dimension, maximum: points, met, unknown, unmet: datasets - met - unknown };
    }),
    timeline: (args) => timelineOf(call, loaders, owner, args),
  };
}

/** Organizations by the mean of their active datasets that the caller may read. @throws CatalogError VALIDATION */
export async function qualityOrganizations(
  { sql, actor }: Call,
  { first, best }: { first: number; best: boolean },
): Promise<OrganizationsRecord> {
  checkFirst(first, MAX_ORGANIZATIONS);
  const scopes = scopeListOf(actor);
  const [rows, totalCount] = await Promise.all([meansOfOwners(sql, scopes, best, first), countOwners(sql, scopes)]);
  const items = rows.map(({ id, datasets, points }) => ({
    organizationId: id,
    datasets,
    meanPoints: meanOf(points, datasets)!,
    rating: ratingOf(Math.round(points / datasets)),
  }));
  return { items, totalCount };
}

/** @throws CatalogError VALIDATION */
async function timelineOf(
  { request }: Call,
  loaders: Loaders,
  owner: string,
  { interval, from, to }: TimelineArgs,
): Promise<QualityTimelineRecord> {
  const { starts, end } = periodsBetween(interval, from, to ?? request.now);
  const ends = [...starts.slice(1), end].map(dayOf);
  const sums = starts.map(noSums);
  for (const row of await loaders.pastSumsByOwner.load({ id: owner, days: ends })) addTo(sums[row.n - 1]!, row.sums);
  const all = sums.map(named);
  return {
    starts: starts.map((start) => new Date(start)),
    datasets: all.map(({ datasets }) => datasets),
    meanPoints: all.map(({ points, datasets }) => meanOf(points, datasets) ?? 0),
    dimensions: DIMENSIONS.map((name, index) => ({
      name,
      meanPoints: all.map(({ dimensions, datasets }) => meanOf(dimensions[index]!, datasets) ?? 0),
    })),
    ratings: RATINGS.map(([rating], index) => ({ rating, datasets: all.map(({ ratings }) => ratings[index]!) })),
  };
}

/** Two decimals are enough for a mean of points. */
const meanOf = (sum: number, datasets: number): number | null =>
  datasets === 0 ? null : Math.round((sum / datasets) * 100) / 100;
