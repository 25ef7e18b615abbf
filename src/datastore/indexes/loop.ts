/** Stores the counted reads of tables, and makes and drops their indexes, in the background. */
import { type Loop, type LoopOptions, startLoop } from '../../infra/worker/loop.ts';
import type { Call } from '../../kernel/call.ts';
import { flushShapes, keepIndexes } from './keep.service.ts';

/** ms between two flushes, and ms between two looks for indexes to make or drop. */
const SHAPE_INTERVAL = 10_000;
const INDEX_INTERVAL = 60_000;

type Reporting = Pick<LoopOptions, 'onFailure' | 'onRecovery'>;

/** Stores what this process has counted. */
export const startShaping = (callNow: () => Call, reporting: Reporting): Loop =>
  startLoop({ look: () => flushShapes(callNow()), interval: SHAPE_INTERVAL, ...reporting });

/** Makes and drops indexes. Stopping cancels the one in the making. */
export function startIndexing(callNow: () => Call, reporting: Reporting): Loop {
  const stopping = new AbortController();
  const loop = startLoop({
    look: () => keepIndexes(callNow(), {}, stopping.signal),
    interval: INDEX_INTERVAL,
    ...reporting,
  });
  return {
    wake: loop.wake,
    stop() {
      stopping.abort();
      return loop.stop();
    },
  };
}
