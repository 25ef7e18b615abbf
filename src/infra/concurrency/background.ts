/** Background work after a response. The response time must not depend on it, or need not include it. */
import type { Logger } from '../log/log.ts';

export interface Background {
  /** Starts work; failures are logged under this name. Work that must not get lost belongs in the job queue. */
  start(name: string, work: () => Promise<unknown>): void;
}

/** `settle` waits for all started work. */
export function createBackground(log: Logger): Background & { settle(): Promise<void> } {
  const running = new Set<Promise<unknown>>();
  return {
    start(name, work) {
      const done: Promise<unknown> = new Promise((resolve) => setImmediate(resolve))
        .then(work)
        .catch((failure: unknown) => log.error({ err: failure, work: name }, 'background task failed'))
        .finally(() => running.delete(done));
      running.add(done);
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
