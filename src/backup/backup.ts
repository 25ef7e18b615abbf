/** Makes a backup: the bytes of an archive of the whole catalog at one point in time. */
import type { Blobs } from '../infra/files/blobs.ts';
import { version } from '../kernel/version.ts';
import { type ArchiveWriter, createArchiveWriter } from './archive.ts';
import { catalogOut, migrationsOf, sizeOf } from './catalog.sql.ts';
import { declareFiles, type FileTotals, filesOut, totalsOf } from './files.sql.ts';
import { FORMAT, type Head } from './format.ts';
import { type Point, takePoint } from './point.sql.ts';
import { tablesOut } from './tables.sql.ts';

export interface BackupOptions {
  readonly catalogUrl: string;
  readonly datastoreUrl: string | null;
  /** Null to leave the files out. */
  readonly blobs: Blobs | null;
  readonly secret: string;
  readonly settings: Head['settings'];
  /** Called with the bytes of data, estimated in total and made so far. */
  readonly onProgress: (done: number, total: number, note: string) => void;
}

/** A backup that has begun. */
export interface Backup {
  readonly at: Date;
  /** The archive. Read it once. */
  readonly bytes: AsyncGenerator<Buffer>;
  /** Results, complete at the end of `bytes`. `others`: tables of the catalog's database that are not copied. */
  readonly result: { tables: number; files: number; readonly missing: string[]; readonly others: readonly string[] };
  /** Ends the transactions of the point. Call it also when nothing was read. */
  close(): Promise<void>;
}

/** @throws BackupError if no backup is possible at the moment */
export async function beginBackup(options: BackupOptions): Promise<Backup> {
  const point = await takePoint({ catalog: options.catalogUrl, datastore: options.datastoreUrl });
  const result = { tables: 0, files: 0, missing: [] as string[], others: point.others };
  try {
    const head = await headOf(point, options);
    const progress = await createCount(point, options);
    return { at: point.at, bytes: bytesOf(point, options, head, result, progress), result, close: point.close };
  } catch (thrown) {
    await point.close();
    throw thrown;
  }
}

async function* bytesOf(
  point: Point,
  options: BackupOptions,
  head: Head,
  result: Backup['result'],
  progress: Count,
): AsyncGenerator<Buffer> {
  const archive = createArchiveWriter(point.at);
  for await (const chunk of members(point, options, head, archive, result, progress)) {
    progress.count(chunk.length);
    yield chunk;
  }
}

async function* members(
  point: Point,
  options: BackupOptions,
  head: Head,
  archive: ArchiveWriter,
  result: Backup['result'],
  progress: Count,
): AsyncGenerator<Buffer> {
  const { catalog, datastore, tables, own } = point;
  yield* archive.json('head', 0, head);
  yield* archive.json('secret', 0, options.secret);
  if (datastore) {
    yield* tablesOut(datastore, tables, archive, (number) => {
      result.tables = number;
      progress.say(`table ${number} of ${tables.length} of the DataStore`);
    });
    await datastore.query('COMMIT'); // its tables may be replaced again
  }
  yield* catalogOut(catalog, own, archive, (table) => progress.say(`catalog, ${table}`));
  if (options.blobs) await declareFiles(catalog);
  await catalog.query('COMMIT');
  if (options.blobs)
    yield* filesOut(catalog, options.blobs, archive, {
      file: (number) => {
        result.files = number;
        progress.say(`file ${number} of ${progress.files}`);
      },
      missing: (key) => result.missing.push(key),
    });
  yield* archive.end();
}

async function headOf({ catalog, at }: Point, { datastoreUrl, blobs, settings }: BackupOptions): Promise<Head> {
  const { rows } = await catalog.query<{ server_version: string }>('SHOW server_version');
  return {
    format: FORMAT,
    program: version,
    at: at.toISOString(),
    postgresql: rows[0]!.server_version,
    migrations: await migrationsOf(catalog),
    datastore: datastoreUrl !== null,
    files: blobs !== null,
    settings,
  };
}

interface Count {
  readonly files: number;
  count(bytes: number): void;
  say(note: string): void;
}

/** The archive is smaller than its estimate, because tables are compressed: progress by notes, and by bytes of the estimate. */
async function createCount({ catalog, datastore }: Point, { blobs, onProgress }: BackupOptions): Promise<Count> {
  const files: FileTotals = blobs ? await totalsOf(catalog) : { files: 0, bytes: 0 };
  const total = (await sizeOf(catalog)) + (datastore ? await sizeOf(datastore) : 0) + files.bytes;
  let done = 0;
  let note = '';
  const report = () => onProgress(done, total, note);
  return {
    files: files.files,
    count(bytes) {
      done += bytes;
      report();
    },
    say(text) {
      note = text;
      report();
    },
  };
}
