/** Follows the catalog in the background of a server: looks for what was written, again and again. */
import type { Logger } from '../../infra/log/log.ts';
import { openDatabase } from '../../infra/postgres/db.ts';
import { startLoop } from '../../infra/worker/loop.ts';
import { type Feed, feedOf } from './feed.service.ts';

/** ms between two looks; a write is found by then and the time that Solr takes. */
const INTERVAL = 300;
/** ms after which Solr, or the database, is tried again. */
const TIMEOUT = 2_000;

export interface FollowerOptions {
  readonly databaseUrl: string;
  readonly solrUrls: readonly string[];
  readonly log: Logger;
}

/** Follows until told to stop; `stop` waits for the batch at hand. */
export function startFollower({ databaseUrl, solrUrls, log }: FollowerOptions): { stop(): Promise<void> } {
  const database = openDatabase({ url: databaseUrl, max: 1 });
  const feed = feedOf(database.sql, solrUrls);
  const loop = startLoop({
    look: () => feed.follow(),
    interval: INTERVAL,
    retry: TIMEOUT,
    onFailure(failure, count) {
      if (count === 1) log.warn({ err: failure }, 'Solr indexing failed; changes are queued until it recovers');
    },
    onRecovery: () => log.info('Solr is reachable again and up to date'),
  });

  return {
    async stop() {
      await loop.stop();
      await database.close();
    },
  };
}

/** A feed for one piece of work of a command. */
export async function withFeed<T>(
  databaseUrl: string,
  solrUrls: readonly string[],
  work: (feed: Feed) => Promise<T>,
): Promise<T> {
  const database = openDatabase({ url: databaseUrl, max: 1 });
  try {
    return await work(feedOf(database.sql, solrUrls));
  } finally {
    await database.close();
  }
}
