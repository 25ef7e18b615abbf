import { searchStatus } from '../search/index/index.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

/** `catalog search status`: the engine, and how much it holds. */
export const command: Command = async (_args, context) => {
  const status = await withCatalog(context, ({ app }) => searchStatus(app.callAs(operator)));
  const lines = [
    ['engine', 'PostgreSQL'],
    ['language', context.settings['catalog.locale_default']],
    ['datasets', status.datasets],
    ['indexed', status.indexed],
    ['public', status.public],
    ['values counted as facets', status.values],
    ['size', `${(status.bytes / 2 ** 20).toFixed(1)} MiB`],
  ];
  console.log(lines.map(([name, value]) => `${name}: ${value}`).join('\n'));
};
