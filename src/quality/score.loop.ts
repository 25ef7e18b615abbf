/** Scores changed datasets in the background. */
import { type Loop, type LoopOptions, startLoop } from '../infra/worker/loop.ts';
import type { Call } from '../kernel/call.ts';
import { type Describe, queueOutdated, scorePending } from './score.service.ts';

/** ms between two looks for datasets to score. */
const SCORE_INTERVAL = 5_000;

/** Queues the datasets that an older method has scored, then scores queued ones. Stopping waits for one batch only. */
export function startScoring(
  callNow: () => Call,
  describe: Describe,
  reporting: Pick<LoopOptions, 'onFailure' | 'onRecovery'>,
): Loop {
  let isStopping = false;
  let isPrepared = false;
  const loop = startLoop({
    async look() {
      if (!isPrepared) await queueOutdated(callNow());
      isPrepared = true;
      await scorePending(callNow(), describe, () => isStopping);
    },
    interval: SCORE_INTERVAL,
    ...reporting,
  });
  return {
    wake: loop.wake,
    stop() {
      isStopping = true;
      return loop.stop();
    },
  };
}
