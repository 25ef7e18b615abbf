import { tablesCheck } from '../datastore/tables/sweep.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';
import { linesOf } from './datastore-report.ts';

/**
 * `catalog datastore check`: prints a line per resource whose table is missing or was not copied from its source, and per table without a
 * resource.
 */
export const command: Command = async (_args, context) => {
  const report = await withCatalog(context, ({ app }) => tablesCheck(app.callAs(operator)));
  for (const line of linesOf(report)) console.log(line);
  const { missing, orphans, elsewhere, named, stored } = report;
  if (missing.length + orphans.length > 0)
    throw new CommandFailure(
      `${missing.length} of ${named} tables are missing; ${orphans.length} of ${stored} DataStore tables have no resource. To drop them, run: catalog datastore sweep`,
    );
  if (elsewhere.length > 0)
    throw new CommandFailure(`${elsewhere.length} tables were not copied from the catalogs of their resources.`);
  console.log(`${named} tables are present. There are no others.`);
};
