/** `catalog links check|status`: checks of links. */
import { linkStatus, linksDue } from '../links/operate.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';
import { readArgs } from './options.ts';

/** `catalog links check`: makes links due now. The servers check them, at the usual pace. */
export const check: Command = async (args, context) => {
  const { values } = readArgs('links check', args);
  const count = await withCatalog(context, ({ app }) => linksDue(app.callAs(operator), values.dataset ?? null));
  console.log(`${count} links are due. The running servers check them.`);
};

/** `catalog links status`: prints the number of links by verdict, and how many are due. */
export const status: Command = async (_args, context) => {
  const { verdicts, due, unplanned, paused } = await withCatalog(context, ({ app }) =>
    linkStatus(app.callAs(operator)),
  );
  for (const { verdict, count } of verdicts) console.log(`${verdict ?? 'not checked yet'}: ${count}`);
  console.log(`due: ${due}\nwithout a time of their first check: ${unplanned}\npaused hosts: ${paused}`);
};
