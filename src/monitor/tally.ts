/** Sums by labels in memory. A request adds in a tenth of the time that prom-client takes (docs/decisions/0042). */

/** A value with its labels, as prom-client writes it. */
export interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Maximum sets of labels of one metric. More share the label `other`: a defect must not fill the memory. */
const MAX_SETS = 2_000;
const SEPARATOR = '\u0000';

export interface Tally {
  add(labels: readonly string[], by: number): void;
  samples(names: readonly string[]): Sample[];
}

const labelled = (names: readonly string[], key: string): Record<string, string> => {
  const values = key.split(SEPARATOR);
  return Object.fromEntries(names.map((name, at) => [name, values[at] as string]));
};

/** The entry of these labels, or of `other` in a full table. */
function entryOf<Entry>(entries: Map<string, Entry>, labels: readonly string[], make: () => Entry): [string, Entry] {
  let key = labels.length === 1 ? (labels[0] as string) : labels.join(SEPARATOR);
  let entry = entries.get(key);
  if (entry !== undefined) return [key, entry];
  if (entries.size >= MAX_SETS) key = labels.map(() => 'other').join(SEPARATOR);
  entry = entries.get(key) ?? make();
  entries.set(key, entry);
  return [key, entry];
}

export function createTally(): Tally {
  const sums = new Map<string, number>();
  return {
    add(labels, by) {
      const [key, sum] = entryOf(sums, labels, () => 0);
      sums.set(key, sum + by);
    },
    samples: (names) => [...sums].map(([key, value]) => ({ labels: labelled(names, key), value })),
  };
}

/** Counts of values up to each bound, and of all values in the last place. */
interface Distribution {
  readonly counts: number[];
  sum: number;
}

/** A histogram. `name` is that of the metric, for the names of its series. */
export function createHistogram(name: string, bounds: readonly number[]): Tally {
  const distributions = new Map<string, Distribution>();
  return {
    add(labels, value) {
      const [, it] = entryOf(distributions, labels, () => ({ counts: bounds.map(() => 0).concat(0), sum: 0 }));
      let at = 0;
      while (at < bounds.length && value > bounds[at]!) at += 1;
      it.counts[at]! += 1;
      it.sum += value;
    },
    samples: (names) =>
      [...distributions].flatMap(([key, { counts, sum }]) => {
        const labels = labelled(names, key);
        let count = 0;
        const buckets = counts.map((n, at) => {
          count += n;
          return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: count };
        });
        return [
          ...buckets,
          { metricName: `${name}_sum`, labels, value: sum },
          { metricName: `${name}_count`, labels, value: count },
        ];
      }),
  };
}
