/** One connection that waits for notices of the database, and is opened anew when it is lost. */
import pg from 'pg';

/** ms until the next try after a connection was lost. */
const PAUSE = 1_000;

/**
 * Calls `heard` once now, and then whenever something may have been said on the channel: also when the connection was lost for a
 * while, for notices are not kept. Ends with the function answered. @throws Error when the first connection fails
 */
export async function listen(
  url: string,
  channel: string,
  heard: () => Promise<void>,
  onFailure: (failure: unknown) => void,
): Promise<() => Promise<void>> {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const tell = () => heard().catch(onFailure);

  async function open(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true, application_name: `catalog ${channel}` });
    next.on('notification', () => void tell());
    next.on('error', () => {}); // its end follows
    await next.connect();
    next.once('end', again);
    client = next;
    await next.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  }

  function again(): void {
    if (over) return;
    client = null;
    timer = setTimeout(() => {
      open().then(tell, (failure: unknown) => {
        onFailure(failure);
        if (client === null) again();
      });
    }, PAUSE);
    timer.unref();
  }

  await open();
  await heard();
  return async () => {
    over = true;
    clearTimeout(timer);
    await client?.end().catch(() => {});
  };
}
