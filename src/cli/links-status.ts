import { linkStatus } from '../links/operate.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

/** `catalog links status`: prints the number of links by verdict, and how many are due. */
export const command: Command = async (_args, context) => {
  const { verdicts, due, unplanned, paused } = await withCatalog(context, ({ app }) =>
    linkStatus(app.callAs(operator)),
  );
  for (const { verdict, count } of verdicts) console.log(`${verdict ?? 'not checked yet'}: ${count}`);
  console.log(`due: ${due}\nwithout a time of their first check: ${unplanned}\npaused hosts: ${paused}`);
};
