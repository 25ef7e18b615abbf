import { CatalogError } from '../kernel/errors.ts';
import { searchStatus } from '../search/index/index.service.ts';
import { shownAddress } from '../search/solr/client.ts';
import { withFeed } from '../search/solr/follower.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

type Line = readonly [string, string | number];

/** `catalog search status`: prints the engine and the size of its index. */
export const command: Command = async (_args, context) => {
  const solrUrls = context.settings['catalog.search.solr_url'];
  const lines = await withCatalog(context, async ({ app, database }): Promise<Line[]> => {
    const status = await searchStatus(app.callAs(operator));
    return [
      ['engine', solrUrls.length === 0 ? 'PostgreSQL' : `Solr at ${solrUrls.map(shownAddress).join(' ')}`],
      ['language', context.settings['catalog.locale_default']],
      ['datasets', status.datasets],
      ['indexed', status.indexed],
      ['public', status.public],
      ['values counted as facets', status.values],
      ['size', `${(status.bytes / 2 ** 20).toFixed(1)} MiB`],
      ...(solrUrls.length === 0 ? [] : await solrLines(database.url, solrUrls)),
    ];
  });
  console.log(lines.map(([name, value]) => `${name}: ${value}`).join('\n'));
};

const solrLines = (databaseUrl: string, solrUrls: readonly string[]): Promise<Line[]> =>
  withFeed(databaseUrl, solrUrls, async (feed) => {
    const status = await feed.status().catch((thrown: unknown) => {
      if (thrown instanceof CatalogError) return null;
      throw thrown;
    });
    if (status === null) return [['in Solr', 'unknown (no response)']];
    const { indexed, waiting } = status;
    return [
      ['in Solr', indexed],
      ['recent writes, possibly not in Solr yet', waiting ?? 'all (Solr was not filled from this database)'],
    ];
  });
