import { CommandFailure } from './command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** ms in which a repeated signal counts as the same one: a terminal and npm both send it. */
const SAME = 1_000;

/** @throws CommandFailure after SIGINT or SIGTERM */
export type Proceed = () => void;

/**
 * Runs the work of a command, which calls `proceed` often. After SIGINT or SIGTERM that throws, so that the work removes what it wrote.
 * Another signal, a second later, ends the process at once.
 */
export async function stoppable<T>(work: (proceed: Proceed) => Promise<T>): Promise<T> {
  let first: { readonly signal: string; readonly at: number } | null = null;
  const stop = (signal: string) => {
    if (first !== null && performance.now() - first.at > SAME) process.exit(1);
    first ??= { signal, at: performance.now() };
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(() => {
      if (first !== null) throw new CommandFailure(`Stopped by ${first.signal}. The command removes what it wrote.`);
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
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
