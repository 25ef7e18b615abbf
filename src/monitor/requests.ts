/** Counts the requests of this process by facade, operation and status. */
import type { EndedRequest } from '../operations/recorder.ts';
import { FACTS } from './definitions.ts';
import { createHistogram, createTally, type Sample } from './tally.ts';

const TOTAL = 'catalog_requests_total';
const DURATION = 'catalog_request_duration_seconds';
const SECONDS = 'catalog_operation_seconds_total';

export interface RequestCounts {
  readonly observe: (request: EndedRequest) => void;
  samples(name: typeof TOTAL | typeof DURATION | typeof SECONDS): Sample[];
}

export function createRequestCounts(): RequestCounts {
  const tallies = {
    [TOTAL]: createTally(),
    [DURATION]: createHistogram(DURATION, FACTS[DURATION].bounds),
    [SECONDS]: createTally(),
  };
  return {
    observe({ facade, label, status, milliseconds, isTimed }) {
      tallies[TOTAL].add([facade, label, String(status)], 1);
      if (!isTimed) return;
      tallies[DURATION].add([facade], milliseconds / 1_000);
      tallies[SECONDS].add([facade, label], milliseconds / 1_000);
    },
    samples: (name) => tallies[name].samples(FACTS[name].labels),
  };
}
