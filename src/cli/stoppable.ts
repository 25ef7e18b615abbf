import { CommandFailure } from './command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** ms in which a repeated signal counts as the same one: a terminal, npm and the parent of workers send it. */
const SAME = 1_000;

/** @throws CommandFailure after SIGINT or SIGTERM */
export type Proceed = () => void;

/**
 * Calls `first` at SIGINT or SIGTERM, and `again` at each one that comes a second later or more.
 * @returns a function that ends that
 */
export function onStopSignal(first: (signal: NodeJS.Signals) => void, again: () => void): () => void {
  let at: number | null = null;
  const stop = (signal: NodeJS.Signals) => {
    if (at !== null) return performance.now() - at > SAME ? again() : undefined;
    at = performance.now();
    first(signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return () => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
}

/**
 * Runs the work of a command, which calls `proceed` often. After SIGINT or SIGTERM that throws, so that the work removes what it wrote.
 * Another signal, a second later, ends the process at once.
 */
export async function stoppable<T>(work: (proceed: Proceed) => Promise<T>): Promise<T> {
  let stoppedBy: string | null = null;
  const end = onStopSignal(
    (signal) => (stoppedBy = signal),
    () => process.exit(1),
  );
  try {
    return await work(() => {
      if (stoppedBy !== null) throw new CommandFailure(`Stopped by ${stoppedBy}. The command removes what it wrote.`);
    });
  } finally {
    end();
  }
}

/** The same bytes; calls `proceed` before each chunk, and at the end. */
export async function* proceeding(bytes: AsyncIterable<Buffer>, proceed: Proceed): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    proceed();
    yield chunk;
  }
  proceed();
}
