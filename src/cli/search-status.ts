import { CatalogError } from '../kernel/errors.ts';
import { searchStatus } from '../search/index/index.service.ts';
import { shownAddress } from '../search/solr/client.ts';
import { withFeed } from '../search/solr/follower.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

type Line = readonly [string, string | number];

/** `catalog search status`: prints the engine and the size of its index. */
export const command: Command = async (_args, context) => {
  const solrUrl = context.settings['catalog.search.solr_url'];
  const lines = await withCatalog(context, async ({ app, database }): Promise<Line[]> => {
    const status = await searchStatus(app.callAs(operator));
    return [
      ['engine', solrUrl === null ? 'PostgreSQL' : `Solr at ${shownAddress(solrUrl)}`],
      ['language', context.settings['catalog.locale_default']],
      ['datasets', status.datasets],
      ['indexed', status.indexed],
      ['public', status.public],
      ['values counted as facets', status.values],
      ['size', `${(status.bytes / 2 ** 20).toFixed(1)} MiB`],
      ...(solrUrl === null ? [] : await solrLines(database.url, solrUrl)),
    ];
  });
  console.log(lines.map(([name, value]) => `${name}: ${value}`).join('\n'));
};

const solrLines = (databaseUrl: string, solrUrl: string): Promise<Line[]> =>
  withFeed(databaseUrl, solrUrl, async (feed) => {
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
