/** Opens places of backups: a file, standard output, or an object of a bucket. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupError } from '../backup/format.ts';
import type { Settings } from '../kernel/settings.ts';
import { UsageError } from './command.ts';

const BUCKET = /^s3:\/\/([^/]+)\/?(.*)$/;

/** `catalog-20261124T031500Z.tar` */
const fileName = (at: Date): string =>
  `catalog-${at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:]/g, '')}.tar`;

/** Writes a backup below the place. Returns its name; null for standard output. */
export async function writeArchive(
  place: string,
  at: Date,
  bytes: AsyncIterable<Buffer>,
  settings: Settings,
): Promise<string | null> {
  if (place === '-') {
    await pipeline(bytes, process.stdout, { end: false });
    return null;
  }
  const [, bucket, prefix] = BUCKET.exec(place) ?? [];
  return bucket === undefined
    ? toFile(place, fileName(at), bytes)
    : toBucket(bucket, prefix!.replace(/([^/])$/, '$1/') + fileName(at), bytes, settings);
}

/** Under another name until it is complete. */
async function toFile(folder: string, name: string, bytes: AsyncIterable<Buffer>): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  const draft = `${file}.partial`;
  try {
    await pipeline(bytes, createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true }));
    await rename(draft, file);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') await rm(draft, { force: true });
    throw thrown;
  }
  const directory = await open(folder, 'r');
  await directory.sync().catch(() => {}); // some file systems cannot
  await directory.close();
  return file;
}

async function toBucket(
  bucket: string,
  key: string,
  bytes: AsyncIterable<Buffer>,
  settings: Settings,
): Promise<string> {
  const { archiveObject } = await import('../blobs/archives.ts'); // lazy: importing the SDK is slow
  const object = archiveObject(settings, bucket, key);
  try {
    await object.write(Readable.from(bytes, { objectMode: false }));
    return `s3://${bucket}/${key}`;
  } catch (thrown) {
    throw asFailure(thrown, `s3://${bucket}/${key}`);
  } finally {
    object.close();
  }
}

/** An existing backup, which can be read several times. */
export interface StoredArchive {
  readonly size: number;
  /** @throws BackupError if the object store fails, also in the middle */
  read(): Promise<AsyncIterable<Buffer>>;
  close(): void;
}

/** @throws BackupError if there is none */
export async function openArchive(place: string, settings: Settings): Promise<StoredArchive> {
  const [, bucket, key] = BUCKET.exec(place) ?? [];
  if (bucket !== undefined) return fromBucket(place, bucket, key!, settings);
  const found = await stat(place).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') throw new BackupError(`${place} does not exist.`);
    throw failure;
  });
  if (!found.isFile()) throw new UsageError(`${place} is not a file. Name one backup: FOLDER/catalog-….tar`);
  return { size: found.size, read: async () => createReadStream(place, { highWaterMark: 2 ** 20 }), close: () => {} };
}

async function fromBucket(place: string, bucket: string, key: string, settings: Settings): Promise<StoredArchive> {
  if (key === '') throw new UsageError(`${place} names no object. Name one backup: s3://BUCKET/KEY`);
  const { archiveObject } = await import('../blobs/archives.ts'); // lazy: importing the SDK is slow
  const object = archiveObject(settings, bucket, key);
  const size = await object.size().catch((thrown: unknown) => {
    throw asFailure(thrown, place);
  });
  if (size === null) throw new BackupError(`${place} does not exist.`);
  return { size, read: async () => refusable(object.read(), place), close: () => object.close() };
}

/** The bytes unchanged. All failures are of the object store: a connection that breaks gives an error of Node.js, without `$metadata`. */
async function* refusable(bytes: AsyncIterable<Buffer>, place: string): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (thrown) {
    throw refused(thrown as Error, place);
  }
}

/** A failure of the object store; others unchanged. */
function asFailure(thrown: unknown, place: string): unknown {
  if (thrown instanceof BackupError || !(thrown instanceof Error) || !('$metadata' in thrown)) return thrown;
  return refused(thrown, place);
}

function refused({ name, message }: Error, place: string): BackupError {
  if (name === 'PreconditionFailed') return new BackupError(`${place} was replaced while it was read. Try again.`);
  return new BackupError(
    `${place}: the object store refused it (${name}: ${message}). Check catalog.files.endpoint, catalog.files.key_id and the bucket.`,
  );
}
