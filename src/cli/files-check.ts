import { filesCheck } from '../catalog/file/check.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';
import { linesOf } from './files-report.ts';

/** `catalog files check`: prints a line per row whose file is missing, and per file without a row. */
export const command: Command = async (_args, context) => {
  const report = await withCatalog(context, ({ app }) => filesCheck(app.callAs(operator)));
  for (const line of linesOf(report)) console.log(line);
  const { missing, orphans, named, stored } = report;
  if (missing.length + orphans.length > 0)
    throw new CommandFailure(
      `${missing.length} of ${named} files are missing; ${orphans.length} of ${stored} stored files are unreferenced. To delete them, run: catalog files sweep`,
    );
  console.log(`${named} files are present. There are no others.`);
};
