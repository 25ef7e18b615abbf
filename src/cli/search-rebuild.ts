import { searchRebuild } from '../search/index/index.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

/** `catalog search rebuild`: says how many datasets were indexed. Searches go on meanwhile. */
export const command: Command = async (_args, context) => {
  let written = 0;
  await withCatalog(context, async ({ app }) => {
    for await (const count of searchRebuild(app.callAs(operator))) written += count;
  });
  console.log(`${written} datasets were indexed again from their documents.`);
};
