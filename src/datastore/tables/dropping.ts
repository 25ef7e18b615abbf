/** Drops tables of resources that are gone: soon after one is, when the process starts, and again and again, for the DataStore may have been down. */
import { listen } from '../../infra/postgres/listen.ts';

export interface DroppingOptions {
  /** Of the catalog's database. */
  readonly url: string;
  readonly drop: () => Promise<void>;
  /** ms between two looks. */
  readonly interval: number;
  /** ms from the news that there is one to a look. */
  readonly delay: number;
  readonly onFailure: (failure: unknown) => void;
}

/** Starts it; the function it answers stops it and waits for the last look. The process does not stay alive for it. */
export async function startDropping({
  url,
  drop,
  interval,
  delay,
  onFailure,
}: DroppingOptions): Promise<() => Promise<void>> {
  let last: Promise<void> = Promise.resolve();
  let waiting = false;
  let soon: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    if (waiting) return; // the look that waits will see it
    waiting = true;
    last = last.then(() => {
      waiting = false;
      return drop().catch(onFailure);
    });
  };
  /** Not at once: who reads a table while its resource goes comes to the end of it, and many that go together go in one look. */
  const lookSoon = async (): Promise<void> => {
    soon ??= setTimeout(() => {
      soon = undefined;
      void look();
    }, delay).unref();
  };
  const notices = await listen(url, { discarded_table: lookSoon }, onFailure);
  const timer = setInterval(() => void look(), interval).unref();
  return async () => {
    clearInterval(timer);
    clearTimeout(soon);
    await notices.stop();
    await last;
  };
}
