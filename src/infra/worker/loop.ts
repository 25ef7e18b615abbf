/** Looks for work again and again: after a notice of the database, at an interval, and later after a failure. */
import { serialize } from '../concurrency/serialize.ts';
import { listen } from '../postgres/listen.ts';

export interface LoopOptions {
  /** Looks for work once. Never runs twice at a time: a look that is requested by `wake` during a look follows it. */
  readonly look: (wake: () => Promise<void>) => Promise<unknown>;
  /** ms between two looks without a notice. */
  readonly interval: number;
  /** ms from a failure to the next look; `interval` by default. */
  readonly retry?: number;
  /** ms from a notice to its look. Notices that arrive in the meantime share that look. */
  readonly delay?: number;
  /** `count`: failures in a row, with this one. Failures after `stop` are not reported. */
  readonly onFailure: (failure: unknown, count: number) => void;
  /** The first success after failures. */
  readonly onRecovery?: () => void;
}

export interface Loop {
  /** Requests a look, and ends after it. Never throws. */
  wake(): Promise<void>;
  /** Starts no more looks, and waits for the current one. */
  stop(): Promise<void>;
}

/** Starts with a look. The process does not stay alive for it. */
export function startLoop(options: LoopOptions): Loop {
  const loop = createLoop(options);
  void loop.wake();
  return loop;
}

export interface NotifiedOptions extends LoopOptions {
  /** Address of the database whose notices request looks. */
  readonly url: string;
  readonly channels: readonly string[];
  /** Reads a notice before its look. */
  readonly onNotice?: (notice: string | undefined) => Promise<unknown>;
}

/** The same, with looks after notices on these channels. @throws Error when the database cannot be reached */
export async function startNotifiedLoop({ url, channels, onNotice, ...options }: NotifiedOptions): Promise<Loop> {
  const { delay = 0, onFailure } = options;
  const loop = createLoop(options);
  let soon: NodeJS.Timeout | undefined;
  async function heard(notice?: string): Promise<void> {
    await onNotice?.(notice);
    if (delay === 0) return loop.wake();
    soon ??= setTimeout(() => {
      soon = undefined;
      void loop.wake();
    }, delay).unref();
  }
  const listeners = Object.fromEntries(channels.map((channel) => [channel, heard]));
  const notices = await listen(url, listeners, (failure) => onFailure(failure, 1));
  return {
    wake: loop.wake,
    async stop() {
      clearTimeout(soon);
      await notices.stop();
      clearTimeout(soon);
      await loop.stop();
    },
  };
}

function createLoop({ look, interval, retry = interval, onFailure, onRecovery }: LoopOptions): Loop {
  let stopped = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const wake: () => Promise<void> = serialize(async () => {
    if (stopped) return;
    clearTimeout(timer);
    try {
      await look(wake);
      if (failures > 0) onRecovery?.();
      failures = 0;
    } catch (failure) {
      failures += 1;
      if (!stopped) onFailure(failure, failures);
    }
    if (!stopped) timer = setTimeout(wake, failures > 0 ? retry : interval).unref();
  });
  return {
    wake,
    stop() {
      stopped = true;
      clearTimeout(timer);
      return wake();
    },
  };
}
