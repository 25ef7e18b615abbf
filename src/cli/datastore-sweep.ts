import { tablesSweep } from '../datastore/tables/sweep.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';
import { linesOf } from './datastore-report.ts';

/** `catalog datastore sweep`: drops tables without a resource. Prints a line for each, and per resource whose table is missing. */
export const command: Command = async (_args, context) => {
  const report = await withCatalog(context, ({ app }) => tablesSweep(app.callAs(operator)));
  for (const line of linesOf(report)) console.log(line);
  const { missing, orphans, named } = report;
  console.log(`${orphans.length} tables without a resource dropped.`);
  if (missing.length > 0) throw new CommandFailure(`${missing.length} of ${named} tables are missing.`);
};
