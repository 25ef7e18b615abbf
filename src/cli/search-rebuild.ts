import { searchRebuild } from '../search/index/index.service.ts';
import { withFeed } from '../search/solr/follower.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

/** `catalog search rebuild`: indexes all datasets and prints their number. Searches keep working. */
export const command: Command = async (_args, context) => {
  let written = 0;
  let inSolr = 0;
  const solrUrls = context.settings['catalog.search.solr_url'];
  await withCatalog(context, async ({ app, database }) => {
    for await (const count of searchRebuild(app.callAs(operator))) written += count;
    if (solrUrls.length === 0) return;
    await withFeed(database.url, solrUrls, async (feed) => {
      for await (const count of feed.rebuild()) inSolr += count;
    });
  });
  console.log(`${written} datasets reindexed.`);
  if (solrUrls.length > 0) console.log(`${inSolr} of them written to Solr.`);
};
