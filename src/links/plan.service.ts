/** Work of the checker beside checks: plans new links, brings verdicts into the search index, and prunes. */

import { type Call, inTransaction } from '../kernel/call.ts';
import { writeLinkStatus } from '../search/index/links.sql.ts';
import { forgetHosts, newLinks, planLinks } from './due.sql.ts';
import { hostOf } from './link.rules.ts';
import { pruneRobots } from './robots.store.ts';
import { MAX_AGE } from './robots.ts';
import { takeUnindexed } from './unindexed.sql.ts';

const BATCH = 500;

/** Plans the first checks of new links. */
export async function planNewLinks({ sql, settings }: Call): Promise<void> {
  const delay = settings['catalog.links.delay'] * 60;
  for (;;) {
    const links = await newLinks(sql, BATCH);
    if (links.length === 0) return;
    await planLinks(
      sql,
      links.map((link) => ({ ...link, host: hostOf(link.url) })),
      delay,
    );
    if (links.length < BATCH) return;
  }
}

/** Maximum datasets that one look re-indexes. */
const MAX_INDEXED = 200;

/** Brings changed verdicts into the search index. */
export const indexVerdicts = (call: Call): Promise<void> =>
  inTransaction(call, async (call) => {
    const datasets = await takeUnindexed(call.sql, MAX_INDEXED);
    if (datasets.length > 0) await writeLinkStatus(call.sql, datasets);
  });

/** Removes what is known of hosts without links. */
export async function pruneHosts({ sql, db, request }: Call): Promise<void> {
  await forgetHosts(sql);
  await pruneRobots(db, new Date(request.now.getTime() - MAX_AGE));
}
