/** One connection that waits for notices of the database, and is opened anew when it is lost. */
import pg from 'pg';
import { Client } from './client.ts';

/** ms until the next try after a connection was lost. */
const PAUSE = 1_000;
/** ms between two looks whether the connection lives: nobody says so when its server is gone from the network. */
const BEAT = 15_000;

/** What is done when something was said, by channel. `notice` is what was said, where something was. */
export type Listeners = Readonly<Record<string, (notice?: string) => Promise<void>>>;

export interface Notices {
  /** Says that something happened, to all processes that listen. Lost where there is no connection at the moment. */
  tell(channel: string): void;
  stop(): Promise<void>;
}

/**
 * Calls each listener once now, and then whenever something may have been said on its channel: also when the connection was lost
 * for a while, for notices are not kept. @throws Error when the first connection fails
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
  const tell = (channel: string, notice?: string) => listeners[channel]?.(notice).catch(onFailure);
  const channels = Object.keys(listeners);
  const tellAll = () => Promise.all(channels.map((channel) => tell(channel)));
  /** Channels of which something is to be said: once for all who asked while others were told. */
  const waiting = new Set<string>();
  let saying = false;

  async function say(): Promise<void> {
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
    next.on('notification', ({ channel, payload }) => void tell(channel, payload));
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
      open().then(tellAll, (failure: unknown) => {
        onFailure(failure);
        if (client === null) again();
      });
    }, PAUSE);
    timer.unref();
  }

  await open();
  await Promise.all(channels.map((channel) => listeners[channel]!()));
  return {
    tell: (channel) => {
      if (!client) return;
      waiting.add(channel);
      void say();
    },
    async stop() {
      over = true;
      clearTimeout(timer);
      clearInterval(beat);
      await client?.end().catch(() => {});
    },
  };
}
