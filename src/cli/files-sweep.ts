import { filesSweep } from '../catalog/file/check.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';
import { linesOf } from './files-report.ts';

/** `catalog files sweep`: deletes files without a row. Prints a line for each, and per row whose file is missing. */
export const command: Command = async (_args, context) => {
  const report = await withCatalog(context, ({ app }) => filesSweep(app.callAs(operator)));
  for (const line of linesOf(report)) console.log(line);
  const { missing, orphans, named } = report;
  console.log(`${orphans.length} unreferenced files deleted.`);
  if (missing.length > 0) throw new CommandFailure(`${missing.length} of ${named} files are missing.`);
};
