import { documentsRebuild } from '../catalog/dataset/read/documents.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

/** `catalog documents rebuild`: rewrites all documents and prints their number. */
export const command: Command = async (_args, context) => {
  let written = 0;
  await withCatalog(context, async ({ app }) => {
    for await (const count of documentsRebuild(app.callAs(operator))) written += count;
  });
  console.log(`${written} documents rebuilt from their rows.`);
};
