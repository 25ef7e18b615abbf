/** Work that goes on after the answer: its time must tell the caller nothing, or need not be waited for. */
import type { Logger } from '../log/log.ts';

export interface Background {
  /** Starts work whose failure is logged under this name. Work that must not get lost does not belong here. */
  start(name: string, work: () => Promise<unknown>): void;
}

/** `settle` waits until everything that was started is done. */
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
