/** `catalog usage import`: reads views and downloads of another catalog from its table `tracking_summary`. */
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ImportFault, usageImport } from '../usage/import.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

export const command: Command = async ([file, ...rest], context) => {
  if (!file || rest.length > 0 || (file.startsWith('-') && file !== '-')) throw new UsageError();
  if (file !== '-' && !existsSync(file)) throw new UsageError(`File not found: ${file}`);
  try {
    const { rows, known } = await withCatalog(context, ({ app }) =>
      usageImport(() => app.callAs(operator), linesOf(file)),
    );
    console.log(`${rows} rows read, ${known} of datasets and resources in this catalog.`);
  } catch (thrown) {
    throw thrown instanceof ImportFault ? new CommandFailure(thrown.message) : thrown;
  }
};

/** Call it when the lines are read at once: an interface emits lines before anyone reads them, and then never ends. */
const linesOf = (file: string) =>
  createInterface({
    input: file === '-' ? process.stdin : createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
