/** Background worker that polls the catalog's changes and feeds them to Solr. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../infra/log/log.ts';
import { openDatabase } from '../../infra/postgres/db.ts';
import { startLoop } from '../../infra/worker/loop.ts';
import { type Feed, feedOf } from './feed.service.ts';

/** Poll interval in ms. A write is searchable after it plus Solr's own delay. */
const INTERVAL = 300;
/** ms before a retry after an error of Solr or the database. */
const TIMEOUT = 2_000;

export interface FollowerOptions {
  readonly databaseUrl: string;
  readonly solrUrl: string;
  readonly log: Logger;
}

/** Follows until stopped. `stop` waits for the current batch. */
export function startFollower({ databaseUrl, solrUrl, log }: FollowerOptions): { stop(): Promise<void> } {
  const database = openDatabase({ url: databaseUrl, max: 1 });
  const feed = feedOf(database.sql, solrUrl);
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

/** Runs a command's work with a feed of its own. */
export async function withFeed<T>(databaseUrl: string, solrUrl: string, work: (feed: Feed) => Promise<T>): Promise<T> {
  const database = openDatabase({ url: databaseUrl, max: 1 });
  try {
    return await work(feedOf(database.sql, solrUrl));
  } finally {
    await database.close();
  }
}
