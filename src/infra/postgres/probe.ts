/** Health checks of a database over a dedicated connection: independent of a busy pool. */
import { Client, TIMEOUTS } from './client.ts';

export interface Probe {
  /** Runs a statement until the signal aborts. @throws Error if it fails */
  query<Row>(text: string, values: readonly unknown[], signal: AbortSignal): Promise<Row[]>;
  close(): Promise<void>;
}

/** Connects on first use, and again after each failure. */
export function createProbe(url: string): Probe {
  let client: Client | null = null;
  const drop = (lost: Client) => {
    if (client === lost) client = null;
    lost.destroy();
  };
  return {
    async query<Row>(text: string, values: readonly unknown[], signal: AbortSignal) {
      const isNew = client === null;
      const current = (client ??= new Client({
        connectionString: url,
        application_name: 'catalog health',
        timeouts: { ...TIMEOUTS, connect: 2_000 },
        pipeline: true, // several concurrent checks
      }));
      const giveUp = () => drop(current);
      if (isNew) current.once('end', giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        if (isNew) await current.connect();
        return (await current.query(text, [...values])).rows as Row[];
      } catch (failure) {
        drop(current);
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
