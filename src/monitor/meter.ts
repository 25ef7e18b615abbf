/** Counts events in the memory of this process. */
import type { Meter } from '../kernel/meter.ts';
import { type Definition, EVENTS } from './definitions.ts';
import { createHistogram, createTally, type Sample, type Tally } from './tally.ts';

export interface CountingMeter extends Meter {
  samples(name: keyof typeof EVENTS): Sample[];
}

export function createMeter(): CountingMeter {
  const tallies = Object.fromEntries(
    Object.entries<Definition>(EVENTS).map(([name, { bounds }]) => [
      name,
      bounds ? createHistogram(name, bounds) : createTally(),
    ]),
  ) as Record<keyof typeof EVENTS, Tally>;
  return {
    add: (name, labels, by = 1) => tallies[name].add(labels, by),
    observe: (name, labels, value) => tallies[name].add(labels, value),
    samples: (name) => tallies[name].samples(EVENTS[name].labels),
  };
}
