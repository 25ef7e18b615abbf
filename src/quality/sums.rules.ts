/** Sums of scores: lists of numbers that add up over datasets, organizations and scopes. Pure. */
import { CHECKS, DIMENSIONS, RATINGS, ratingOf } from './method.rules.ts';

const MAX_STARS = 5;

/** Places in a list of sums. New ones go to the end, because stored lists are shorter then. */
const DATASETS = 0;
const POINTS = 1;
const BY_DIMENSION = 2;
const BY_RATING = BY_DIMENSION + DIMENSIONS.length;
const BY_STARS = BY_RATING + RATINGS.length;
const MET = BY_STARS + MAX_STARS + 1;
const UNKNOWN = MET + CHECKS.length;
const LENGTH = UNKNOWN + CHECKS.length;

/** The counted parts of a score. */
export interface Counted {
  readonly points: number;
  /** In the order of DIMENSIONS. */
  readonly dimensions: readonly number[];
  readonly checks: string;
  readonly stars: number;
}

export const noSums = (): number[] => new Array<number>(LENGTH).fill(0);

/** Adds the sums of one dataset, or (-1) takes them away. */
export function count(sums: number[], { points, dimensions, checks, stars }: Counted, sign: 1 | -1): void {
  const add = (index: number, amount = 1) => {
    sums[index] = (sums[index] ?? 0) + sign * amount;
  };
  add(DATASETS);
  add(POINTS, points);
  dimensions.forEach((amount, index) => void add(BY_DIMENSION + index, amount));
  add(BY_RATING + RATINGS.findIndex(([name]) => name === ratingOf(points)));
  add(BY_STARS + stars);
  for (let index = 0; index < CHECKS.length; index += 1) {
    if (checks[index] === '1') add(MET + index);
    if (checks[index] === '?') add(UNKNOWN + index);
  }
}

export function addTo(sums: number[], more: readonly (number | bigint)[]): void {
  more.forEach((amount, index) => {
    sums[index] = (sums[index] ?? 0) + Number(amount);
  });
}

/** The same by name. */
export interface Sums {
  readonly datasets: number;
  readonly points: number;
  readonly dimensions: readonly number[];
  /** Number of datasets by rating, in the order of RATINGS. */
  readonly ratings: readonly number[];
  /** Number of datasets by stars, from 0 to 5. */
  readonly stars: readonly number[];
  /** Number of datasets that meet each check, in the order of CHECKS. */
  readonly met: readonly number[];
  readonly unknown: readonly number[];
}

export const named = (sums: readonly number[]): Sums => ({
  datasets: sums[DATASETS]!,
  points: sums[POINTS]!,
  dimensions: sums.slice(BY_DIMENSION, BY_RATING),
  ratings: sums.slice(BY_RATING, BY_STARS),
  stars: sums.slice(BY_STARS, MET),
  met: sums.slice(MET, UNKNOWN),
  unknown: sums.slice(UNKNOWN, LENGTH),
});

/** The parts of a stored score that are counted. */
export const countedOf = (row: {
  readonly points: number;
  readonly findability: number;
  readonly accessibility: number;
  readonly interoperability: number;
  readonly reusability: number;
  readonly contextuality: number;
  readonly checks: string;
  readonly stars: number;
}): Counted => ({
  points: row.points,
  dimensions: [row.findability, row.accessibility, row.interoperability, row.reusability, row.contextuality],
  checks: row.checks,
  stars: row.stars,
});

/** The scope of sysadmins, and the owner of sums of all organizations. */
export const ALL = { scope: 'all', owner: '*' } as const;

/**
 * The scope of a dataset: the only callers, besides sysadmins, who may read it, as in src/statistics/scopes.policy.ts. Null for a dataset
 * that is not active, which is not counted.
 */
export function scopeOf({
  state,
  private: isPrivate,
  ownerOrganizationId,
  creatorId,
}: {
  readonly state: string;
  readonly private: boolean;
  readonly ownerOrganizationId: string | null;
  readonly creatorId: string | null;
}): string | null {
  if (state !== 'active') return null;
  if (!isPrivate) return 'public';
  if (ownerOrganizationId !== null) return `member:${ownerOrganizationId}`;
  return creatorId === null ? 'none' : `creator:${creatorId}`;
}
