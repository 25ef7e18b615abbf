import { searchCheck } from '../search/index/index.service.ts';
import { withFeed } from '../search/solr/follower.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';

/**
 * `catalog search check`: prints a line per dataset whose index entry differs from its document: id, differences. With Solr, also documents
 * that differ between Solr and PostgreSQL, which may include writes of the last second.
 */
export const command: Command = async (_args, context) => {
  let checked = 0;
  let wrong = 0;
  const solrUrls = context.settings['catalog.search.solr_url'];
  await withCatalog(context, async ({ app, database }) => {
    for await (const batch of searchCheck(app.callAs(operator))) {
      checked += batch.checked;
      wrong += batch.faults.length;
      for (const { id, faults } of batch.faults) console.log(`${id}: ${faults.join(', ')}`);
    }
    if (solrUrls.length === 0) return;
    await withFeed(database.url, solrUrls, async (feed) => {
      for await (const { faults } of feed.check()) {
        wrong += faults.length;
        for (const { id, fault } of faults) console.log(`${id}: Solr ${fault}`);
      }
    });
  });
  if (wrong > 0)
    throw new CommandFailure(
      `${wrong} of ${checked} datasets differ between the search index and their documents. To rebuild the index, run: catalog search rebuild`,
    );
  console.log(
    `${checked} datasets in the search index match their documents${solrUrls.length === 0 ? '' : ', in Solr too'}.`,
  );
};
