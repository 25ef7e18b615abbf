import { CommandFailure } from './command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * The same bytes, which end with a failure after SIGINT or SIGTERM, so that a command removes what it wrote. A second signal ends the
 * process at once. @throws CommandFailure
 */
export async function* stoppable(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let stoppedBy: string | null = null;
  const stop = (signal: string) => {
    stoppedBy = signal;
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    for await (const chunk of bytes) {
      if (stoppedBy !== null) throw new CommandFailure(`Stopped by ${stoppedBy}. The command removes what it wrote.`);
      yield chunk;
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
