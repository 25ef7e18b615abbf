import { linksDue } from '../links/operate.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';
import { readArgs } from './options.ts';

/** `catalog links check`: makes links due now. The servers check them, at the usual pace. */
export const command: Command = async (args, context) => {
  const { values } = readArgs('links check', args);
  const count = await withCatalog(context, ({ app }) => linksDue(app.callAs(operator), values.dataset ?? null));
  console.log(`${count} links are due. The running servers check them.`);
};
