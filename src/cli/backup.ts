/** `catalog backup`: writes both databases, files and the secret at one point in time into one archive, while servers run. */
import { type Backup, beginBackup } from '../backup/backup.ts';
import { openBlobs } from '../blobs/open.ts';
import { openDatabases } from '../embedded/databases.ts';
import { findSecret } from '../infra/crypto/secret-file.ts';
import { describeSettings } from '../kernel/config.ts';
import type { Settings } from '../kernel/settings.ts';
import { writeArchive } from './archive-place.ts';
import { type Command, type CommandContext, CommandFailure, UsageError } from './command.ts';
import { readArgs } from './options.ts';
import { createProgress } from './progress.ts';
import { type Proceed, proceeding, stoppable } from './stoppable.ts';

export const command: Command = (args, context) => stoppable((proceed) => backUpTo(args, context, proceed));

async function backUpTo(args: readonly string[], context: CommandContext, proceed: Proceed): Promise<void> {
  const { words, values } = readArgs('backup', args);
  const place = words[0]!;
  if (place === '-' && process.stdout.isTTY)
    throw new UsageError('A backup is not text. Redirect standard output, for example: catalog backup - > backup.tar');
  const secret = secretOf(context.settings); // before a database is made in a wrong folder
  const databases = await openDatabases(
    context.settings,
    context.log,
    values.programs === undefined ? {} : { programs: values.programs },
  );
  try {
    await backUp(place, secret, databases.settings, context, proceed);
  } finally {
    await databases.close();
  }
}

async function backUp(
  place: string,
  secret: string,
  settings: Settings & { readonly 'catalog.database_url': string },
  { settings: given, log }: CommandContext,
  proceed: Proceed,
): Promise<void> {
  const blobs = await openBlobs(settings, (failure) => log.error({ err: failure }, 'file storage failed'));
  const progress = createProgress(100);
  const start = performance.now();
  let bytes = 0;
  let backup: Backup | null = null;
  try {
    backup = await beginBackup({
      catalogUrl: settings['catalog.database_url'],
      datastoreUrl: settings['catalog.datastore.write_url'],
      blobs,
      secret,
      settings: settingsOf(given),
      onProgress: (done, total, note) => {
        bytes = done;
        progress.report(total === 0 ? 0 : Math.min(99, (100 * done) / total), note);
      },
    });
    const name = await writeArchive(place, backup.at, proceeding(backup.bytes, proceed), settings).catch(
      (thrown: unknown) => {
        if ((thrown as NodeJS.ErrnoException).code === 'EPIPE')
          throw new CommandFailure(
            'The reader of standard output ended before the backup did. The backup is incomplete.',
          );
        throw thrown;
      },
    );
    progress.stop();
    const { tables, files, missing, others } = backup.result;
    const report = name === null ? console.error : console.log;
    for (const name of others) console.error(`not copied: table ${JSON.stringify(name)}, which no migration has made`);
    for (const key of missing) console.error(`missing: file ${key} (catalog files check names its owner)`);
    report(
      `${name ?? 'standard output'}: point in time ${backup.at.toISOString()}, ${tables} tables of the DataStore, ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB in ${((performance.now() - start) / 1000).toFixed(1)} s`,
    );
    if (files > 0 && missing.length === files)
      throw new CommandFailure(
        `The archive has no files: none of ${files} is in the file store, so it is not that of the server. Set catalog.files.* or catalog.data_dir as for the server.`,
      );
  } finally {
    progress.stop();
    await backup?.close();
    blobs.close();
  }
}

/** The secret of the server. Another one would make all API keys, tokens and sessions of a restored site useless. @throws CommandFailure */
function secretOf(settings: Settings): string {
  const secret = findSecret(settings);
  if (secret !== null) return secret;
  throw new CommandFailure(
    `${settings['catalog.data_dir']} has no site secret, so it is not the data folder of the server. Set CATALOG_HOME, catalog.data_dir or catalog.secret as for the server. Nothing was written.`,
  );
}

/** Settings that were set, for comparison at a restore. Passwords are hidden. */
const settingsOf = (settings: Settings): Record<string, unknown> =>
  Object.fromEntries(
    describeSettings(settings)
      .filter(({ source }) => source !== 'default')
      .map(({ name, value }) => [name, value]),
  );
