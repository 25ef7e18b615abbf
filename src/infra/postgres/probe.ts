/** Looks whether a database works, over one connection of its own: a busy pool neither delays the look nor is delayed by it. */
import { Client, TIMEOUTS } from './client.ts';

export interface Probe {
  /** Runs a statement. Until the signal says that nobody waits any more. @throws Error where it cannot be run */
  ask<Row>(text: string, values: readonly unknown[], signal: AbortSignal): Promise<Row[]>;
  close(): Promise<void>;
}

/** Connects when it is first asked, and again after each failure. */
export function createProbe(url: string): Probe {
  let client: Client | null = null;
  const drop = (lost: Client) => {
    if (client === lost) client = null;
    lost.destroy();
  };
  return {
    async ask<Row>(text: string, values: readonly unknown[], signal: AbortSignal) {
      const isNew = client === null;
      const asked = (client ??= new Client({
        connectionString: url,
        application_name: 'catalog health',
        timeouts: { ...TIMEOUTS, connect: 2_000 },
        pipeline: true, // several looks at a time
      }));
      const giveUp = () => drop(asked);
      if (isNew) asked.once('end', giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        if (isNew) await asked.connect();
        return (await asked.query(text, [...values])).rows as Row[];
      } catch (failure) {
        drop(asked);
        throw failure;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
    async close() {
      await client?.end().catch(() => {});
    },
  };
}
