/** `catalog search check|rebuild|status`: the search index, in PostgreSQL and Solr. */
import { CatalogError } from '../kernel/errors.ts';
import { searchCheck, searchRebuild, searchStatus } from '../search/index/index.service.ts';
import { shownAddress } from '../search/solr/client.ts';
import { withFeed } from '../search/solr/follower.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';

/**
 * `catalog search check`: prints a line per dataset whose index entry differs from its document: id, differences. With Solr, also documents
 * that differ between Solr and PostgreSQL, which may include writes of the last second.
 */
export const check: Command = async (_args, context) => {
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

/** `catalog search rebuild`: indexes all datasets and prints their number. Searches keep working. */
export const rebuild: Command = async (_args, context) => {
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

type Line = readonly [string, string | number];

/** `catalog search status`: prints the engine and the size of its index. */
export const status: Command = async (_args, context) => {
  const solrUrls = context.settings['catalog.search.solr_url'];
  const lines = await withCatalog(context, async ({ app, database }): Promise<Line[]> => {
    const index = await searchStatus(app.callAs(operator));
    return [
      ['engine', solrUrls.length === 0 ? 'PostgreSQL' : `Solr at ${solrUrls.map(shownAddress).join(' ')}`],
      ['language', context.settings['catalog.locale_default']],
      ['datasets', index.datasets],
      ['indexed', index.indexed],
      ['public', index.public],
      ['values counted as facets', index.values],
      ['size', `${(index.bytes / 2 ** 20).toFixed(1)} MiB`],
      ...(solrUrls.length === 0 ? [] : await solrLines(database.url, solrUrls)),
    ];
  });
  console.log(lines.map(([name, value]) => `${name}: ${value}`).join('\n'));
};

const solrLines = (databaseUrl: string, solrUrls: readonly string[]): Promise<Line[]> =>
  withFeed(databaseUrl, solrUrls, async (feed) => {
    const solr = await feed.status().catch((thrown: unknown) => {
      if (thrown instanceof CatalogError) return null;
      throw thrown;
    });
    if (solr === null) return [['in Solr', 'unknown (no response)']];
    const { indexed, waiting } = solr;
    return [
      ['in Solr', indexed],
      ['recent writes, possibly not in Solr yet', waiting ?? 'all (Solr was not filled from this database)'],
    ];
  });
