/** One connection that waits for notices of the database, and is opened anew when it is lost. */
import pg from 'pg';

/** ms until the next try after a connection was lost. */
const PAUSE = 1_000;

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
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const tell = (channel: string, notice?: string) => listeners[channel]?.(notice).catch(onFailure);
  const channels = Object.keys(listeners);
  const tellAll = () => Promise.all(channels.map((channel) => tell(channel)));

  async function open(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'catalog notices' });
    next.on('notification', ({ channel, payload }) => void tell(channel, payload));
    next.on('error', () => {}); // its end follows
    await next.connect();
    next.once('end', again);
    client = next;
    for (const channel of channels) await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  }

  function again(): void {
    if (over) return;
    client = null;
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
    tell: (channel) => void client?.query('SELECT pg_notify($1, $2)', [channel, '']).catch(() => {}),
    async stop() {
      over = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
