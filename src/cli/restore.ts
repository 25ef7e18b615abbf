/** `catalog restore`: checks a backup, then restores it into empty databases and an empty data folder. */
import { join } from 'node:path';
import { BackupError } from '../backup/format.ts';
import { type Checked, checkArchive, checkEmpty, restoreArchive, type Target } from '../backup/restore.ts';
import { openBlobs } from '../blobs/open.ts';
import { openDatabases } from '../embedded/databases.ts';
import { findSecret, removeSecret, storeSecret } from '../infra/crypto/secret-file.ts';
import { describeSettings } from '../kernel/config.ts';
import type { Settings } from '../kernel/settings.ts';
import { migrate } from '../migrate/migrate.ts';
import { openArchive, type StoredArchive } from './archive-place.ts';
import type { Command, CommandContext } from './command.ts';
import { readArgs } from './options.ts';
import { createProgress, type Progress } from './progress.ts';
import { type Proceed, proceeding, stoppable } from './stoppable.ts';

export const command: Command = (args, context) => stoppable((proceed) => restoreFrom(args, context, proceed));

async function restoreFrom(args: readonly string[], context: CommandContext, proceed: Proceed): Promise<void> {
  const place = readArgs('restore', args).words[0]!;
  const archive = await openArchive(place, context.settings);
  const progress = createProgress(2 * archive.size);
  try {
    const read = counted(archive, progress, proceed);
    const checked = await checkArchive(await read('checking'));
    checkSecret(checked, context.settings);
    const lines = await restore(checked, context, () => read('restoring'), proceed);
    progress.stop();
    for (const line of [...lines, ...differences(checked, context.settings)]) console.log(line);
  } finally {
    progress.stop();
    archive.close();
  }
}

/** Reads the archive from its beginning, and reports the bytes of all readings. */
function counted(archive: StoredArchive, progress: Progress, proceed: Proceed) {
  let done = 0;
  return async (note: string): Promise<AsyncIterable<Buffer>> => {
    const bytes = await archive.read();
    async function* all() {
      for await (const chunk of bytes) {
        done += chunk.length;
        progress.report(done, note);
        yield chunk;
      }
    }
    return proceeding(all(), proceed);
  };
}

/** Before a database is started. @throws BackupError for another secret than that of the backup */
function checkSecret({ secret }: Checked, settings: Settings): void {
  const has = findSecret(settings);
  if (has === null || has === secret) return;
  const where = settings['catalog.secret'] === null ? join(settings['catalog.data_dir'], 'secret') : 'catalog.secret';
  throw new BackupError(
    `${where} is not the secret of the backup, so the API keys could not be decrypted. Remove it, or use another data folder. Nothing was restored.`,
  );
}

async function restore(
  checked: Checked,
  { settings: given, log }: CommandContext,
  read: () => Promise<AsyncIterable<Buffer>>,
  proceed: Proceed,
): Promise<string[]> {
  const databases = await openDatabases(given, log);
  const { settings } = databases;
  const blobs = await openBlobs(settings, (failure) => log.error({ err: failure }, 'file storage failed'));
  const writeUrl = settings['catalog.datastore.write_url'];
  const hasSecret = findSecret(settings) !== null;
  const target: Target = {
    catalogUrl: settings['catalog.database_url'],
    datastore: writeUrl === null ? null : { writeUrl, readUrl: settings['catalog.datastore.read_url'] },
    blobs,
    files: settings['catalog.files.bucket'] ?? join(settings['catalog.data_dir'], 'files'),
    storeSecret: (text) => hasSecret || storeSecret(settings, text),
    removeSecret: () => hasSecret || removeSecret(settings),
    proceed,
  };
  try {
    await checkEmpty(checked.head, target);
    const { rows, tables, files } = await restoreArchive(await read(), checked, target);
    const applied = await migrate(target.catalogUrl);
    return [
      `Restored the point in time ${checked.head.at} of release ${checked.head.program}: ${rows} rows of the catalog, ${tables} tables of the DataStore, ${files} files. All counts match.`,
      ...(applied.length > 0 ? [`Applied the newer migrations ${applied.join(', ')}.`] : []),
      ...(settings['catalog.search.solr_url'].length === 0 ? [] : ['Fill the index of Solr: catalog search rebuild']),
    ];
  } finally {
    blobs.close();
    await databases.close();
  }
}

/** Settings of the backup that have another value here. Passwords are not compared. */
function differences({ head }: Checked, settings: Settings): string[] {
  const now = new Map(describeSettings(settings).map(({ name, value }) => [name as string, value]));
  const text = (value: unknown) => JSON.stringify(value ?? null);
  return Object.entries(head.settings).flatMap(([name, value]) =>
    text(value) === text(now.get(name))
      ? []
      : [`${name} was ${text(value)} in the backup, and is ${text(now.get(name))} here.`],
  );
}
