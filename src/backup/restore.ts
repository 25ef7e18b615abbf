/** Checks a backup, and restores it into an empty place. */
import type { Blobs } from '../infra/files/blobs.ts';
import { readAddress } from '../infra/postgres/hosts.ts';
import { unknownMigrations } from '../migrate/migrate.ts';
import { filledTables, openCatalogRestore, UnknownCommit } from './catalog.sql.ts';
import { hasFiles, openFilesRestore } from './files.sql.ts';
import { BackupError, type Head, type Member } from './format.ts';
import { existingTables, openTablesRestore, type TablesRestore } from './tables.sql.ts';
import { contentOf, walkArchive } from './walk.ts';

export interface Checked {
  readonly head: Head;
  readonly secret: string;
}

async function drain(members: AsyncIterable<Member>): Promise<null> {
  for await (const _member of members);
  return null;
}

/** Reads the whole archive and writes nothing. @throws BackupError for an archive that this release cannot restore as it was */
export async function checkArchive(source: AsyncIterable<Buffer>): Promise<Checked> {
  let head: Head | undefined;
  let secret = '';
  await walkArchive(source, {
    head(found) {
      const unknown = unknownMigrations(found.migrations);
      if (unknown.length > 0)
        throw new BackupError(
          `The backup is of release ${found.program}, which has migrations that this release does not have: ${unknown.join(', ')}. Use release ${found.program} or newer.`,
        );
      head = found;
    },
    secret: (text) => {
      secret = text;
    },
    datastoreTable: (_table, members) => drain(members),
    catalogTable: (_name, _table, members) => drain(members),
    file: async (_key, _file, members) => void (await drain(members)),
  });
  return { head: head!, secret };
}

/** The place of a restore. */
export interface Target {
  readonly catalogUrl: string;
  readonly datastore: { readonly writeUrl: string; readonly readUrl: string | null } | null;
  readonly blobs: Blobs;
  /** The place of the files, for messages. */
  readonly files: string;
  /** Stores the secret, before the commit. */
  readonly storeSecret: (text: string) => void;
  /** Undoes `storeSecret`. */
  readonly removeSecret: () => void;
  /** Called before the commit. Throws if the restore must stop. */
  readonly proceed: () => void;
}

/** @throws BackupError naming the part of the place that is not empty, or missing */
export async function checkEmpty(head: Head, { catalogUrl, datastore, blobs, files }: Target): Promise<void> {
  const problems: string[] = [];
  const filled = await filledTables(catalogUrl);
  if (filled.length > 0) problems.push(`${databaseOf(catalogUrl)} has data in ${listed(filled)}`);
  if (datastore) {
    const tables = await existingTables(datastore.writeUrl);
    if (tables.length > 0) problems.push(`${databaseOf(datastore.writeUrl)} has the tables ${listed(tables)}`);
  } else if (head.datastore) problems.push('the backup has a DataStore, but catalog.datastore.write_url is not set');
  if (head.files && (await hasFiles(blobs))) problems.push(`${files} has files`);
  if (problems.length > 0)
    throw new BackupError(
      `A backup is restored into an empty place only: ${problems.join('; ')}. Nothing was restored. Choose other databases and another folder, or empty these: catalog reset --yes for the databases, and delete the files.`,
    );
}

const databaseOf = (url: string): string => {
  const { pathname } = new URL(readAddress(url).url);
  return `the database "${decodeURIComponent(pathname.slice(1))}"`;
};

const listed = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and others` : names.join(', ');

export interface Restored {
  readonly rows: number;
  readonly tables: number;
  readonly files: number;
}

/** All or nothing, except after a crash. @throws UnknownCommit; BackupError, after what was written is removed */
export async function restoreArchive(
  source: AsyncIterable<Buffer>,
  { head, secret }: Checked,
  target: Target,
): Promise<Restored> {
  const { datastore } = target;
  const counts = new Map<string, number>();
  const done = { tables: 0, files: 0 };
  const catalog = await openCatalogRestore(target.catalogUrl, head.migrations);
  const files = openFilesRestore(target.blobs);
  let tables: TablesRestore | null = null;
  let isSecretStored = false;
  try {
    tables = datastore && (await openTablesRestore(datastore.writeUrl, datastore.readUrl));
    await walkArchive(source, {
      head: () => {},
      secret: () => {},
      async datastoreTable(table, members) {
        done.tables += 1;
        return tables!.table(table, contentOf(members));
      },
      async catalogTable(name, table, members) {
        const rows = await catalog.table(name, table, contentOf(members));
        counts.set(name, rows);
        return rows;
      },
      async file(key, { isMissing }, members) {
        if (isMissing) return void (await drain(members));
        done.files += 1;
        await files.file(key, contentOf(members));
      },
    });
    await tables?.check();
    await catalog.complete(counts);
    target.storeSecret(secret);
    isSecretStored = true;
    target.proceed();
    await catalog.commit();
  } catch (thrown) {
    if (thrown instanceof UnknownCommit) throw thrown; // the rows may need what was written
    if (isSecretStored) target.removeSecret();
    await Promise.allSettled([files.undo(), tables?.undo()]); // the first failure is the reason
    throw thrown;
  } finally {
    await catalog.close();
    await tables?.close();
  }
  return { ...done, rows: [...counts.values()].reduce((sum, rows) => sum + rows, 0) };
}
