/** The score of one dataset, with the results of its checks. */
import {
  CHECKS,
  type CheckName,
  DIMENSIONS,
  type Dimension,
  maximumOf,
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
  readonly dimensions: readonly DimensionRecord[];
  readonly faults: readonly string[];
  readonly scoredAt: Date;
}

interface DimensionRecord {
  readonly name: Dimension;
  readonly points: number;
  readonly maximum: number;
  readonly checks: readonly CheckRecord[];
}

interface CheckRecord {
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

const MAXIMUM = maximumOf();

/** The dimensions with the places of their checks. */
const PARTS = DIMENSIONS.map((name) => ({
  name,
  maximum: maximumOf(name),
  indexes: [...CHECKS.keys()].filter((index) => CHECKS[index]!.dimension === name),
}));

const qualityRecord = ({ points, checks, faults, stars, scoredAt }: QualityRow): QualityRecord => ({
  points,
  maximum: MAXIMUM,
  rating: ratingOf(points),
  stars,
  dimensions: PARTS.map(({ indexes, ...dimension }) => {
    const records = indexes.map((index) => checkRecord(CHECKS[index]!, checks, index));
    return { ...dimension, points: records.reduce((sum, check) => sum + check.points, 0), checks: records };
  }),
  faults,
  scoredAt,
});

function checkRecord(
  { name, points, metric, raise, field }: (typeof CHECKS)[number],
  states: string,
  index: number,
): CheckRecord {
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
