/** Listens for PostgreSQL notifications on one connection, and reconnects after a loss. */
import pg from 'pg';
import { Client } from './client.ts';

/** ms before reconnecting. */
const PAUSE = 1_000;
/** ms between checks of the connection: a server that vanishes from the network sends nothing. */
const BEAT = 15_000;

/** Callbacks by channel. `notice` is the payload of a notification, if there is one. */
export type Listeners = Readonly<Record<string, (notice?: string) => Promise<void>>>;

export interface Notices {
  /** Notifies all listening processes. Lost while the connection is down. */
  notify(channel: string): void;
  stop(): Promise<void>;
}

/**
 * Calls each listener once at the start, and then whenever a notification may have arrived on its channel: also after a
 * lost connection, because PostgreSQL does not queue notifications. @throws Error when the first connection fails
 */
export async function listen(
  url: string,
  listeners: Listeners,
  onFailure: (failure: unknown) => void,
): Promise<Notices> {
  let client: Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let beat: NodeJS.Timeout | undefined;
  let over = false;
  const notify = (channel: string, notice?: string) => listeners[channel]?.(notice).catch(onFailure);
  const channels = Object.keys(listeners);
  const callAll = () => Promise.all(channels.map((channel) => notify(channel)));
  /** Channels to notify next: requests during a notification are merged. */
  const waiting = new Set<string>();
  let saying = false;

  async function send(): Promise<void> {
    if (saying) return;
    saying = true;
    while (client && waiting.size > 0) {
      const named = [...waiting];
      waiting.clear();
      await client.query("SELECT pg_notify(channel, '') FROM unnest($1::text[]) channel", [named]).catch(() => {});
    }
    saying = false;
  }

  async function open(): Promise<void> {
    const next = new Client({ connectionString: url, application_name: 'catalog notices' });
    next.on('notification', ({ channel, payload }) => void notify(channel, payload));
    await next.connect();
    next.once('end', again);
    for (const channel of channels) await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    client = next;
    clearInterval(beat);
    beat = setInterval(() => void next.query('SELECT').catch(() => {}), BEAT).unref();
  }

  function again(): void {
    if (over) return;
    client = null;
    clearInterval(beat);
    clearTimeout(timer);
    timer = setTimeout(() => {
      open().then(callAll, (failure: unknown) => {
        onFailure(failure);
        if (client === null) again();
      });
    }, PAUSE);
    timer.unref();
  }

  await open();
  await Promise.all(channels.map((channel) => listeners[channel]!()));
  return {
    notify: (channel) => {
      if (!client) return;
      waiting.add(channel);
      void send();
    },
    async stop() {
      over = true;
      clearTimeout(timer);
      clearInterval(beat);
      await client?.end().catch(() => {});
    },
  };
}
