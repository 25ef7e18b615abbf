/** `catalog files check|sweep`: stored files and the rows that refer to them. */
import { type FilesReport, filesCheck, filesSweep } from '../catalog/file/check.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';

/** Runs a check or sweep of files. Prints a line per row whose file is missing, and per file without a row. */
async function report(context: CommandContext, run: typeof filesCheck): Promise<FilesReport> {
  const found = await withCatalog(context, ({ app }) => run(app.callAs(operator)));
  for (const { owner, ownerId, key } of found.missing) console.log(`missing: the file of ${owner} ${ownerId}, ${key}`);
  for (const { name, size, modified } of found.orphans)
    console.log(`unreferenced: ${name}, ${size} bytes, ${modified.toISOString()}`);
  return found;
}

/** `catalog files check`: fails if a file is missing or has no row. */
export const check: Command = async (_args, context) => {
  const { missing, orphans, named, stored } = await report(context, filesCheck);
  if (missing.length + orphans.length > 0)
    throw new CommandFailure(
      `${missing.length} of ${named} files are missing; ${orphans.length} of ${stored} stored files are unreferenced. To delete them, run: catalog files sweep`,
    );
  console.log(`${named} files are present. There are no others.`);
};

/** `catalog files sweep`: deletes files without a row. */
export const sweep: Command = async (_args, context) => {
  const { missing, orphans, named } = await report(context, filesSweep);
  console.log(`${orphans.length} unreferenced files deleted.`);
  if (missing.length > 0) throw new CommandFailure(`${missing.length} of ${named} files are missing.`);
};
