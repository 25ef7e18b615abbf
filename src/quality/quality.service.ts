/** The score of one dataset, with the results of its checks. */
import {
  CHECKS,
  type CheckName,
  DIMENSIONS,
  type Dimension,
  maximumOf,
  pointsOf,
  type Rating,
  ratingOf,
  STATE_SIGNS,
  type State,
  stateAt,
} from './method.rules.ts';
import type { QualityRow } from './score.store.ts';

/** Namespace of the metrics. */
const METRICS = 'https://piveau.eu/ns/voc#';

/** The backing type of DatasetQuality. */
export interface QualityRecord {
  readonly points: number;
  readonly maximum: number;
  readonly rating: Rating;
  readonly stars: number;
  readonly dimensions: readonly QualityDimensionRecord[];
  readonly faults: readonly string[];
  readonly scoredAt: Date;
}

/** The backing type of QualityDimension. */
export interface QualityDimensionRecord {
  readonly name: Dimension;
  readonly points: number;
  readonly maximum: number;
  /** States of all checks, as stored. */
  readonly states: string;
}

/** The backing type of QualityCheck. */
export interface QualityCheckRecord {
  readonly name: CheckName;
  readonly points: number;
  readonly maximum: number;
  readonly metric: string;
  readonly state: State;
  readonly raise: string | null;
  readonly field: string | null;
}

/** The score of a readable dataset; null before its first score. */
export const datasetQuality = async (
  loaders: { scoreByDataset: { load(id: string): Promise<QualityRow | null> } },
  id: string,
): Promise<QualityRecord | null> => {
  const row = await loaders.scoreByDataset.load(id);
  return row && qualityRecord(row);
};

const qualityRecord = ({ points, checks: states, faults, stars, scoredAt }: QualityRow): QualityRecord => ({
  points,
  maximum: maximumOf(),
  rating: ratingOf(points),
  stars,
  dimensions: DIMENSIONS.map((name) => ({ name, points: pointsOf(states, name), maximum: maximumOf(name), states })),
  faults,
  scoredAt,
});

/** Checks of a dimension; null: in any state. */
export const checksOf = (
  { name, states }: QualityDimensionRecord,
  requested: readonly State[] | null = null,
): QualityCheckRecord[] =>
  CHECKS.flatMap((check, index) =>
    check.dimension === name && (requested === null || requested.includes(stateAt(states, index)))
      ? [checkRecord(check, states, index)]
      : [],
  );

function checkRecord(
  { name, points, metric, raise, field }: (typeof CHECKS)[number],
  states: string,
  index: number,
): QualityCheckRecord {
  const isMet = states[index] === STATE_SIGNS.MET;
  return {
    name,
    points: isMet ? points : 0,
    maximum: points,
    metric: METRICS + metric,
    state: stateAt(states, index),
    raise: isMet ? null : raise,
    field: isMet ? null : field,
  };
}
